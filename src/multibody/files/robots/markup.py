"""XML with lines: elements as the standard library's parser (expat) finds them.

Document types, entities and external references are refused: robots need none, and small files can grow without end by them.
"""

from __future__ import annotations

import math
from pathlib import Path
from xml.parsers import expat

from multibody.errors import ModelError
from multibody.files.document import read_plain
from multibody.files.robots.description import Line
from multibody.files.robots.pose import Pose

__all__ = ["Element", "parse", "read_markup"]

DEEPEST = 100
"""Elements may be nested this deep."""

MOST = 300_000
"""A file may have this many elements."""


class Element:
    """An element: its tag, attributes, children, text and line."""

    __slots__ = ("attributes", "children", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: Line) -> None:
        self.tag, self.attributes, self.line = tag, attributes, line
        self.children: list[Element] = []
        self.text = ""

    def find(self, tag: str) -> Element | None:
        """Return the first child with this tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def all(self, *tags: str) -> list[Element]:
        """Return the children with these tags, in the order of the file."""
        return [child for child in self.children if child.tag in tags]

    def get(self, key: str, default: str = "") -> str:
        """Return an attribute without blanks around it."""
        return self.attributes.get(key, default).strip()

    def named(self) -> str:
        """Return its name, which it must have."""
        name = self.get("name")
        if not name:
            raise self.line.error(f"<{self.tag}> has no name", f'write <{self.tag} name="...">')
        return name

    def error(self, problem: str, hint: str = "") -> ModelError:
        """Return a fault of this element."""
        return self.line.error(problem, hint)

    def child_text(self, tag: str, default: str = "") -> str:
        """Return the text of a child, without blanks around it."""
        child = self.find(tag)
        return default if child is None else child.text.strip() or default

    # --- numbers ------------------------------------------------------------------------------------------------------
    def numbers(self, key: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """Return the numbers of an attribute; without it the default, or a fault where there is none."""
        if key not in self.attributes:
            if default is None:
                raise self.error(f'<{self.tag}> has no "{key}"', f'write {key}="{" ".join("0" * count)}"')
            return default
        return self.read(self.attributes[key], count, f'"{key}" of <{self.tag}>')

    def number(self, key: str, default: float | None = None) -> float:
        """Return the number of an attribute."""
        return self.numbers(key, 1, None if default is None else (default,))[0]

    def text_numbers(self, count: int) -> tuple[float, ...]:
        """Return the numbers of the element's text."""
        return self.read(self.text, count, f"<{self.tag}>")

    def child_number(self, tag: str, default: float) -> float:
        """Return the number in a child, or the default."""
        child = self.find(tag)
        return default if child is None or not child.text.strip() else child.text_numbers(1)[0]

    def read(self, text: str, count: int, what: str) -> tuple[float, ...]:
        """Return so many finite numbers of a text."""
        words = text.split()
        try:
            found = tuple(float(word) for word in words)
        except ValueError:
            bad = next(word for word in words if not _is_number(word))
            raise self.error(f'{what} has "{_short(bad)}", which is no number', "write numbers with points") from None
        if len(found) != count:
            raise self.error(f"{what} has {len(found)} numbers", f"it takes {count}")
        if not all(math.isfinite(x) for x in found):
            bad = next(word for word in words if not math.isfinite(float(word)))
            raise self.error(f'{what} is not finite ("{_short(bad)}")', "write finite numbers")
        return found

    def origin(self, tag: str = "origin") -> Pose:
        """Return the place that a child states by ``xyz`` and ``rpy``; the identity without it."""
        child = self.find(tag)
        return Pose() if child is None else child.own_origin()

    def own_origin(self) -> Pose:
        """Return the place that the element itself states by ``xyz`` and ``rpy``."""
        none = (0.0, 0.0, 0.0)
        return Pose(self.numbers("xyz", 3, none), rpy=self.numbers("rpy", 3, none))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _short(word: str) -> str:
    return word if len(word) <= 30 else word[:27] + "..."


def read_markup(file: Path, shown: str) -> Element:
    """Return the outermost element of a file.

    Raises
    ------
    ModelError
        If the file is missing, too large, not XML, or has a document type or entities.
    """
    try:
        content = read_plain(file, shown)
    except FileNotFoundError:
        raise ModelError("there is no such file", file=shown, hint="check the path") from None
    except OSError as error:
        raise ModelError(f"it cannot be read ({error.strerror})", file=shown, hint="check the path") from None
    return parse(content, shown)


def parse(content: bytes | str, shown: str) -> Element:
    """Return the outermost element of a text."""
    data = content.encode() if isinstance(content, str) else content
    inner = data.lstrip()  # blank lines in front, which XML forbids and some files have
    builder = _Builder(shown, data[: len(data) - len(inner)].count(b"\n"))
    try:
        builder.parser.Parse(inner, True)
    except expat.ExpatError as error:
        words = expat.errors.messages.get(error.code, str(error))
        line = error.lineno + builder.above
        raise ModelError(f"it is no XML ({words})", file=shown, line=line, hint="check this line") from None
    except ModelError:
        raise
    except (LookupError, ValueError) as error:  # an encoding that Python does not know
        raise ModelError(f"it is no XML ({error})", file=shown, hint="save it in UTF-8") from None
    if builder.root is None:
        raise ModelError("it has no element", file=shown, hint="write <robot> or <sdf>")
    return builder.root


class _Builder:
    """Builds elements while expat reads."""

    def __init__(self, shown: str, above: int) -> None:
        self.shown, self.above, self.count = shown, above, 0
        self.root: Element | None = None
        self.open: list[Element] = []
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.StartDoctypeDeclHandler = self.refuse_type
        parser.EntityDeclHandler = self.refuse_entity

    def here(self) -> Line:
        """Return the line that is read."""
        return Line(self.shown, self.parser.CurrentLineNumber + self.above)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element."""
        line = self.here()
        self.count += 1
        if len(self.open) >= DEEPEST or self.count > MOST:
            raise line.error(f"more than {DEEPEST} levels or {MOST} elements", "a robot needs far fewer")
        element = Element(tag, attributes, line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _tag: str) -> None:
        """Close an element."""
        self.open.pop()

    def characters(self, text: str) -> None:
        """Add text to the element that is open."""
        self.open[-1].text += text

    def refuse_type(self, name: str, *_: object) -> None:
        """Refuse a document type."""
        raise self.here().error(
            f"it declares a document type ({_short(name)}), which is not read", "take the DOCTYPE out: entities are refused"
        )

    def refuse_entity(self, name: str, *_: object) -> None:
        """Refuse an entity."""
        raise self.here().error(
            f'it declares the entity "{_short(name)}", which is not read', "write out what it stands for"
        )
