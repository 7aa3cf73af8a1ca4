"""GIF files: one palette for the whole film, and of every frame only what is new.

The container is written here, frame by frame, so that memory does not grow with the film; Pillow packs the pixels (LZW).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import IO

import numpy as np

from multibody.view.film.boxes import Pixels, changed_box
from multibody.view.film.palette import COLORS, Palette

SHORTEST_DELAY = 2  # players take shorter ones for a mistake [1/100 s]
TABLE_OF_256 = 0xF7  # a table of 256 colors of 8 bits follows
KEEP = 1  # leave a frame where it is for the next


class Gif:
    """Writes a GIF file.

    Parameters
    ----------
    file : binary file
    samples : sequence of arrays (h, w, 4)
        Some of the frames, from which the palette is made.
    fps : float
    loop : bool
        Whether players repeat it.
    """

    def __init__(self, file: IO[bytes], samples: Sequence[Pixels], fps: float, loop: bool) -> None:
        self.file, self.palette, self.fps, self.shown = file, Palette(samples), fps, 0
        self.before: Pixels | None = None
        height, width = samples[0].shape[:2]
        self.file.write(b"GIF89a" + struct.pack("<HHBBB", width, height, TABLE_OF_256, 0, 0) + self.palette.table())
        if loop:
            self.file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")

    def add(self, frame: Pixels) -> None:
        """Add a frame: the box that changed, with what is the same in it transparent."""
        from PIL import GifImagePlugin, Image

        corner, box, changed = changed_box(self.before, frame)
        self.before = frame
        new = np.full(changed.shape, COLORS, dtype=np.uint8)
        new[changed] = self.palette.indices(frame[box][changed])
        options = {"duration": 10 * self._delay(), "transparency": COLORS, "disposal": KEEP}
        for part in GifImagePlugin.getdata(Image.fromarray(new), corner, **options):
            self.file.write(part)

    def _delay(self) -> int:
        """Return how long the next frame is shown [1/100 s], so that the sum is right."""
        ends = [round(100.0 * (self.shown + k) / self.fps) for k in (0, 1)]
        self.shown += 1
        return max(SHORTEST_DELAY, ends[1] - ends[0])

    def finish(self) -> None:
        """Write the end."""
        self.file.write(b"\x3b")
