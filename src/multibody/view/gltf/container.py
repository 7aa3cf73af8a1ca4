"""The binary glTF 2.0 container: one JSON chunk that says what there is, one binary chunk with all numbers.

Nothing here knows mechanisms. Numbers are single precision, indices as short as they can be; views lie at multiples of four
bytes, and positions and times have their least and greatest values, as the format asks for.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.view.geometry import Floats

SINGLE, SHORT, LONG = 5126, 5123, 5125  # kinds of components
VERTICES, INDICES = 34962, 34963  # what a view is for
MOST_SHORT = 65534  # greatest index that a short can be (65535 means a new strip)
LINES = 3  # mode of a primitive: a line through all points

Entry = dict[str, Any]


class Glb:
    """A glTF asset that is put together piece by piece; every method returns the number of what it added."""

    def __init__(self, generator: str) -> None:
        self.asset: Entry = {"version": "2.0", "generator": generator}
        self.lists: dict[str, list[Entry]] = {}
        self.binary = bytearray()
        self.roots: list[int] = []
        self.known: dict[tuple[bytes, str, int | None], int] = {}  # accessors by what they hold: equal links share theirs

    def add(self, kind: str, entry: Entry) -> int:
        """Add an entry to one of the lists of the asset (nodes, meshes, materials …)."""
        self.lists.setdefault(kind, []).append(entry)
        return len(self.lists[kind]) - 1

    def floats(self, values: Floats, *, vertices: bool = False, bounded: bool = False) -> int:
        """Add an accessor of single-precision numbers (n,), (n, 3) or (n, 4)."""
        data = np.ascontiguousarray(values, dtype=np.float32)
        kind = "SCALAR" if data.ndim == 1 else f"VEC{data.shape[1]}"
        entry: Entry = {"componentType": SINGLE, "count": len(data), "type": kind}
        if bounded:
            columns = data.reshape(len(data), -1)
            entry |= {"min": columns.min(axis=0).tolist(), "max": columns.max(axis=0).tolist()}
        return self._accessor(data.tobytes(), entry, VERTICES if vertices else None)

    def indices(self, triangles: npt.NDArray[Any]) -> int:
        """Add an accessor of the corners of triangles (n, 3)."""
        flat = triangles.reshape(-1)
        short = int(flat.max()) <= MOST_SHORT
        data = flat.astype(np.uint16 if short else np.uint32)
        entry = {"componentType": SHORT if short else LONG, "count": len(data), "type": "SCALAR"}
        return self._accessor(data.tobytes(), entry, INDICES)

    def _accessor(self, content: bytes, entry: Entry, target: int | None) -> int:
        """Add an accessor, or return the one that holds the same."""
        key = (content, str(entry), target)
        if key not in self.known:
            self.known[key] = self.add("accessors", {"bufferView": self._view(content, target), **entry})
        return self.known[key]

    def _view(self, content: bytes, target: int | None) -> int:
        """Add a piece of the binary chunk."""
        entry: Entry = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(content)}
        if target is not None:
            entry["target"] = target
        self.binary += content + b"\0" * (-len(content) % 4)
        return self.add("bufferViews", entry)

    def content(self) -> bytes:
        """Return the whole file."""
        told: Entry = {"asset": self.asset, "scene": 0, "scenes": [{"nodes": self.roots}], **self.lists}
        told["buffers"] = [{"byteLength": len(self.binary)}]
        text = json.dumps(told, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        chunks = _chunk(b"JSON", text) + _chunk(b"BIN\0", bytes(self.binary))
        return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def _chunk(kind: bytes, content: bytes) -> bytes:
    """Return a chunk with its length."""
    return struct.pack("<I", len(content)) + kind + content
