"""A small reader of binary glTF, written from the specification alone; it shares nothing with the package."""

import json
import pathlib
import struct
from typing import Any

import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation, Slerp

Array = np.ndarray[Any, Any]
COMPONENTS = {5126: np.dtype("<f4"), 5123: np.dtype("<u2"), 5125: np.dtype("<u4")}
WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


class Asset:
    """The parts of a .glb file."""

    def __init__(self, file: pathlib.Path) -> None:
        content = file.read_bytes()
        magic, version, length = struct.unpack("<4sII", content[:12])
        assert (magic, version, length) == (b"glTF", 2, len(content))
        size, kind = struct.unpack("<I4s", content[12:20])
        assert kind == b"JSON"
        self.json = json.loads(content[20 : 20 + size])
        size_binary, kind = struct.unpack("<I4s", content[20 + size : 28 + size])
        assert kind == b"BIN\0"
        self.binary = content[28 + size : 28 + size + size_binary]
        self.nodes = {node["name"]: (k, node) for k, node in enumerate(self.json["nodes"])}

    def values(self, number: int) -> Array:
        """Return the numbers of an accessor."""
        accessor = self.json["accessors"][number]
        view = self.json["bufferViews"][accessor["bufferView"]]
        width, kind = WIDTH[accessor["type"]], COMPONENTS[accessor["componentType"]]
        found = np.frombuffer(self.binary, kind, accessor["count"] * width, view.get("byteOffset", 0))
        return found.reshape(-1, width) if width > 1 else found

    def channel(self, name: str, path: str) -> tuple[Array, Array, str]:
        """Return times, values at them and interpolation of what a node does; one time where it does nothing."""
        number, node = self.nodes[name]
        animation = self.json["animations"][0]
        for channel in animation["channels"]:
            if channel["target"] == {"node": number, "path": path}:
                sampler = animation["samplers"][channel["sampler"]]
                return self.values(sampler["input"]), self.values(sampler["output"]), sampler["interpolation"]
        rest = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}[path]
        return np.zeros(1), np.array([node.get(path, rest)], dtype=float), "LINEAR"

    def keys(self, name: str, path: str) -> tuple[Array, Array]:
        """Return the times of the keys and the values there."""
        times, values, kind = self.channel(name, path)
        return times.astype(float), values[1::3].astype(float) if kind == "CUBICSPLINE" else values.astype(float)

    def at(self, name: str, path: str, t: Array) -> Array:
        """Return what a viewer shows at given times."""
        times, values, kind = (x.astype(float) if isinstance(x, np.ndarray) else x for x in self.channel(name, path))
        t = np.clip(t, times[0], times[-1])
        if len(times) == 1:
            return np.tile(values, (len(t), 1))
        if kind == "CUBICSPLINE":
            assert np.array_equal(values[0::3], values[2::3])
            found = CubicHermiteSpline(times, values[1::3], values[0::3])(t)
            return found / np.linalg.norm(found, axis=1, keepdims=True) if path == "rotation" else found
        if path == "rotation":
            return np.asarray(Slerp(times, Rotation.from_quat(values))(t).as_quat())
        return np.column_stack([np.interp(t, times, column) for column in values.T])
