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

    def finish(self) -> None:
        pass

    def use(self) -> None:
        pass


def pretended_module(codes: Sequence[Any], wrong_above: int) -> Any:
    """Return modules that do what the host's codes do, in the order in which they are loaded; wrongly at high levels."""
    count = 0

    class Module:
        def __init__(self, driver: Any, ptx: str, level: int) -> None:
            nonlocal count
            self.driver, self.level, self.code = driver, level, codes[count % len(codes)]
            count += 1

        def unload(self) -> None:
            pass

        def enqueue(self, addresses: list[int], count: int, t: float, h: float, k: int, block: int) -> None:
            program = self.code.program
            widths = (program.image.number_count, program.size, program.image.word_count, program.results, 1)
            widths = widths if len(addresses) == 5 else (*widths[:3], 1)
            kinds = (float, float, np.int64, float)[: len(addresses) - 1] + (np.int64,)
            found = []
            for address, width, kind in zip(addresses, widths, kinds, strict=True):
                content = np.frombuffer(bytes(self.driver.memory[address]), kind)
                found.append(untiled(content[: -(-count // TILE) * TILE * width].reshape(-1, width, TILE), count))
            self.code.run((*found[:-1], found[-1].reshape(-1)), t, h, k, 1)
            if self.level > wrong_above:
                found[-2 if len(addresses) == 5 else 1].reshape(count, -1)[:, 0] += 1e-6
            for address, rows in zip(addresses[1:], found[1:], strict=True):
                content = tiled(rows).tobytes()
                self.driver.memory[address][: len(content)] = content

    return Module
