"""The command line: ``multibody VERB MODEL``. Nothing is imported here, so that the process starts fast."""

from __future__ import annotations


def main() -> None:
    """Run the command ``multibody``."""
    import atexit
    import gc

    from multibody import kernels

    gc.set_threshold(50_000, 20, 20)  # imports make many objects that stay; to look through them again and again takes 0.1 s
    atexit.register(gc.freeze)  # and once more at the end, where nothing is gained by it, 0.15 s
    kernels.ALONE = True
    from multibody.cli.app import run

    run()
