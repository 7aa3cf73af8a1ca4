"""The errors a user meets, and the words they are told in.

Every message reads ``where: what is wrong; what would mend it``. A model error says where in the user's own names
(``joint "A"``), and in which line of which file whenever that is known.
"""

from __future__ import annotations

import difflib
import functools
import textwrap
from collections.abc import Iterable

__all__ = ["AnalysisError", "MassError", "ModelError", "ModelErrors", "RobotNote", "close_match", "nearest", "words"]

SHOWN = 10
"""How many faults of one file are printed before the rest is only counted."""

LONGEST_WORD, MANY, TRIED = 100, 300, 8  # letters of a word that is compared; choices of which not all are; those that are

# Sections whose entries have one name, which may be followed by fields.
_NAMED = {
    "bodies": "body",
    "events": "event",
    "forces": "force",
    "frames": "frame",
    "joints": "joint",
    "outputs": "output",
    "parameters": "parameter",
    "tables": "table",
}
# Sections whose keys are paths of their own ("O.rate"): everything that follows is one name.
_PATHS = {"guess": "guess", "initial": "initial", "motions": "motion"}
_SECTIONS = {*_NAMED, *_PATHS, "ground", "include", "repeat", "units"}


def words(where: str) -> str:
    """Say a path of the model in words.

    Parameters
    ----------
    where : str
        A dotted path such as ``joints.A`` or ``bodies.rod.frames.small``; items of lists are counted from 0.

    Returns
    -------
    str
        The same place for a reader: ``joint "A"``, ``body "rod", frame "small"``. What does not begin with a section of a
        model stays as it is: ``slider.x``.
    """
    said: list[str] = []
    parts = where.split(".") if where else []
    if parts and parts[0] not in _SECTIONS and not any(part.isdecimal() for part in parts):
        return where  # a path or an option, as the user wrote it: slider.xx, run.until
    while parts:
        head = parts.pop(0)
        if head in _PATHS and parts:
            said.append(f'{_PATHS[head]} "{".".join(parts)}"')
            parts = []
        elif head in _NAMED and parts:
            said.append(f'{_NAMED[head]} "{parts.pop(0)}"')
        elif head == "ground" and parts and not said:
            said.append(head)
            # On ground the frames stand directly in the section, as in `ground: {seat: [0, 1]}`.
            if parts[0] != "frames":
                parts.insert(0, "frames")
        elif head == "repeat" and parts and parts[0].isdecimal():
            said.append(f"repeat {int(parts.pop(0)) + 1}")
        elif head.isdecimal():
            said.append(f"item {int(head) + 1}")
        else:
            said.append(head)
    return ", ".join(said)


def nearest(word: str, choices: Iterable[str]) -> str:
    """Guess which name was meant.

    Parameters
    ----------
    word : str
        What was written.
    choices : iterable of str
        What could have been written.

    Returns
    -------
    str
        ``did you mean "pin"?``, or an empty string when no choice is close. Case is not counted as a difference.
    """
    folded = _folded(tuple(choices))
    found = close_match(word.casefold(), tuple(folded))
    return f'did you mean "{folded[found]}"?' if found is not None else ""


@functools.lru_cache(maxsize=4)
def _folded(choices: tuple[str, ...]) -> dict[str, str]:
    """Return the choices by their small letters."""
    folded: dict[str, str] = {}
    for choice in choices:
        folded.setdefault(choice.casefold(), choice)
    return folded


def close_match(word: str, choices: tuple[str, ...]) -> str | None:
    """Return the choice that looks most like a word, None if nothing does; quick however many words and choices there are."""
    if len(word) > LONGEST_WORD:
        return None
    if len(choices) > MANY:
        choices = _sharing(word, choices)
    found = difflib.get_close_matches(word, choices, n=1, cutoff=0.6)
    return found[0] if found else None


def _sharing(word: str, choices: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of many choices that share most pairs of letters with a word; pairs that nearly all have tell nothing."""
    index = _pairs_of(choices)
    shared: dict[str, int] = {}
    for places in sorted((index[pair] for pair in _pairs(word) if pair in index), key=len):
        for choice in places if len(places) <= MANY or not shared else ():
            shared[choice] = shared.get(choice, 0) + 1
    return tuple(sorted(shared, key=lambda choice: -shared[choice])[:TRIED])


def _pairs(word: str) -> set[str]:
    """Return all pairs of letters that follow each other, the ends of the word as letters too."""
    padded = f"^{word}$"
    return {padded[k : k + 2] for k in range(len(padded) - 1)}


@functools.lru_cache(maxsize=4)
def _pairs_of(choices: tuple[str, ...]) -> dict[str, list[str]]:
    """Return for each pair of letters the choices that have it; lists of names are asked again and again."""
    index: dict[str, list[str]] = {}
    for choice in choices:
        for pair in _pairs(choice[:LONGEST_WORD]):
            index.setdefault(pair, []).append(choice)
    return index


class ModelError(ValueError):
    """A fault in what the user wrote.

    Its text is ``FILE:LINE: WHERE: PROBLEM; HINT``; the parts that are not known are left out.

    Parameters
    ----------
    problem : str
        What is wrong, without a final period.
    where : str
        The place as a path of the model (``joints.A``); printed in words (``joint "A"``).
    hint : str
        What would mend it.
    file : str, optional
        The file the fault stands in.
    line : int, optional
        Its line, counted from 1.
    detail : str
        Further lines, such as the source with carets below it; printed below the sentence, indented.
    """

    def __init__(
        self,
        problem: str,
        *,
        where: str = "",
        hint: str = "",
        file: str | None = None,
        line: int | None = None,
        detail: str = "",
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.where = where
        self.hint = hint
        self.file = file
        self.line = line
        self.detail = detail

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        sentence = f"{self.problem}; {self.hint}" if self.hint else self.problem
        text = ": ".join(part for part in (place, words(self.where), sentence) if part)
        return f"{text}\n{textwrap.indent(self.detail, '    ')}" if self.detail else text

    def located(self, file: str | None, line: int | None) -> ModelError:
        """Return a copy that knows its file and line.

        Parameters
        ----------
        file : str or None
            The file, used where the error does not name one already.
        line : int or None
            The line from 1, used where the error does not have one already.

        Returns
        -------
        ModelError
            The located copy.
        """
        return type(self)(
            self.problem,
            where=self.where,
            hint=self.hint,
            file=self.file if self.file is not None else file,
            line=self.line if self.line is not None else line,
            detail=self.detail,
        )


class MassError(ModelError):
    """Masses that the model does not state: what needs none, such as kinematics, can be done all the same."""


class RobotNote(UserWarning):
    """What a robot file has and its model has not, or the other way round."""


class ModelErrors(ModelError):  # noqa: N818 (the plural says what it is)
    """Several faults found in one go.

    The attributes of a single error (``where``, ``hint``, ``file``, ``line``) are those of the first one.

    Parameters
    ----------
    errors : iterable of ModelError
        The faults, at least one. Those that hold several themselves are taken apart.
    """

    def __init__(self, errors: Iterable[ModelError]) -> None:
        self.errors: list[ModelError] = []
        for error in errors:
            self.errors.extend(error.errors if isinstance(error, ModelErrors) else [error])
        if not self.errors:
            raise ValueError("ModelErrors needs at least one error")
        first = self.errors[0]
        super().__init__(
            first.problem, where=first.where, hint=first.hint, file=first.file, line=first.line, detail=first.detail
        )
        self.args = (self.errors,)  # what pickle passes to __init__ when the error comes from another process

    def __str__(self) -> str:
        shown = [str(error) for error in self.errors[:SHOWN]]
        hidden = len(self.errors) - len(shown)
        return "\n".join([*shown, f"(+{hidden} more)"] if hidden else shown)

    def located(self, file: str | None, line: int | None) -> ModelErrors:
        """Return a copy in which every fault knows its file and line, where it names none already."""
        return ModelErrors(error.located(file, line) for error in self.errors)


class AnalysisError(RuntimeError):
    """An analysis that could not be done.

    Parameters
    ----------
    message : str
        What happened and what would help.
    status : object
        The status of the analysis as far as it came, kept in the attribute of the same name.
    """

    def __init__(self, message: str, status: object = None) -> None:
        super().__init__(message)
        self.status = status
