"""WebP files without loss: of every frame only the box that changed, in it what is the same left transparent.

The container is written here, frame by frame, so that memory does not grow with the film; Pillow packs the pixels (VP8L).
"""

from __future__ import annotations

import struct
from io import BytesIO
from typing import IO

from multibody.view.film.boxes import Pixels, changed_box

ANIMATED = 0x12  # a file with frames that have transparent pixels
BLENDED = 0x00  # a frame lies on the one before, which shows where it is transparent


class WebP:
    """Writes an animated WebP file.

    Parameters
    ----------
    file : binary file
        At its beginning.
    size : (int, int)
        Width and height [pixels].
    fps : float
    loop : bool
        Whether players repeat it.
    """

    def __init__(self, file: IO[bytes], size: tuple[int, int], fps: float, loop: bool) -> None:
        self.file, self.fps, self.shown = file, fps, 0
        self.before: Pixels | None = None
        self.file.write(b"RIFF\0\0\0\0WEBP")  # the length follows at the end
        self._chunk(b"VP8X", struct.pack("<I", ANIMATED) + _three(size[0] - 1) + _three(size[1] - 1))
        self._chunk(b"ANIM", struct.pack("<IH", 0xFFFFFFFF, 0 if loop else 1))

    def add(self, frame: Pixels) -> None:
        """Add a frame."""
        (left, top), box, changed = changed_box(self.before, frame, even=True)
        new = frame[box] * changed[..., None]  # transparent where it is the same
        self.before = frame
        ends = [round(1000.0 * (self.shown + k) / self.fps) for k in (0, 1)]
        self.shown += 1
        height, width = new.shape[:2]
        head = b"".join(map(_three, (left // 2, top // 2, width - 1, height - 1, ends[1] - ends[0])))
        self._chunk(b"ANMF", head + bytes([BLENDED]) + _packed(new))

    def _chunk(self, name: bytes, content: bytes) -> None:
        self.file.write(name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2))

    def finish(self) -> None:
        """Write how long it all is."""
        length = self.file.tell() - 8
        self.file.seek(4)
        self.file.write(struct.pack("<I", length))


def _packed(pixels: Pixels) -> bytes:
    """Return the chunk of a still picture without loss."""
    from PIL import Image

    made = BytesIO()
    Image.fromarray(pixels).save(made, "WEBP", lossless=True, method=1, quality=50)
    content = made.getvalue()[12:]  # behind RIFF, length and WEBP
    if content[:4] == b"VP8X":  # Pillow says so where there is transparency; an animation has said it once
        content = content[8 + struct.unpack("<I", content[4:8])[0] :]
    return content


def _three(number: int) -> bytes:
    """Return a number in three bytes."""
    return number.to_bytes(3, "little")
