"""The command line: ``multibody VERB MODEL``. Nothing is imported here, so that the process starts fast."""

from __future__ import annotations


def main() -> None:
    """Run the command ``multibody``."""
    from multibody.cli.app import run

    run()
