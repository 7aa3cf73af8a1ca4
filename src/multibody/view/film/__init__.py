"""Films of a run: moving pictures as GIF, WebP, MP4 or numbered PNG files."""
