"""MP4 files (H.264), by the ffmpeg that the package imageio-ffmpeg brings."""

from __future__ import annotations

import importlib.util
from typing import Any

from multibody.errors import ModelError
from multibody.view.film.boxes import Pixels


def require_ffmpeg(file: str) -> None:
    """Say what is missing, before any work."""
    if importlib.util.find_spec("imageio_ffmpeg") is None:
        raise ModelError(".mp4 needs a further package (imageio-ffmpeg)", file=file, hint="pip install multibody[video]")


class Mp4:
    """Writes an MP4 file.

    Parameters
    ----------
    file : str
        Ends in ``.mp4``.
    size : (int, int)
        Width and height [pixels], even numbers.
    fps : float
    """

    def __init__(self, file: str, size: tuple[int, int], fps: float) -> None:
        import imageio_ffmpeg

        quality = ["-crf", "20", "-preset", "veryfast", "-tune", "animation", "-movflags", "+faststart"]
        self.sink: Any = imageio_ffmpeg.write_frames(
            file, size, pix_fmt_in="rgba", fps=fps, codec="libx264", quality=None, macro_block_size=2,
            output_params=quality, ffmpeg_log_level="error",
        )  # fmt: skip
        self.sink.send(None)

    def add(self, frame: Pixels) -> None:
        """Add a frame."""
        try:
            self.sink.send(frame)
        except OSError as error:  # ffmpeg ended; its own words follow a line with its command
            last = str(error).strip().splitlines()[-1:]
            raise ModelError(f"ffmpeg ended ({' '.join(last)})", hint="check the room on the disk") from None

    def close(self) -> None:
        """Let ffmpeg end."""
        self.sink.close()
