"""The table of MJCF files that other people wrote: files, read, refused and why, worst difference from MuJoCo; loops.

Run: ``python benchmarks/corpus_mjcf.py [--write docs/how-to/mjcf.md]``. Downloads as ``corpus.py`` does.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import multibody as mb  # noqa: E402
from files.robots import corpus  # noqa: E402
from files.robots.mjcf_corpus import LOOPS, loop_of, mjcf_files, worst_of  # noqa: E402

PACKAGES = ("gym-xarm", "gym-hil", "mujoco-warp", "genesis-world", "pybullet", "dart-doc")
BEGIN, END = "<!-- mjcf: begin -->", "<!-- mjcf: end -->"


def row(name: str, why: Counter[str]) -> list[str]:
    """Return the row of a package; reasons of refusals are counted in `why`."""
    place = corpus.fetch(name)
    files = mjcf_files(place) if place is not None else []
    worst, compared, read = 0.0, 0, 0
    for file in files:
        found = corpus.read(file)
        if found.model is None:
            why[found.reason] += 1
            continue
        read += 1
        try:
            difference = worst_of(file)
        except mb.ModelError:  # a robot is a tree, and some trees carry nothing
            continue
        if difference is not None:
            worst, compared = max(worst, difference), compared + 1
    told = [name, len(files), read, len(files) - read, compared, f"{worst:.0e}" if compared else ""]
    print(told, file=sys.stderr, flush=True)
    return [str(item) for item in told]


def lines() -> list[str]:
    """Return the tables as lines of Markdown."""
    why: Counter[str] = Counter()
    made = ["| package | files | read | refused | trees compared | worst difference |", "|---|---|---|---|---|---|"]
    made += [f"| {' | '.join(row(name, why))} |" for name in PACKAGES]
    made += ["", "| refused because | files |", "|---|---|"]
    made += [f"| {reason} | {count} |" for reason, count in why.most_common()]
    head = ("file", "bodies", "mobility", "redundant equations", "largest gap [m]", "in MuJoCo [m]")
    made += ["", f"| {' | '.join(head)} |", "|---|---|---|---|---|---|"]
    for name, end, until, push in LOOPS:
        place = corpus.fetch(name)
        file = next((path for path in mjcf_files(place) if str(path).endswith(end)), None) if place is not None else None
        if file is not None:
            found = loop_of(file, until, push).row()
            print(found, file=sys.stderr, flush=True)
            made.append(f"| {' | '.join(found)} |")
    return made


def main() -> None:
    """Print the tables, or put them into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a page with the marks that the tables stand between")
    page = parser.parse_args().write
    text = "\n".join(lines()) + "\n"
    if page is None:
        print(text)
        return
    before, rest = page.read_text().split(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{text}{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
