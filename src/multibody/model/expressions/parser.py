"""From text to tree: a tokenizer and an operator-precedence parser that know this language and nothing else.

Nothing is ever executed. What is not in the grammar is refused with a caret and a hint.
"""

from __future__ import annotations

import functools
import math
import re
from numbers import Real
from typing import NamedTuple, NoReturn

from .error import ExpressionError
from .functions import FUNCTIONS
from .nodes import Expression, Number, number, plain
from .printing import COMPARISON, LEVELS, POWER, UNARY

MAX_LENGTH = 10_000
MAX_DEPTH = 100

NUMERAL = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
OPERATORS = ("**", "<=", ">=", "==", "!=", "+", "-", "*", "/", "^", "<", ">", "(", ")", "[", "]", ",")

NOT_OPERATORS = {
    ":=": "formulas cannot assign; state the value as a parameter",
    "//": "write a/b",
    "&&": "nest if(a, if(b, ...), ...)",
    "||": "nest if(a, ..., if(b, ...))",
    "=": "write a == b to compare",
    "!": "write a != b, or if(a, 0, 1)",
    "'": "formulas hold numbers and names, no quoted text; a prime after a table's name is its derivative",
    '"': "formulas hold numbers and names, no quoted text",
    ";": "write one formula only",
    ":": "write one formula only",
    "%": "there is no remainder and no percent sign",
    "&": "nest if(a, if(b, ...), ...)",
    "|": "nest if(a, ..., if(b, ...)), and write abs(x) for a magnitude",
    "~": "write -a, or if(a, 0, 1)",
    "@": "write dot(a, b) for a scalar product",
    "{": "group with ( )",
    "}": "group with ( )",
    "$": "$ stands in names and references of a repeat; in a formula write the plain name",
    "\N{DEGREE SIGN}": "write 30*deg",
    "\N{MINUS SIGN}": "write the ASCII minus -",
    "\N{EN DASH}": "write the ASCII minus -",
    "\N{MULTIPLICATION SIGN}": "write *",
    "\N{MIDDLE DOT}": "write *",
    "\N{DOT OPERATOR}": "write *",
    "\N{DIVISION SIGN}": "write /",
    "\N{SUPERSCRIPT TWO}": "write ^2",
    "\N{SUPERSCRIPT THREE}": "write ^3",
    "\N{SQUARE ROOT}": "write sqrt(x)",
    "\N{LESS-THAN OR EQUAL TO}": "write <=",
    "\N{GREATER-THAN OR EQUAL TO}": "write >=",
    "\N{NOT EQUAL TO}": "write !=",
}

NOT_NAMES = {
    "and": "nest if(a, if(b, ...), ...)",
    "or": "nest if(a, ..., if(b, ...))",
    "not": "write if(a, 0, 1)",
    "else": "write if(condition, a, b)",
    "lambda": "formulas define no functions; give a table or a parameter",
    "True": "write 1",
    "False": "write 0",
    "None": "leave the field out instead",
}


class Token(NamedTuple):
    """A piece of the source: `kind` is number, name, component, an operator's own text, or end."""

    kind: str
    text: str
    start: int
    end: int


def parse(text: str) -> Expression:
    """Read a formula.

    Parameters
    ----------
    text : str
        The formula, at most 10 000 characters, nested at most 100 deep.

    Returns
    -------
    Expression
        The formula as written: nothing is folded or simplified. Every node knows its place in `text`.

    Raises
    ------
    ExpressionError
        With carets under the characters that cannot be read.
    """
    if not isinstance(text, str):
        raise ExpressionError(f"a formula is text, not {text!r}", "quote it")
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            f"the formula has {len(text)} characters, more than {MAX_LENGTH}",
            "name parts of it as parameters, or use a table",
            text,
            (MAX_LENGTH, MAX_LENGTH),
        )
    return _parsed(text)


@functools.lru_cache(maxsize=512)
def _parsed(text: str) -> Expression:
    """Return a formula, which never changes: members of a study ask for the same ones again and again."""
    return _Parser(text).whole()


def as_number(value: object) -> Number:
    """Take a number of a model as a float or an Expression.

    Parameters
    ----------
    value : float, int, str or Expression
        Text is parsed; bool, NaN and infinity are refused.

    Returns
    -------
    float or Expression
        A float for a number and for a plain numeral (``"2.5"``, ``"-1e-3"``), else the formula as written.
    """
    if isinstance(value, Expression):
        return plain(value)
    if isinstance(value, str):
        return plain(parse(value))
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ExpressionError(f"{value!r} is not a number", "give a number or a formula")
    try:
        return plain(number(float(value)))
    except OverflowError:
        raise ExpressionError("the number is too large for floating point", "choose other units") from None


def _letter(character: str) -> bool:
    return character == "_" or character.isidentifier()


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        character = text[position]
        following = text[position + 1 : position + 2]
        if character.isspace():
            position += 1
            continue
        if character in "0123456789" or (character == "." and following in tuple("0123456789")):
            token = _numeral_token(text, position)
        elif _letter(character):
            token = _name_token(text, position)
        elif character == "." and _letter(following) and tokens and tokens[-1].kind in (")", "]", "component"):
            end = _identifier_end(text, position + 1)
            token = Token("component", text[position + 1 : end], position, end)
        else:
            token = _operator_token(text, position)
        tokens.append(token)
        position = token.end
    return [*tokens, Token("end", "", len(text), len(text))]


def _numeral_token(text: str, start: int) -> Token:
    match = NUMERAL.match(text, start)
    assert match is not None
    end = match.end()
    rest = end
    while rest < len(text) and (text[rest] == "." or ("a" + text[rest]).isidentifier()):
        rest += 1
    if rest == end:
        return Token("number", match.group(), start, end)
    whole, tail = text[start:rest], text[end:rest]
    if tail[0] == "_":
        hint = "write the digits without _"
    elif tail[0] == ".":
        hint = "one decimal point is enough"
    elif whole[:2].lower() in ("0x", "0b", "0o"):
        hint = "write it in decimal digits"
    elif tail[0] in "eE" and not tail[1:]:
        hint = "finish the exponent, as in 1e-3"
    else:
        hint = f"write {match.group()}*{tail} for a product"
    raise ExpressionError(f'"{whole}" is not a number', hint, text, (start, rest))


def _identifier_end(text: str, start: int) -> int:
    end = start + 1
    while end < len(text) and ("a" + text[end]).isidentifier():
        end += 1
    return end


def _name_token(text: str, start: int) -> Token:
    """Read a dotted name; primes after it (a table's derivatives) belong to the token only if a call follows."""
    end = _identifier_end(text, start)
    while text[end : end + 1] == ".":
        if not _letter(text[end + 1 : end + 2]):
            span = (start, end + 1)
            raise ExpressionError("a name ends with a dot", "write what follows it, as in rod.x", text, span)
        end = _identifier_end(text, end + 1)
    path = text[start:end].split(".")
    if any(part.startswith("_") for part in path):
        raise ExpressionError(
            f'"{text[start:end]}" is not a name', "names begin with a letter, not with _", text, (start, end)
        )
    if path[0] in NOT_NAMES:
        span = (start, start + len(path[0]))
        raise ExpressionError(f'"{path[0]}" cannot stand in a formula', NOT_NAMES[path[0]], text, span)
    if len(path) == 1 and path[0].lower() in ("nan", "inf", "infinity"):
        raise ExpressionError(f'"{path[0]}" is not a number', "give a finite number", text, (start, end))
    primes = end
    while text[primes : primes + 1] == "'":
        primes += 1
    if primes > end and text[primes : primes + 1] == "(":
        end = primes
    return Token("name", text[start:end], start, end)


def _operator_token(text: str, start: int) -> Token:
    for symbol in NOT_OPERATORS:
        if len(symbol) == 2 and text.startswith(symbol, start):
            span = (start, start + 2)
            raise ExpressionError(f'"{symbol}" cannot stand in a formula', NOT_OPERATORS[symbol], text, span)
    for symbol in OPERATORS:
        if text.startswith(symbol, start):
            return Token("^" if symbol == "**" else symbol, symbol, start, start + len(symbol))
    character = text[start]
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    hint = NOT_OPERATORS.get(character, "use + - * / ^, comparisons, ( ), [ ], names and numbers")
    raise ExpressionError(f'"{shown}" cannot stand in a formula', hint, text, (start, start + 1))


class _Parser:
    """Operator precedence by binding levels: an operand is read on as long as the operators bind tightly enough."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.position = 0
        self.depth = 0

    @property
    def current(self) -> Token:
        return self.tokens[self.position]

    def advance(self) -> Token:
        token = self.tokens[self.position]
        self.position += 1
        return token

    def fail(self, problem: str, hint: str, token: Token) -> NoReturn:
        raise ExpressionError(problem, hint, self.text, (token.start, token.end))

    def build(self, op: str, args: tuple[object, ...], start: int) -> Expression:
        end = self.tokens[self.position - 1].end
        return Expression(op, args, (start, end), self.text)

    def whole(self) -> Expression:
        if self.current.kind == "end":
            self.fail("the formula is empty", "write a number or a formula", self.current)
        expression = self.expression(COMPARISON)
        if self.current.kind != "end":
            self.unexpected(self.current)
        return expression

    def unexpected(self, token: Token) -> NoReturn:
        """Complain about a token that cannot follow what stands before it."""
        kind = token.kind
        if kind == ")" or kind == "]":
            self.fail(f'"{kind}" closes nothing', "remove it, or open it before", token)
        if kind == ",":
            self.fail('"," stands outside of a call', "write a point as in 0.5, a vector as [a, b, c]", token)
        if kind == "[":
            self.fail("formulas have no indices", "components are a.x, a.y, a.z", token)
        if kind == "component":
            self.fail(f'".{token.text}" follows nothing', "write (a).x or a.x", token)
        self.fail(f'an operator is missing before "{token.text}"', "write a*b for a product", token)

    def expression(self, least: int) -> Expression:
        start = self.current.start
        left = self.prefix()
        compared = False
        while True:
            op = self.current.kind
            level = LEVELS.get(op, 0)
            if level < least or level == 0:
                return left
            if level == COMPARISON and compared:
                self.fail("comparisons cannot be chained", "nest if(a < b, if(b < c, ...), ...)", self.current)
            compared = level == COMPARISON
            token = self.advance()
            right = self.nested(token, POWER) if level == POWER else self.expression(level + 1)
            left = self.build(op, (left, right), start)

    def nested(self, opening: Token, least: int) -> Expression:
        """Read an expression one level deeper; the depth is limited so that no source can exhaust the stack."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"the formula is nested more than {MAX_DEPTH} deep", "name parts of it as parameters", opening)
        expression = self.expression(least)
        self.depth -= 1
        return expression

    def prefix(self) -> Expression:
        token = self.advance()
        kind = token.kind
        if kind == "number":
            return self.numeral(token, token.start, 1.0)
        if kind == "name":
            return self.call(token) if self.current.kind == "(" else self.name(token)
        if kind == "(":
            expression = self.nested(token, COMPARISON)
            self.close(token, ")")
            return self.components(expression, token.start)
        if kind == "[":
            parts = self.arguments(token, "]")
            if not parts:
                self.fail("the vector is empty", "write [a, b] or [a, b, c]", token)
            return self.components(self.build("vector", tuple(parts), token.start), token.start)
        if kind == "-":
            if self.current.kind == "number" and self.tokens[self.position + 1].kind != "^":
                return self.numeral(self.advance(), token.start, -1.0)
            argument = self.nested(token, UNARY)
            return self.build("neg", (argument,), token.start)
        if kind == "+":
            return self.nested(token, UNARY)
        self.position -= 1
        self.missing(token)

    def missing(self, token: Token) -> NoReturn:
        """Complain about a token that stands where a number should begin."""
        if token.kind == "end":
            self.fail("the formula ends too early", "write the number or name that is missing", token)
        if token.kind == "component":
            self.fail(f'".{token.text}" follows nothing', "write (a).x or a.x", token)
        self.fail(f'a number or name is missing before "{token.text}"', "write it, or remove the sign", token)

    def numeral(self, token: Token, start: int, sign: float) -> Expression:
        value = float(token.text)
        if not math.isfinite(value):
            self.fail("the number is too large for floating point", "choose other units", token)
        return self.build("number", (sign * value,), start)

    def name(self, token: Token) -> Expression:
        if token.text in FUNCTIONS:
            self.fail(f'"{token.text}" is a function', f"write {FUNCTIONS[token.text].signature}", token)
        return self.build("name", tuple(token.text.split(".")), token.start)

    def call(self, token: Token) -> Expression:
        title = token.text.rstrip("'")
        order = len(token.text) - len(title)
        if "." in title:
            self.fail(f'"{title}" is not a function', "functions have no dot in their name", token)
        if order and title in FUNCTIONS:
            self.fail("primes are for tables", f"write out the derivative of {title}", token)
        arguments = self.arguments(self.advance(), ")")
        if not order:
            return self.components(self.build("call", (title, *arguments), token.start), token.start)
        if len(arguments) != 1:
            self.fail(f"a table takes 1 argument, not {len(arguments)}", f"write {token.text}(x)", token)
        return self.components(self.build("table", (title, order, arguments[0]), token.start), token.start)

    def arguments(self, opening: Token, closing: str) -> list[Expression]:
        """Read a list between brackets, with the closing one."""
        found: list[Expression] = []
        if self.current.kind != closing:
            found.append(self.nested(opening, COMPARISON))
            while self.current.kind == ",":
                self.advance()
                found.append(self.nested(opening, COMPARISON))
        self.close(opening, closing)
        return found

    def close(self, opening: Token, closing: str) -> None:
        if self.current.kind == "end":
            self.fail(f'"{opening.text}" is never closed', f'add "{closing}"', opening)
        if self.current.kind != closing:
            if self.current.kind in (")", "]"):
                self.fail(f'"{self.current.text}" closes a "{opening.text}"', f'write "{closing}"', self.current)
            self.unexpected(self.current)
        self.advance()

    def components(self, expression: Expression, start: int) -> Expression:
        """Read the .x, .y, .z that follow a bracket."""
        while self.current.kind == "component":
            token = self.advance()
            if token.text not in ("x", "y", "z"):
                self.fail(f'unknown component ".{token.text}"', "components are .x, .y, .z", token)
            expression = self.build("component", (expression, token.text), start)
        return expression
