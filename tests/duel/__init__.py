"""Random mechanisms against an independent program."""
