"""Names on paper and in code: every symbol has a name as the user wrote it, one in LaTeX, and an identifier of C and Python.

Rule of identifiers: letters, digits and ``_`` of ASCII stay. A Greek letter is spelled (θ: theta), a letter with an accent
loses it, any other letter is the last word of its Unicode name (크: keu), everything else is ``_``. What begins with a digit
gets a ``_`` before it, what C, Python or the code itself use one behind it, and a name that is taken a number: ``_2``, ….
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import sympy

_KEPT = """
auto break case char const continue default do double else enum extern float for goto if inline int long register restrict
return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false
fabs sqrt pow exp log sin cos tan asin acos atan atan2 sinh cosh tanh floor ceil gamma j0 j1 jn y0 y1 yn math
fmin fmax copysign hypot abs max min sum len range wrap table main t q v p y u k P out
phi phi_q nu gamma_term mass_matrix force closure ratios dependent_speeds dependent_drift
"""  # words of C, its mathematics, names that code uses itself, and its functions
_TAKEN = frozenset(_KEPT.split())
_GREEK_WORDS = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega
Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
_GREEK = frozenset(_GREEK_WORDS.split())


def identifier(name: str, taken: Iterable[str] = ()) -> str:
    """Return a name as an identifier of C and of Python that is not taken yet, by the rule of this module."""
    found = re.sub(r"_+", "_", "".join(_spelled(letter) for letter in name)).rstrip("_") or "x"
    if found[0].isdigit():
        found = f"_{found}"
    if found in _TAKEN or keyword.iskeyword(found):
        found += "_"
    taken, unique, k = set(taken), found, 1
    while unique in taken:
        k += 1
        unique = f"{found.rstrip('_')}_{k}"
    return unique


def _spelled(letter: str) -> str:
    """Return one character in ASCII."""
    if letter.isascii():
        return letter if letter.isalnum() else "_"
    base = unicodedata.normalize("NFKD", letter)[0]
    if base.isascii() and base.isalnum():
        return base
    words = unicodedata.name(letter, "").split()
    if not words or not letter.isalnum():
        return "_"
    if "LETTER" in words:  # GREEK SMALL LETTER OMEGA WITH TONOS, HANGUL SYLLABLE KEU
        words = words[words.index("LETTER") + 1 :]
        words = words[: words.index("WITH")] if "WITH" in words else words
    spelled = re.sub(r"\W", "_", words[-1])
    return spelled.capitalize() if letter.isupper() else spelled.lower()


def latex_name(name: str) -> str:
    """Return a user's name in LaTeX: l2 is l with the index 2, omega is ω, longer words are upright."""
    head, _, rest = name.partition("_")
    match = re.fullmatch(r"([^\W\d_]+)(\d*)", head)
    letters, digits = (match[1], match[2]) if match else (head, "")
    index = ",".join(part for part in (digits, _upright(rest)) if part)
    found = _letters(letters)
    return f"{found}_{{{index}}}" if index else found


def _letters(letters: str) -> str:
    """Return the letters before an index."""
    spelled = identifier(letters).rstrip("_") if len(letters) == 1 else letters
    if spelled in _GREEK:
        return f"\\{spelled}"
    return letters if len(letters) == 1 and letters.isascii() else _upright(letters)


def _upright(word: str) -> str:
    """Return a word in upright letters; what is not of ASCII as text."""
    if not word:
        return ""
    escaped = word.replace("_", r"\_")
    if word.isdigit():
        return escaped
    return rf"\mathrm{{{escaped}}}" if word.isascii() else rf"\text{{{escaped}}}"


@dataclass(frozen=True)
class Named:
    """A symbol with its names: as text, in LaTeX and in code, its unit and what it is."""

    symbol: Any
    latex: str
    code: str
    unit: str
    doc: str


@dataclass
class Names:
    """All symbols of a set of equations.

    Attributes
    ----------
    known : dict
        By symbol, in the order in which they were made.
    """

    known: dict[Any, Named] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)

    def new(self, text: str, latex: str, unit: str, doc: str, code: str = "") -> Any:
        """Make a real symbol; a text that is taken gets a number."""
        unique, k = text, 1
        while unique in self.texts:
            k += 1
            unique = f"{text}_{k}"
        if k > 1:
            latex = rf"{{{latex}}}^{{({k})}}"
        symbol = sympy.Symbol(unique, real=True)
        made = identifier(code or unique, self.codes)
        self.texts.add(unique)
        self.codes.add(made)
        self.known[symbol] = Named(symbol, latex, made, unit, doc)
        return symbol

    def of(self, base: str, owner: str, unit: str, doc: str, dot: bool = False, prime: bool = False) -> Any:
        """Make the symbol of a quantity that belongs to something: x of rod, θ̇ of O."""
        letters = _letters(base.rstrip("0123")) if base not in _AXIS_BASES else r"\omega"
        index = base[len(base.rstrip("0123")) :]
        if base in _AXIS_BASES:
            index = base[-1]
        top = rf"\dot{{{letters}}}" if dot else letters
        mark = "'" if prime else ""
        below = ",".join(part for part in (index, _upright(owner)) if part)
        return self.new(f"{base}{'dot' if dot else ''}_{owner}", rf"{top}{mark}_{{{below}}}", unit, doc)

    def latex(self) -> dict[Any, str]:
        """Return what SymPy's printer calls the symbols."""
        return {symbol: named.latex for symbol, named in self.known.items()}


_AXIS_BASES = ("omegax", "omegay", "omegaz")
