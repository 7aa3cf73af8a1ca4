"""What is wrong with a text that is not YAML, said for the person who wrote it.

The parser knows where it stumbled and which token it wanted. The cause is usually one of a handful of slips, some of
them on an earlier line; the rules below look for each slip in the source itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import yaml

__all__ = ["SyntaxFault", "explain"]

_CLOSER = {"[": "]", "{": "}"}
_SHOWN_COLUMNS = 100
_NO_SPACE = re.compile(r"\s*(?:- +)*([\w.$]+):([^\s:].*)")
_COLON = re.compile(r":(\s|\Z)")
_COUNTER = re.compile(r"\{(\w+)\}")
_WORD_BEFORE = re.compile(r"[\w.$]*\Z")


class SyntaxFault(NamedTuple):
    """A fault of the text: its line (from 1), what is wrong, what would mend it, and the source with a caret."""

    line: int
    problem: str
    hint: str
    detail: str


class _Slip(NamedTuple):
    """The index of the character to point at, what is wrong, what would mend it."""

    at: int
    problem: str
    hint: str


@dataclass(frozen=True)
class _Stumble:
    """Where and over what the parser stumbled."""

    text: str
    context: str
    problem: str
    at: int  # index of the token that did not fit
    opened: int  # index where the construct began that it did not fit into

    @property
    def char(self) -> str:
        return self.text[self.at : self.at + 1]

    @property
    def found(self) -> str:
        """The parser's name for the token that did not fit: a character or a word in angle brackets."""
        match = re.search(r"(?:found|got) '(.+)'\Z", self.problem)
        return match.group(1) if match else ""

    def line_of(self, index: int) -> int:
        """Line number, from 1, of the character at an index."""
        return self.text.count("\n", 0, index) + 1

    def line_start(self, index: int) -> int:
        return self.text.rfind("\n", 0, index) + 1

    def source(self, index: int) -> str:
        """Return the whole line around an index."""
        end = self.text.find("\n", index)
        return self.text[self.line_start(index) : end if end >= 0 else len(self.text)]

    def line_above(self, index: int) -> int:
        """Index of the start of the nearest line above that holds something, or -1."""
        start = self.line_start(index)
        while start > 0:
            start = self.line_start(start - 1)
            content = self.source(start).strip()
            if content and not content.startswith("#"):
                return start
        return -1


def _tab(s: _Stumble) -> _Slip | None:
    if s.char != "\t":
        return None
    return _Slip(s.at, "a tab stands where only spaces may", "indent and separate with spaces")


def _first_character(s: _Stumble) -> _Slip | None:
    if "cannot start any token" in s.problem:
        index = s.at
    elif any(word in s.context for word in ("an alias", "an anchor", "a block scalar")):
        index = s.opened
    else:
        return None
    return _Slip(index, f'a value cannot begin with "{s.text[index]}"', "put the value in quotes")


def _tag(s: _Stumble) -> _Slip | None:
    if not ("a tag" in s.context or "tag handle" in s.problem):
        return None
    return _Slip(s.opened, "tags (!) are not read", "remove the tag; text that begins with ! goes in quotes")


def _quotes(s: _Stumble) -> _Slip | None:
    if "quoted scalar" not in s.context:
        return None
    if "escape" in s.problem or "hexadecimal" in s.problem:
        problem = f'"\\{s.char}" is no escape of a text in double quotes'
        return _Slip(s.at, problem, "write \\\\ for one backslash, or use single quotes")
    return _Slip(s.opened, f"the quote {s.text[s.opened]} opened here is not closed", "add the closing quote")


def _directive(s: _Stumble) -> _Slip | None:
    started_by_percent = "<document start>" in s.problem and s.text.lstrip().startswith("%")
    if not ("directive" in s.context + s.problem or "YAML document (version" in s.problem or started_by_percent):
        return None
    return _Slip(max(s.text.find("%"), 0), "lines beginning with % are not read", "remove the line")


def _missing_space(s: _Stumble) -> _Slip | None:
    if not ("expected ':'" in s.problem or "mapping values" in s.problem):
        return None
    for index in (s.opened, s.at, s.line_above(s.at)):
        match = _NO_SPACE.fullmatch(s.source(index)) if index >= 0 else None
        if match:
            key, value = match.groups()
            after = s.line_start(index) + match.start(2)
            return _Slip(after, "a space is missing after the colon", f'write "{key}: {value.strip()}"')
    return None


def _key(s: _Stumble) -> _Slip | None:
    if "expected ':'" in s.problem:
        return _no_entry(s.opened)
    if "mapping values" not in s.problem:
        return None
    if re.search(r":\s", s.text[s.line_start(s.at) : s.at]):
        return _Slip(s.at, 'a second ": " in one value', "put the value in quotes, or begin a new line")
    above = s.line_above(s.at)
    if above >= 0 and not _COLON.search(s.source(above)):
        return _no_entry(above)
    problem = "this line is indented deeper than the line above, which has its value already"
    return _Slip(s.at, problem, "indent the entries of one map equally")


def _no_entry(at: int) -> _Slip:
    hint = "write it so, or put text that runs over several lines in quotes"
    return _Slip(at, 'this line is not of the form "key: value"', hint)


def _dash(s: _Stumble) -> _Slip | None:
    if "sequence entries" not in s.problem:
        return None
    problem = 'a list item "- ..." cannot stand on the line of its key'
    return _Slip(s.at, problem, "begin a new line, or write the list as [ ... ]")


def _glued_bracket(s: _Stumble) -> _Slip | None:
    """Find an opening bracket right behind a word inside a flow collection: planet{k}, norm([a, b])."""
    if "a flow " not in s.context or s.char not in ("[", "{") or s.text[s.at - 1] in " \n,[{:":
        return None
    word = _WORD_BEFORE.search(s.source(s.at)[: s.at - s.line_start(s.at)])
    counter = _COUNTER.match(s.text, s.at)
    if counter and word:
        k = counter.group(1)
        hint = f"the counter of a repeat is written ${k}, as in {word.group()}${k}"
        return _Slip(s.at, "braces cannot stand in a name inside [ ] or { }", hint)
    problem = f'inside [ ] or {{ }} this "{s.char}" of an expression is taken for a new list or map'
    return _Slip(s.at, problem, "put the whole expression in quotes")


def _brackets(s: _Stumble) -> _Slip | None:
    """Find brackets that are not closed, or closed by the wrong one."""
    if "a flow " not in s.context:
        return None
    opened = s.opened
    if "node" in s.context:
        if s.found != "<stream end>":
            return None
        still_open = _open_brackets(s.text)
        opened = still_open[-1] if still_open else s.opened
    bracket = s.text[opened : opened + 1]
    closer = _CLOSER.get(bracket)
    if closer is None:
        return None
    if s.char in ("]", "}") and s.char != closer:
        place = f"line {s.line_of(opened)}" if s.line_of(opened) != s.line_of(s.at) else "this line"
        problem = f'a "{bracket}" opened on {place} is closed by "{s.char}"'
        return _Slip(s.at, problem, f'close it by "{closer}"')
    if opened in _open_brackets(s.text[opened:], shift=opened):
        return _Slip(opened, f'the "{bracket}" opened here is not closed', f'add "{closer}"')
    return None


def _no_key(s: _Stumble) -> _Slip | None:
    if s.found != ":" or s.text[: s.at].rstrip(" ")[-1:] not in ("", "\n", ",", "{"):
        return None
    return _Slip(s.at, "no key stands before this colon", "write the key")


def _comma(s: _Stumble) -> _Slip | None:
    if "a flow " not in s.context:
        return None
    if s.found == ",":
        return _Slip(s.at, "nothing stands before this comma", "remove the comma, or write what is missing")
    if s.found == "?":
        return _Slip(s.at, 'a "?" cannot stand inside [ ] or { }', "put the text in quotes")
    hint = 'separate entries by commas; put text that holds quotes, brackets or ": " in quotes as a whole'
    return _Slip(s.at, "a comma is missing before this", hint)


def _closes_nothing(s: _Stumble) -> _Slip | None:
    if s.found not in ("]", "}"):
        return None
    return _Slip(s.at, f'the "{s.found}" here closes nothing', "remove it, or add its opening bracket")


def _block(s: _Stumble) -> _Slip | None:
    if "block end" not in s.problem:
        return None
    if s.found == "<block mapping start>":
        hint = "indent the entries of one map equally, with spaces"
        return _Slip(s.at, "the indentation of this line fits no line above", hint)
    if s.found in ("-", "<block sequence start>"):
        return _Slip(s.at, 'a list item "- ..." stands among the entries of a map', "indent it below its key")
    if s.found == "?":
        return _Slip(s.at, 'a "key: value" stands among the items of a list', "indent it, or begin it with a dash")
    return _Slip(s.at, "something follows a closed quote or bracket", "put the whole value in quotes")


def _outside(s: _Stumble) -> _Slip | None:
    if "<document start>" not in s.problem:
        return None
    above = s.line_above(s.at)
    if above >= 0 and not _COLON.search(s.source(above)):
        return _no_entry(above)
    hint = "check the indentation and the brackets of the lines above"
    return _Slip(s.at, "the content of the file was complete before this line", hint)


_RULES: tuple[Callable[[_Stumble], _Slip | None], ...] = (
    _tab,
    _first_character,
    _tag,
    _quotes,
    _directive,
    _missing_space,
    _key,
    _dash,
    _glued_bracket,
    _brackets,
    _no_key,
    _comma,
    _closes_nothing,
    _block,
    _outside,
)


def _open_brackets(text: str, shift: int = 0) -> list[int]:
    """List the brackets that a text opens and does not close.

    Quoted text and comments are passed over. A bracket or a quote counts as opening only where a value may begin, so
    that `don't` and `a[0]` in plain text do not.

    Parameters
    ----------
    text : str
        The text.
    shift : int
        Added to every index.

    Returns
    -------
    list of int
        Indices of the brackets, outermost first.
    """
    still_open: list[int] = []
    may_begin = True
    quote = ""
    skip_to = 0
    for index, char in enumerate(text):
        if index < skip_to:
            continue
        if quote:
            if char == "\\" and quote == '"':
                skip_to = index + 2
            elif char == quote:
                quote, may_begin = "", False
        elif char == "#" and (index == 0 or text[index - 1].isspace()):
            end = text.find("\n", index)
            skip_to = end if end >= 0 else len(text)
        elif char in "\"'" and may_begin:
            quote = char
        elif char in "[{" and may_begin:
            still_open.append(index + shift)
        elif char in "]}" and still_open:
            still_open.pop()
            may_begin = False
        elif char in ",:\n-":
            may_begin = True
        elif char != " ":
            may_begin = False
    return still_open


def _pointed(s: _Stumble, index: int) -> str:
    """Show the source line around an index with a caret below the character."""
    line = s.source(index).replace("\t", " ").rstrip("\r")
    column = index - s.line_start(index)
    first = max(0, column - _SHOWN_COLUMNS // 2) if len(line) > _SHOWN_COLUMNS else 0
    return f"{line[first : first + _SHOWN_COLUMNS]}\n{' ' * (column - first)}^"


def _last_content(text: str, index: int) -> int:
    """Move an index at the end of the text back to the last character that is no space."""
    return index if index < len(text) else max(len(text.rstrip()) - 1, 0)


def explain(error: yaml.YAMLError, text: str) -> SyntaxFault:
    r"""Explain why the parser refused a text.

    Parameters
    ----------
    error : yaml.YAMLError
        What the parser raised.
    text : str
        The text that it read; its lines end in ``\n``.

    Returns
    -------
    SyntaxFault
        The fault, at the line where it can be mended.
    """
    if isinstance(error, yaml.reader.ReaderError):
        s = _Stumble(text, "", "", error.position, error.position)
        slip = _Slip(
            error.position,
            f"the character U+{ord(text[error.position]):04X} is not allowed in a file",
            "remove it, or write it as an escape in double quotes",
        )
    else:
        context, problem = getattr(error, "context", None) or "", getattr(error, "problem", None) or ""
        problem_mark, context_mark = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
        at = problem_mark.index if problem_mark else 0
        s = _Stumble(text, context, problem, at, context_mark.index if context_mark else at)
        slip = next((found for rule in _RULES if (found := rule(s))), None) or _Slip(
            at, "this cannot be read as YAML", "check colons, indentation, quotes and brackets here and above"
        )
    index = _last_content(text, slip.at)
    return SyntaxFault(s.line_of(index), slip.problem, slip.hint, _pointed(s, index))
