"""A palette of 255 colors for a whole film, so that nothing flickers from frame to frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.view.film.boxes import Pixels

COLORS = 255  # the last index means "as before"
EXACT = 64  # colors that are kept as they are: the most frequent
MOST_WEIGHT = 40

Bins = npt.NDArray[np.uint32]


class Palette:
    """Colors that suit some frames, and the nearest of them for any pixel.

    The most frequent colors (paper, faces of links) are kept as they are; the rest is shared out among the others, each
    counted by the root of its number so that thin lines get their colors too. Colors that agree in their upper six bits are
    taken for one.

    Parameters
    ----------
    samples : sequence of arrays (h, w, 4)
    """

    def __init__(self, samples: Sequence[Pixels]) -> None:
        from scipy.spatial import cKDTree

        colors, counts = np.unique(np.concatenate([_numbers(frame.reshape(-1, 4)) for frame in samples]), return_counts=True)
        order = np.argsort(-counts, kind="stable")
        colors, counts = _parts(colors[order]), counts[order]
        first = np.sort(np.unique(_bins(colors), return_index=True)[1])  # the most frequent color of every bin
        exact = first[:EXACT]
        rest = ~np.isin(_bins(colors), _bins(colors[exact]))
        self.colors = np.vstack([colors[exact], _shared_out(colors[rest], counts[rest], COLORS - len(exact))])
        self.tree: Any = cKDTree(self.colors.astype(float))
        self.known = np.full(1 << 18, -1, dtype=np.int16)  # index of every bin that was met
        self.known[_bins(colors[first])] = self._nearest(colors[first])

    def indices(self, pixels: Pixels) -> Pixels:
        """Return the index of the nearest color for every pixel (n, 4) → (n,)."""
        bins = _bins(pixels)
        found = self.known[bins]
        if np.any(found < 0):
            new = np.unique(bins[found < 0])
            middles = np.stack([(new >> 12) & 63, (new >> 6) & 63, new & 63], axis=1) * 4 + 2
            self.known[new] = self._nearest(middles)
            found = self.known[bins]
        return found.astype(np.uint8)

    def table(self) -> bytes:
        """Return 256 colors of three bytes."""
        return bytes(self.colors.astype(np.uint8).tobytes().ljust(3 * 256, b"\0"))

    def _nearest(self, colors: npt.NDArray[Any]) -> npt.NDArray[np.int16]:
        return np.asarray(self.tree.query(colors.astype(float))[1]).astype(np.int16)


def _shared_out(colors: Pixels, counts: npt.NDArray[Any], room: int) -> Pixels:
    """Return so many colors at most that stand for given ones (median cut)."""
    from PIL import Image

    if len(colors) <= room:
        return colors
    weights = np.minimum(np.ceil(np.sqrt(counts)).astype(int), MOST_WEIGHT)
    made = Image.fromarray(np.repeat(colors, weights, axis=0)[None]).quantize(room, method=Image.Quantize.MEDIANCUT, kmeans=1)
    palette = made.getpalette()
    return np.array(palette, dtype=np.uint8).reshape(-1, 3)[:room]


def _numbers(pixels: Pixels) -> Bins:
    """Return the colors of pixels as one number each."""
    wide = pixels.astype(np.uint32)
    return np.asarray((wide[:, 0] << 16) | (wide[:, 1] << 8) | wide[:, 2])


def _parts(colors: Bins) -> Pixels:
    """Return colors as rows of red, green and blue."""
    return np.stack([(colors >> 16) & 255, (colors >> 8) & 255, colors & 255], axis=1).astype(np.uint8)


def _bins(pixels: Pixels) -> Bins:
    """Return the upper six bits of red, green and blue as one number each."""
    wide = (pixels >> 2).astype(np.uint32)
    return np.asarray((wide[:, 0] << 12) | (wide[:, 1] << 6) | wide[:, 2])
