"""A device that there is not: its memory is the host's, and its modules do their work by the host's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody.specialize import cuda
from multibody.specialize.device import tiled, untiled
from multibody.specialize.program import TILE


class PretendedDevice:
    """A driver whose memory is the host's."""

    name, processors = "pretended", 1

    def __init__(self) -> None:
        self.memory: dict[int, bytearray] = {}
        self.given = 0

    def allocate(self, size: int) -> int:
        self.given += 1
        self.memory[self.given << 40] = bytearray(size)
        return self.given << 40

    def free(self, address: int) -> None:
        del self.memory[address]

    def put(self, address: int, source: int, size: int) -> None:
        self.memory[address][:size] = cuda.ctypes.string_at(source, size)

    def get(self, target: int, address: int, size: int) -> None:
        cuda.ctypes.memmove(target, bytes(self.memory[address][:size]), size)

    def at(self, address: int, size: int) -> bytes:
        """Return what lies at an address, which may be within what was allocated."""
        base = address >> 40 << 40
        return bytes(self.memory[base][address - base : address - base + size])

    def set(self, address: int, content: bytes) -> None:
        """Write something to an address."""
        base = address >> 40 << 40
        self.memory[base][address - base : address - base + len(content)] = content

    def clear(self, address: int, size: int) -> None:
        self.set(address, bytes(size))

    def finish(self) -> None:
        pass

    def use(self) -> None:
        pass


def pretended_module(codes: Sequence[Any], wrong_above: int) -> Any:
    """Return modules that do what the host's codes do, in the order in which they are loaded; wrongly at high levels."""
    count = 0

    class Module:
        limited = False

        def __init__(self, driver: Any, ptx: str, level: int) -> None:
            nonlocal count
            self.driver, self.level, self.code = driver, level, codes[count % len(codes)]
            count += 1

        def unload(self) -> None:
            pass

        def enqueue(
            self, addresses: list[int], count: int, t: float, h: float, asked: Sequence[int], block: int | None
        ) -> None:
            program, rows = self.code.program, -(-count // TILE) * TILE
            widths = [program.image.number_count, program.size, program.image.word_count]
            kinds: list[Any] = [float, float, np.int64]
            deep = [1, 1, 1]  # arrays of so many instants
            if program.results:
                widths, kinds, deep = [*widths, program.results], [*kinds, float], [*deep, 1]
            if program.kept:
                lengths = [program.kept.length(name) for name in program.kept.vectors]
                widths, kinds = [*widths, *lengths, *widths[1:3]], [*kinds, *(float,) * 4]
                deep, asked = [*deep, 1, 1, asked[1], asked[1]], (*asked[:3], count)
            found = []
            for address, width, kind, depth in zip(addresses, [*widths, 1], [*kinds, np.int64], [*deep, 1], strict=True):
                content = np.frombuffer(self.driver.at(address, 8 * depth * rows * width), kind)
                found.append([untiled(each, count) for each in content.reshape(depth, -1, width, TILE)])
            given = [np.ascontiguousarray(each) if n > 1 else each[0] for each, n in zip(found[:-1], deep, strict=True)]
            if program.kept:
                given[-2:] = [each.reshape(asked[1], count, -1) for each in given[-2:]]
            statuses = found[-1][0].reshape(-1)
            self.code.run((*given, statuses), t, h, *asked, threads=1)
            if self.level > wrong_above:
                given[-1 if program.results else 1].reshape(count, -1)[:, 0] += 1e-6
            shapes = zip([*deep[1:], 1], [*widths[1:], 1], strict=True)
            for address, each, (depth, width) in zip(addresses[1:], [*given[1:], statuses], shapes, strict=True):
                content = b"".join(tiled(instant).tobytes() for instant in each.reshape(depth, count, width))
                self.driver.set(address, content)

    return Module
