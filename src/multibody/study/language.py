"""What is asked of every member: numbers made of values over time, as text.

``max(norm(A.reaction.force))``, ``final slider.x``, ``rms(O.effort)/l2``, ``time of max slider.x``, ``at(0.5, slider.x)``,
``first(top)``. A word with one argument makes a number of a formula over time; around such numbers stands any formula of them
and of parameters, and they may stand in further formulas over time: ``max(abs(slider.x - mean(slider.x)))``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from multibody.analyses.measures.readable import no_forces, paths_of
from multibody.arguments import short
from multibody.errors import ModelError, nearest
from multibody.model.expressions import (
    CONSTANTS,
    Expression,
    ExpressionError,
    Number,
    check_calls,
    names,
    number,
    parse,
    postorder,
    substitute,
)
from multibody.model.expressions.tree import children, with_children
from multibody.model.lookup import caret
from multibody.model.model import Model
from multibody.model.paths import component, vector_size
from multibody.model.result_paths import RESULT_KINDS
from multibody.model.scope import PARAMETERS
from multibody.model.values import from_expression
from multibody.tables.scope import Scope

EXTREMES = ("max", "min", "time_of_max", "time_of_min")
WORDS = (*EXTREMES, "mean", "rms", "integral", "final", "at", "first")
CERTIFICATE = "certificate"  # what a run promises, one number a member
PROMISES = (
    "energy_drift", "position_violation", "velocity_violation", "position_violation_before_projection",
    "velocity_violation_before_projection",
)  # fmt: skip
SPACED = re.compile(r"(?<![\w.])(time_of_max|time_of_min|max|min|mean|rms|integral|final|first)\s+(?=[^\W\d])")
NAME = re.compile(r"[^\W\d][\w.]*")
TIME_OF = re.compile(r"(?<![\w.])time\s+of\s+(max|min)(?!\w)")
MOST = 10_000  # outputs


@dataclass(frozen=True)
class Reduction:
    """A number that is made of a formula over time.

    Attributes
    ----------
    word : str
        One of ``WORDS``, or CERTIFICATE.
    formula : float or Expression
        Of paths, of scalars alone; of ``first`` and the certificate nothing.
    time : float or Expression
        Of ``at``: a formula of parameters.
    event : str
        Of ``first``; of the certificate which of PROMISES.
    text : str
        As it is written.
    """

    word: str
    formula: Number
    time: Number = 0.0
    event: str = ""
    text: str = ""


def written(reduction: Reduction, known: Sequence[Reduction]) -> str:
    """Return the formula of a reduction as it was asked for, with those that stand in it, which it calls #0, #1, …."""
    return re.sub(r"#(\d+)", lambda at: f"{known[int(at[1])].word}({written(known[int(at[1])], known)})", reduction.text)


@dataclass(frozen=True)
class Outputs:
    """All that is asked for.

    Attributes
    ----------
    names : tuple of str
        What the outputs are called: as they are written, or as they were named.
    texts : tuple of str
        As they are written.
    formulas : tuple of Number
        Of the reductions, under the names ``("#0",)``, ``("#1",)``, …, and of parameters.
    reductions : tuple of Reduction
        Each once; a formula over time may name earlier ones.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    formulas: tuple[Number, ...]
    reductions: tuple[Reduction, ...] = field(default=())


def read_outputs(model: Model, outputs: Any, *, forces: bool, instant: bool, certified: bool = False) -> Outputs:
    """Return what is asked for, checked on the model alone.

    Parameters
    ----------
    model : Model
    outputs : text, sequence of them, or mapping of names to them
    forces : bool
        Whether the analysis knows forces.
    instant : bool
        Whether it has one instant alone: a path is a number then.
    certified : bool
        Whether it has a certificate.
    """
    given = _listed(outputs)
    reader = _Reader(model, forces, instant, certified)
    formulas = [reader.read(text, key) for key, text in given]
    return Outputs(tuple(key for key, _ in given), tuple(text for _, text in given), tuple(formulas), tuple(reader.found))


def _listed(outputs: Any) -> list[tuple[str, str]]:
    """Return names and texts of the outputs."""
    if isinstance(outputs, str | bytes | Expression):
        outputs = [outputs]
    if isinstance(outputs, Mapping):
        pairs = [(key, value) for key, value in outputs.items()]
    elif isinstance(outputs, Sequence):
        pairs = [(str(value), value) for value in outputs]
    else:
        hint = 'give formulas such as ["max(norm(A.reaction.force))", "final slider.x"]'
        raise ModelError(f"{short(outputs)} is no list of outputs", where="study.outputs", hint=hint)
    if not pairs or len(pairs) > MOST:
        hint = f"give {MOST} at most" if pairs else 'give one at least: ["final slider.x"]'
        raise ModelError(f"{len(pairs)} outputs", where="study.outputs", hint=hint)
    found: list[tuple[str, str]] = []
    for key, value in pairs:
        if not isinstance(value, str | Expression) or not isinstance(key, str) or not key.strip():
            hint = 'give text such as "max(norm(A.reaction.force))"'
            named = isinstance(key, str) and key.strip()
            problem = f"{short(value)} is no output" if named or key == str(value) else f"{short(key)} is no name of an output"
            raise ModelError(problem, where="study.outputs", hint=hint)
        name = " ".join(key.split())
        if any(name == other for other, _ in found):
            raise ModelError(f'"{name}" is asked for twice', where="study.outputs", hint="ask for it once")
        found.append((name, " ".join(str(value).split())))
    return found


def with_parentheses(text: str) -> str:
    """Return text with ``final slider.x`` as ``final(slider.x)`` and ``time of max x`` as ``time_of_max(x)``.

    A word takes the name that follows it, with its arguments if it is a call, and nothing more: ``final x / 2`` is half of it.
    """
    text = TIME_OF.sub(r"time_of_\1", text)
    for match in reversed(list(SPACED.finditer(text))):
        operand = NAME.match(text, match.end())
        assert operand is not None
        end = operand.end()
        opened = len(text[end:]) - len(text[end:].lstrip()) + end
        if text[opened : opened + 1] == "(":
            end = _closing(text, opened)
        text = f"{text[: match.end(1)]}({text[match.end() : end]}){text[end:]}"
    return text


def _closing(text: str, start: int) -> int:
    """Return the place behind the parenthesis that closes the one at a place; else the end: that is refused later."""
    depth = 0
    for k in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[k], 0)
        if depth == 0:
            return k + 1
    return len(text)


class _Reader:
    """Takes formulas apart into reductions, each once, and what is made of them."""

    def __init__(self, model: Model, forces: bool, instant: bool, certified: bool) -> None:
        self.model, self.forces, self.instant, self.certified = model, forces, instant, certified
        self.scope = Scope(model)
        self.found: list[Reduction] = []

    def read(self, text: str, key: str) -> Number:
        """Return an output as a formula of reductions and parameters."""
        where = f'output "{key}"'
        for word in WORDS:
            if word in self.model.tables:
                problem = f'a table is called "{word}", which means something else in a study'
                raise ModelError(problem, where="study.outputs", hint="rename the table")
        try:
            tree = self._taken_apart(parse(with_parentheses(text)), where)
            check_calls(tree, self.model.tables)
        except ExpressionError as error:
            raise from_expression(error, where) from None
        if self.instant:
            loose = [parts for parts in names(tree) if not self._is_constant(parts)]
            return self._reduction(Expression("call", ("final", tree)), where) if loose else self._number(tree, where)
        for parts in sorted(names(tree)):
            if not self._is_constant(parts):
                self._check_exists(tree, parts, where)
                path = ".".join(parts)
                vector = vector_size(self.model, parts)
                asked = f"norm({path})" if vector else path
                problem = f'"{path}" is no number but a {"vector" if vector else "value"} over time'
                hint = f"say which value of it: max({asked}), final({asked}), mean({asked}), …"
                raise ModelError(problem, where=where, hint=hint)
        return self._number(tree, where)

    def _is_constant(self, parts: tuple[str, ...]) -> bool:
        """Return whether a name is one number a member: a constant, a parameter or a reduction."""
        return parts in CONSTANTS or parts[0] in self.model.parameters or parts[0].startswith("#")

    def _check_exists(self, tree: Expression, parts: tuple[str, ...], where: str) -> None:
        """Refuse a name that means nothing, with a caret."""
        try:
            self.model.resolve(component(parts, "x") if vector_size(self.model, parts) else parts, where, results=True)
        except ModelError as error:
            raise ModelError(error.problem, where=where, hint=error.hint, detail=caret(tree, parts)) from None

    def _number(self, formula: Number, where: str) -> Number:
        """Return a formula of scalars that is one number."""
        for node in postorder(formula) if isinstance(formula, Expression) else ():
            if node.op == "name" and node.args[0] in self.model.parameters:
                self.scope.check_names(node, where, PARAMETERS)
        found = self.scope.reduced(self.model.formula(formula, where), where)
        if isinstance(found, tuple):
            raise ModelError("it is a vector", where=where, hint="take its norm, norm(…), or a component, .x")
        return found

    def _taken_apart(self, tree: Expression, where: str) -> Expression:
        """Return a formula with the name of a reduction in the place of each."""
        built: dict[int, Expression] = {}
        for node in postorder(tree):
            now = with_children(node, [built[id(child)] for child in children(node)])
            if node.op == "call" and node.args[0] in WORDS and not (node.args[0] in ("max", "min") and len(node.args) > 2):
                now = self._reduction(now, where)
            elif node.op == "name" and node.args[0] == CERTIFICATE and CERTIFICATE not in self._owners:
                now = self._promise(now, where)
            built[id(node)] = now
        return built[id(tree)]

    @property
    def _owners(self) -> set[str]:
        """What paths of the model begin with."""
        m = self.model
        return {*m.bodies, *m.joints, *m.forces, *m.parameters}

    def _promise(self, name: Expression, where: str) -> Expression:
        """Return the name of a number of the certificate, noted where it is new."""
        key, known = ".".join(name.args[1:]), ", ".join(PROMISES)
        if not self.certified:
            problem, hint = "this analysis has no certificate", "leave it out, or study run"
            raise ModelError(problem, where=where, hint=hint)
        if key not in PROMISES:
            hint = f"{nearest(key, PROMISES)} It has {known}.".strip()
            raise ModelError(f'the certificate has no "{key}"', where=where, hint=hint)
        made = Reduction(CERTIFICATE, 0.0, event=key, text=f"{CERTIFICATE}.{key}")
        if made not in self.found:
            self.found.append(made)
        return Expression("name", (f"#{self.found.index(made)}",), name.span, name.text)

    def _reduction(self, call: Expression, where: str) -> Expression:
        """Return the name of a reduction, noted where it is new."""
        made = self._first(call, where) if call.args[0] == "first" else self._over_time(call, where)
        if made not in self.found:
            self.found.append(made)
        return Expression("name", (f"#{self.found.index(made)}",), call.span, call.text)

    def _over_time(self, call: Expression, where: str) -> Reduction:
        """Return the reduction of a formula over time."""
        word, *operands = call.args
        wanted = 2 if word == "at" else 1
        if len(operands) != wanted:
            problem = f"{word} takes {wanted} argument{'s' if wanted > 1 else ''}, not {len(operands)}"
            hint = "write at(time, slider.x)" if word == "at" else f"write {word}(slider.x)"
            raise ModelError(problem, where=where, hint=hint)
        formula, time = operands[-1], 0.0 if word != "at" else self._time(operands[0], where)
        for parts in sorted(names(formula)):
            if not self._is_constant(parts):
                self._check_exists(formula, parts, where)
        reduced = self._number(formula, where)
        plain = substitute(reduced, {parts: number(1.0) for parts in names(reduced) if parts[0].startswith("#")})
        if not self.forces and any(path.kind in RESULT_KINDS for path in paths_of(self.model, plain)):
            error = no_forces()
            raise ModelError(error.problem, where=where, hint=error.hint)
        return Reduction(word, reduced, time, text=str(formula))

    def _time(self, formula: Number, where: str) -> Number:
        """Return when: a formula of parameters."""
        for parts in names(formula):
            if not self._is_constant(parts) or parts[0].startswith("#"):
                hint = "give a number or a formula of parameters"
                raise ModelError("the time of at(time, …) is no number", where=where, hint=hint)
        return self._number(formula, where)

    def _first(self, call: Expression, where: str) -> Reduction:
        """Return the time of an event."""
        operands = call.args[1:]
        event = ".".join(operands[0].args) if len(operands) == 1 and operands[0].op == "name" else ""
        if event not in self.model.events:
            known = f"events are {', '.join(self.model.events)}" if self.model.events else "the model has no events"
            hint = f"{nearest(event, self.model.events)} {known[:1].upper()}{known[1:]}.".strip()
            raise ModelError(f'there is no event "{event}"' if event else "first takes an event", where=where, hint=hint)
        return Reduction("first", 0.0, event=event, text=event)
