"""Calls of the command line in a process of their own: with a time limit, and an answer or one sentence."""

from __future__ import annotations

import csv
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from multibody.agent.bounded import bounded
from multibody.agent.folder import Folder
from multibody.errors import ModelError

MOST_TEXT = 1_000_000  # characters of a model that is given as text
GRACE = 5.0  # seconds that a run has to print what it has when its time is over
LONGEST = 1e6  # seconds that a process may be left alone
LEFT_OUT = 400  # characters of an error that are told


@dataclass(frozen=True)
class Limits:
    """What a call may take.

    Attributes
    ----------
    seconds : float
        Time, after which it is ended; what it has is told.
    characters : int
        Of an answer, as JSON.
    """

    seconds: float = 60.0
    characters: int = 50_000


class Caller:
    """Calls verbs of the command line for a folder.

    Parameters
    ----------
    folder : Folder
    limits : Limits
    """

    def __init__(self, folder: Folder, limits: Limits) -> None:
        self.folder, self.limits = folder, limits

    def ask(
        self, verb: str, model: str, text: str, options: Sequence[str], paths: Sequence[str] = (), save: str = ""
    ) -> dict[str, Any]:
        """Return what a verb prints as JSON, bounded.

        Parameters
        ----------
        verb : str
        model, text : str
            The name of a model, or the text of a model file.
        options : sequence of str
            Further arguments of the command.
        paths : sequence of str
            Paths whose values over time are wanted.
        save : str
            A new file of the folder to write.

        Raises
        ------
        ModelError
            One sentence: what the command says, or that the time was over.
        """
        with tempfile.TemporaryDirectory(prefix="multibody-") as private:
            own = os.path.realpath(private)
            source = self._source(model, text, own)
            target = self.folder.target(save, SAVED) if save else None
            table = pathlib.Path(own, "curves.csv")
            outs = [f"--out={file}" for file in (target, table if paths else None) if file is not None]
            found = self._run([verb, source, *options, *outs, "--json"], own)
            if paths and table.is_file():
                found["curves"] = curves(table, paths)
            if target is not None and target.is_file():
                found["written"] = save
            return bounded(self._named(found, own), self.limits.characters)

    def print(self, *arguments: str) -> dict[str, Any]:
        """Return what a verb without a model prints as JSON, bounded."""
        with tempfile.TemporaryDirectory(prefix="multibody-") as private:
            return bounded(self._run([*arguments, "--json"], os.path.realpath(private)), self.limits.characters)

    def _source(self, model: str, text: str, private: str) -> str:
        """Return what names the model to the command."""
        if bool(model) == bool(text):
            raise ModelError("give a model or a text, one of them", where="model", hint='model="four-bar", or text="name: ..."')
        if model:
            return self.folder.model(model)
        if len(text) > MOST_TEXT:
            raise ModelError(f"it has {len(text)} characters", where="text", hint=f"{MOST_TEXT} are allowed")
        file = pathlib.Path(private, "model.json" if text.lstrip().startswith("{") else "model.yaml")
        file.write_text(text, encoding="utf-8")
        return str(file)

    def _run(self, arguments: list[str], private: str) -> dict[str, Any]:
        """Run the command and return its JSON; at the time limit it is interrupted, as by Ctrl-C, and then ended."""
        longest = math.ceil(min(self.limits.seconds, LONGEST) + 2.0 * GRACE)
        head = [sys.executable, "-m", "multibody.agent.child", str(self.folder.path), private]
        head += [str(int(self.folder.writes)), str(longest)]
        started = subprocess.Popen(
            [*head, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            encoding="utf-8", errors="replace", cwd=private, env={**os.environ, "TMPDIR": private, "MPLCONFIGDIR": private},
        )  # fmt: skip
        late = False
        try:
            out, err = started.communicate(timeout=self.limits.seconds)
        except subprocess.TimeoutExpired:
            late = True
            started.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
            try:
                out, err = started.communicate(timeout=GRACE)
            except subprocess.TimeoutExpired:
                started.kill()
                out, err = started.communicate()
        except BaseException:
            started.kill()
            raise
        return self._answer(out, err, private, late)

    def _answer(self, out: str, err: str, private: str, late: bool) -> dict[str, Any]:
        """Return the JSON that was printed, or raise what was said in its place."""
        ended = f"it was ended after {self.limits.seconds:g} s, the time limit of a call"
        try:
            found = json.loads(out)
        except ValueError:
            found = None
        if isinstance(found, dict):
            return {"ended": f"{ended}; what was computed until then is here"} | found if late else found
        if late:
            raise ModelError(ended, hint="ask for a shorter time, fewer steps or a coarser output step")
        lines = [line for line in err.strip().splitlines() if line.startswith("error: ")] or err.strip().splitlines()[-1:]
        said = (lines or ["error: the command gave no answer"])[-1].removeprefix("error: ")
        raise ModelError(self._shown(said, private)[:LEFT_OUT])

    def _named(self, data: Any, private: str) -> Any:
        """Return data in which files are named as seen from the folder."""
        if isinstance(data, dict):
            return {key: self._named(value, private) for key, value in data.items()}
        if isinstance(data, list):
            return [self._named(item, private) for item in data]
        return self._shown(data, private) if isinstance(data, str) else data

    def _shown(self, text: str, private: str) -> str:
        """Return a text without the places of folders on this machine."""
        for place, name in ((f"{private}{os.sep}", ""), (private, "text"), (f"{self.folder.path}{os.sep}", "")):
            text = text.replace(place, name)
        return text.replace(str(self.folder.path), "the folder")


SAVED = (".csv", ".mat", ".nc", ".parquet", ".json", ".html", ".png", ".svg", ".glb")


def curves(file: pathlib.Path, paths: Sequence[str]) -> dict[str, Any]:
    """Return values over time of some paths from a table of a run.

    Raises
    ------
    ModelError
        If the table has no such path.
    """
    with open(file, newline="", encoding="utf-8") as opened:
        head, *rows = (row for row in csv.reader(opened) if not row[0].startswith("#"))
    units = {name: unit.removesuffix("]") for name, _, unit in (column.partition(" [") for column in head)}
    names = list(units)
    found: dict[str, Any] = {}
    for path in ("time", *paths):
        if path not in units:
            known = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
            raise ModelError(f'the table has no path "{path}"', where="paths", hint=f"it has {known}")
        k = names.index(path)
        values = [float(row[k]) for row in rows]
        found[path] = {"unit": units[path], "values": [x if x - x == 0.0 else None for x in values]}
    return found
