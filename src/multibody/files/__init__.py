"""How models come in and go out: reading and writing model files."""
