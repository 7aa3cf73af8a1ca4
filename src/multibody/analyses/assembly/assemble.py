"""Assembly: positions and velocities that satisfy the joints, from what is held, guessed or free.

Damped, rank-revealing Newton steps of smallest norm, begun on a spanning tree; where they stall, the residual is walked down
in small portions (continuation), then from disturbed starts. Guesses are met as well as the constraints allow, by weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from multibody.analyses.assembly.finite_start import not_finite
from multibody.analyses.assembly.following import follow_guesses, most_open
from multibody.analyses.assembly.held import against_motions, driven_functions
from multibody.analyses.assembly.member import compiled_state
from multibody.analyses.assembly.tree_start import Starter, targets
from multibody.analyses.events.switching import limit_after
from multibody.errors import ModelError
from multibody.model.model import Model
from multibody.rank.leastnorm import DENSE_ASSEMBLY, WEAK, constrained_step, largest_row, least_norm, sparse_step
from multibody.state.poses import drawn_pose, read_pose, write_pose
from multibody.state.state import State, Status
from multibody.state.system import Floats, System, tables_of
from multibody.tables.lowered import LoweredRate

CLOSED = 1e-11  # largest scaled residual of an assembled mechanism
ITERATIONS = 60
STEP_LIMIT = 0.5  # scaled length or rad a step


def assemble(model: Model, initial: State | None = None, t: float | None = None, labeled: bool = True) -> State:
    """Return a consistent state of the mechanism.

    Parameters
    ----------
    model : Model
    initial : State, optional
        Where to start; default: the drawn poses with held values and guesses.
    t : float, optional
        Time at which motions are taken; default that of `initial`, else 0.
    labeled : bool
        Whether the state says which branch it is on.

    Returns
    -------
    State
        Its status says whether the mechanism closes, and which equation is violated most where it does not.
    """
    system = System(tables_of(model))
    time = float(t if t is not None else initial.t if initial is not None else 0.0)
    found = compiled_state(system, time) if initial is None and np.isfinite(time) else None
    state = searched(system, initial, time) if found is None else found[0]
    if not (labeled and state.ok):
        return state
    from multibody.analyses.assembly.branches import branch_label  # here: SciPy's sparse matrices take long to import

    return replace(state, branch=branch_label(system, state.q, time))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # what is not finite is refused in words
def searched(system: System, initial: State | None, time: float) -> State:
    """Return the state that every way to close a mechanism is tried for, without the label of its branch.

    Parameters
    ----------
    system : System
        Its angle references become those of the state.
    initial : State, optional
    time : float
    """
    solver = PositionSolver(system, time)
    if initial is not None:
        system.ref[:] = initial.references
        starts = [initial.q]
    else:
        start = Starter(system, time).run()
        set_start_references(system, start, time)
        starts = [start, drawn_pose(system)]
    try:
        q = solver.solve(starts)
    except np.linalg.LinAlgError:
        raise not_finite(system, starts[0], time) from None
    status = solver.status(q)
    if status.success:
        status = against_motions(system, time) or status
    if status.success:
        system.take_references(q)
    v, status = velocities(system, q, time, status)
    return State(system.tables, time, q, v, system.ref.copy(), "", status, solver.history)


def set_start_references(system: System, q: Floats, t: float) -> None:
    """Let counted angles start at the values that motions, held values and guesses ask for."""
    system.take_references(q)
    for function, value in targets(system, q, t).items():
        if not system.tables.functions[function].is_length:
            system.ref[function] = value


class PositionSolver:
    """Newton's method on joints, motions and held values at one time."""

    def __init__(self, system: System, t: float) -> None:
        self.system, self.t = system, t
        self.count = system.all_rows
        self.history: list[dict[str, Any]] = []
        tables = system.tables
        self.guesses = [guess for guess in tables.guesses if guess.function >= 0]
        self.target = np.zeros(self.count)  # the residual that continuation asks for

    def residual(self, q: Floats) -> Floats:
        """Return the scaled Φ of all rows."""
        return np.asarray(self.system.phi(q, self.t, 0, self.count) * self.system.scale_rows)

    def solve(self, starts: list[Floats]) -> Floats:
        """Return the first closed pose from the given starts, else the best one found."""
        best: tuple[float, Floats] | None = None
        for q in self._attempts(starts):
            q = self._unflip(q)
            worst = float(np.max(np.abs(self.residual(q)), initial=0.0))
            worst = worst if np.isfinite(worst) else np.inf
            if worst < CLOSED and not self.flipped(q):
                return follow_guesses(self, q)
            if best is None or worst < best[0]:
                best = (worst, q)
        assert best is not None
        return follow_guesses(self, self._open_one(best[1])) if best[0] >= CLOSED else best[1]

    def _open_one(self, q: Floats) -> Floats:
        """Return a pose in which only the joint that is worst stays open, as little as can be: its gap is the true one."""
        system, residual = self.system, self.residual(q)
        if not np.all(np.isfinite(residual)):
            return q
        worst = most_open(residual)
        owner = system.tables.rows[worst].owner
        open_rows = np.array([row.owner == owner and row.group == "joint" for row in system.tables.rows])
        if not open_rows.any() or system.nv > DENSE_ASSEMBLY:
            return q
        random = np.random.default_rng(2)
        found = [self._least_open(q, open_rows)]
        for _ in range(4):  # a pose with everything in line may be a saddle
            if found[-1][0] < CLOSED:  # it closes after all: which of the ways there is least open is a matter of rounding
                break
            shake = random.normal(size=system.nv) * system.scale_columns * 0.4
            found.append(self._least_open(system.displaced(q, shake), open_rows))
        size, best = min(found, key=lambda item: item[0])
        return best if np.isfinite(size) else q

    def _least_open(self, q: Floats, open_rows: Any) -> tuple[float, Floats]:
        """Return (gap, pose) by Levenberg–Marquardt on the open rows, the others kept closed; infinite if they are not."""
        system, best, damping, size = self.system, self._closed(q, ~open_rows), 1e-2, np.inf
        for _ in range(5 * ITERATIONS):
            c, J = self.residual(best), system.scaled(system.jacobian(best, self.t, 0, self.count))
            x, Z = least_norm(J[~open_rows], -c[~open_rows])
            S, rest = J[open_rows] @ Z, c[open_rows] + J[open_rows] @ x
            y = -np.linalg.solve(S.T @ S + damping * np.eye(Z.shape[1]), S.T @ rest) if Z.shape[1] else np.zeros(0)
            step = x + Z @ y
            step *= min(1.0, STEP_LIMIT / max(float(np.max(np.abs(step), initial=0.0)), 1e-300))
            trial = system.displaced(best, step * system.scale_columns)
            after = self.residual(trial)
            worth = float(np.linalg.norm(after[open_rows]) + 10.0 * np.linalg.norm(after[~open_rows]))
            better = worth < size
            damping = max(damping / 3.0, 1e-12) if better else damping * 4.0
            if better:
                settled = size - worth < 1e-16
                best, size = trial, worth
                if settled:
                    break
            if damping > 1e6:
                break
        best = self._closed(best, ~open_rows)
        rest = self.residual(best)
        closed = np.all(np.abs(rest[~open_rows]) < 1e-8)
        return (float(np.linalg.norm(rest[open_rows])) if closed else np.inf), best

    def _closed(self, q: Floats, rows: Any) -> Floats:
        """Return the pose nearby in which the given rows are closed, as far as Newton's method gets."""
        system = self.system
        for _ in range(ITERATIONS):
            J = system.scaled(system.jacobian(q, self.t, 0, self.count))[rows]
            step, _ = least_norm(J, -self.residual(q)[rows])
            largest = float(np.max(np.abs(step), initial=0.0))
            q = system.displaced(q, step * system.scale_columns, min(1.0, STEP_LIMIT / max(largest, 1e-300)))
            if largest < 1e-12:
                break
        return q

    def _attempts(self, starts: list[Floats]) -> Iterator[Floats]:
        """Yield poses from plain Newton, continuation and disturbed starts, cheapest first."""
        random = np.random.default_rng(0)
        for start in starts:
            yield self.newton(start)
            self.history.append({"restart": True}) if self.history else None
        yield self.continuation(starts[0])
        tries = 12 if self.system.nv <= DENSE_ASSEMBLY else 0
        for k in range(tries):
            shake = random.normal(size=self.system.nv) * self.system.scale_columns * (0.2 + 0.1 * k)
            yield self.newton(self.system.displaced(starts[0], shake))

    def newton(self, start: Floats, iterations: int = ITERATIONS) -> Floats:
        """Return the pose that damped Newton steps of smallest norm reach."""
        q = start.copy()
        self.history = []
        norm = self._norm(q)
        stalled = 0
        for _ in range(iterations):
            if not np.isfinite(norm):  # a formula has no value here
                break
            step = self._step(q)
            size = float(np.max(np.abs(step / self.system.scale_columns), initial=0.0))
            self.history.append({"residual": norm, "step": size, "q": q.copy(), "delta": step})
            if not np.isfinite(size):
                break
            q, taken, after = self._walk(q, step, min(1.0, STEP_LIMIT / max(size, 1e-300)), norm)
            stalled = stalled + 1 if after > 0.999 * norm and after > CLOSED else 0
            norm = after
            if size < 1e-10 or (size < 1e-6 and norm < 1e-14) or taken == 0.0 or stalled > 6:
                break
        return q

    def _norm(self, q: Floats) -> float:
        """Return the norm of the residual that remains."""
        return float(np.linalg.norm(self.residual(q) - self.target))

    def _walk(self, q: Floats, step: Floats, factor: float, norm: float) -> tuple[Floats, float, float]:
        """Return the pose along the step whose residual is small enough (halving), the part taken and its residual."""
        best = (q, 0.0, norm)
        for _ in range(12):
            trial = self.system.displaced(q, step, factor)
            after = self._norm(trial)
            if after <= (1.0 - 1e-4 * factor) * norm or after < 1e-12:
                return trial, factor, after
            if after < best[2]:
                best = (trial, factor, after)
            factor *= 0.5
        if best[1] == 0.0 and norm < 1e-9:  # at round-off: the last step only moves along free directions
            trial = self.system.displaced(q, step, 1.0)
            return trial, 1.0, self._norm(trial)
        return best

    def _step(self, q: Floats) -> Floats:
        """Return the Newton step of smallest norm that also follows the guesses."""
        system = self.system
        c = self.residual(q) - self.target
        soft, rest = self._soft(q)
        if system.nv > DENSE_ASSEMBLY:
            from scipy.sparse import csr_array

            from multibody.rank.decider import scaled_rows

            step = sparse_step(scaled_rows(system, q, self.t, self.count), c, csr_array(soft), rest)
            return np.asarray(step * system.scale_columns)
        J = system.scaled(system.jacobian(q, self.t, 0, self.count))
        return np.asarray(constrained_step(J, c, soft, rest) * system.scale_columns)

    def _soft(self, q: Floats) -> tuple[Floats, Floats]:
        """Return the weighted gradients and residuals of the guesses."""
        system = self.system
        rows, rest = [], []
        for guess in self.guesses:
            function, value, weight = guess.function, float(system.F[guess.value]), float(system.F[guess.weight])
            scale = weight**0.5 / (system.tables.length if system.tables.functions[function].is_length else 1.0)
            rows.append(scale * system.gradient(q, function) * system.scale_columns)
            rest.append(scale * (system.value(q, function) - value))
        return np.array(rows).reshape(len(rows), system.nv), np.array(rest)

    def continuation(self, start: Floats, portions: int = 20) -> Floats:
        """Return the pose reached by asking for a residual that shrinks from the start's to zero."""
        q, first = start.copy(), self.residual(start)
        for k in range(1, portions + 1):
            self.target = first * (1.0 - k / portions)
            q = self.newton(q, 15)
        self.target = np.zeros(self.count)
        return self.newton(q)

    def flipped(self, q: Floats) -> list[str]:
        """Return the joints and held orientations whose rows are satisfied by axes that do not point the same way.

        Rows of dot products alone also accept axes against each other, and turns by a third about the diagonal.
        """
        tables = self.system.tables
        found: list[str] = []
        if tables.dimension == 2:
            return found
        pairs = [(n, a, b, tables.model.joints[n].kind.structure(3).aligned) for n, (a, b) in tables.ends.items()]
        pairs += [(held.path, held.first, held.second, ("f", "g", "h")) for held in tables.held_rotations]
        for name, first, second, letters in pairs:
            if letters:
                A = read_pose(self.system, q, first.body)[1] @ tables.matrix(first.axes)
                B = read_pose(self.system, q, second.body)[1] @ tables.matrix(second.axes)
                if any(A[:, k] @ B[:, k] < 0.5 for k in ("fgh".index(letter) for letter in letters)):
                    found.append(name)
        return found

    def _unflip(self, q: Floats) -> Floats:
        """Return a pose in which flipped joints were turned over and the mechanism closed again, if that works."""
        for _ in range(3):
            names = self.flipped(q)
            if not names or self.system.nv > DENSE_ASSEMBLY:
                return q
            turned = q.copy()
            for name in names:
                self._turn_over(turned, name)
            q = self.newton(turned)
        return q

    def _turn_over(self, q: Floats, name: str) -> None:
        """Turn the second body (the first, if that is the ground) so that the joint's frames align."""
        tables = self.system.tables
        held = {held.path: (held.first, held.second) for held in tables.held_rotations}
        first, second = tables.ends[name] if name in tables.ends else held[name]
        a, b = (first, second) if second.body else (second, first)
        A = read_pose(self.system, q, a.body)[1] @ tables.matrix(a.axes)
        r, B = read_pose(self.system, q, b.body)
        point = r + B @ tables.vector(b.point)
        C = A @ tables.matrix(b.axes).T
        write_pose(self.system, q, b.body, point - C @ tables.vector(b.point), C)

    def status(self, q: Floats) -> Status:
        """Return whether the pose is closed, in words."""
        system = self.system
        values = self.residual(q)
        lost = np.flatnonzero(~np.isfinite(values))
        if len(lost):
            info = system.tables.rows[lost[0]]
            where = f"{ {'joint': 'joints', 'motion': 'motions', 'held': 'initial'}[info.group] }.{info.owner}"
            hint = f"check its formula, or {self._elsewhere()}"
            raise ModelError(f"it has no finite value where assembly looked at t = {self.t:g}", where=where, hint=hint)
        if not np.all(np.isfinite(q)):
            return Status(False, "assembly gave a number that is not finite", self.t, advice="check the guess")
        flipped = self.flipped(q)
        k = most_open(values)
        if k < 0 or (abs(values[k]) < CLOSED and not flipped):
            return Status(True, "assembled", self.t)
        if abs(values[k]) < CLOSED:
            kind = "joint" if flipped[0] in system.tables.ends else "held value"
            message = f'{kind} "{flipped[0]}" closes only with its axes turned over'
            return Status(False, message, self.t, advice="turn one of its axes round, or start elsewhere with a guess")
        info = system.tables.rows[k]
        unit = system.tables.model.units.length if info.is_length else "rad"
        same = [r for r, row in enumerate(system.tables.rows) if row.owner == info.owner and row.is_length == info.is_length]
        part = values[same] / system.scale_rows[same] if info.group == "joint" else values[k] / system.scale_rows[k]
        gap = float(np.linalg.norm(part))
        kind = {"joint": "joint", "motion": "motion", "held": "held value"}[info.group]
        message = f'{kind} "{info.owner}" cannot close: {gap:.4g} {unit} remain (worst: "{info.name}")'
        return Status(False, message, self.t, info.name, gap, self._advice(info.group))

    def _advice(self, group: str) -> str:
        """Return what would help a mechanism that does not close."""
        start = self._elsewhere()
        if group == "joint":
            return f"check the lengths (a link may be that much too short or too long), or {start}"
        return f"the mechanism cannot reach this value; change it, or {start}"

    def _elsewhere(self) -> str:
        """Return how another start is asked for."""
        others = [guess.path for guess in self.system.tables.guesses]
        free = [n for n, j in self.system.tables.model.joints.items() if j.names_of_coordinates(self.system.tables.dimension)]
        return f"start elsewhere with guess: {{{(others or free or ['JOINT'])[0]}: ...}}"


def velocities(system: System, q: Floats, t: float, status: Status) -> tuple[Floats, Status]:
    """Return v that satisfies joints, motions and held rates, and is small otherwise, with the status."""
    n = system.nv
    if not status.success:
        return np.zeros(n), status
    given, t = t, limit_after(system.tables.model, t)
    side = system.velocity_side(q, t) * system.scale_rows[: system.rows]
    lost = np.flatnonzero(~np.isfinite(side + system.velocity_side(q, given)))
    if len(lost):
        owner = system.tables.rows[lost[0]].owner
        where = f"{'motions' if system.tables.rows[lost[0]].group == 'motion' else 'joints'}.{owner}"
        raise ModelError(f"its rate is not a finite number at t = {given:g}", where=where, hint="check its formula there")
    names = [row.name for row in system.tables.rows[: system.rows]]
    hard: list[Floats] = []
    values, soft, rest = list(side), [], []
    driven = driven_functions(system)  # their rates are the motions'; what is held there was compared with them
    for condition in system.tables.rates:
        if condition.held and condition.function in driven:
            continue
        row, scale = _rate_row(system, q, condition)
        if condition.held:
            hard.append(row * scale)
            values.append(float(system.F[condition.value]) * scale)
            names.append(f"initial {condition.path}")
        else:
            root = float(system.F[condition.weight]) ** 0.5 * scale
            soft.append(row * root)
            rest.append(-float(system.F[condition.value]) * root)
    held, right = np.array(hard).reshape(len(hard), n), np.array(values)
    wishes = np.array(soft).reshape(len(soft), n)
    if n > DENSE_ASSEMBLY:
        from scipy.sparse import csr_array, vstack

        from multibody.rank.decider import scaled_rows

        matrix: Any = csr_array(vstack([scaled_rows(system, q, t, system.rows), csr_array(held)]))
        x = sparse_step(matrix, -right, csr_array(wishes), np.array(rest))
    else:
        matrix = np.vstack([system.scaled(system.jacobian(q, t)), held])
        x = _rates_by_rank(matrix[: system.rows], side, held, right[system.rows :], wishes, np.array(rest))
    missing = np.abs(matrix @ x - right)
    k = int(np.argmax(missing)) if len(missing) else -1
    if k >= 0 and missing[k] > 1e-8 * max(1.0, float(np.max(np.abs(right)))):
        message = f'the rates cannot be met: "{names[k]}" misses its value by {missing[k]:.4g} (scaled)'
        advice = "two held rates or a motion contradict each other here, or the mechanism is singular"
        return x * system.scale_columns, Status(False, message, t, names[k], float(missing[k]), advice)
    return x * system.scale_columns, status


def _rates_by_rank(J: Floats, side: Floats, held: Floats, values: Floats, wishes: Floats, rest: Floats) -> Floats:
    """Return v that satisfies the joints first, held rates as far as these allow, then wishes; smallest otherwise."""
    x, Z = least_norm(J, side)
    if len(held) and Z.shape[1]:
        y, N = least_norm(held @ Z, values - held @ x, size=largest_row(held))
        x, Z = x + Z @ y, Z @ N
    if len(wishes) and Z.shape[1]:
        wish, _ = least_norm(wishes @ Z, -rest - wishes @ x, WEAK, largest_row(wishes))
        x = x + Z @ wish
    return np.asarray(x)


def _rate_row(system: System, q: Floats, condition: LoweredRate) -> tuple[Floats, float]:
    """Return the row of a rate condition (scaled columns) and the factor that makes it free of units."""
    if condition.function >= 0:
        scale = 1.0 / system.tables.length if system.tables.functions[condition.function].is_length else 1.0
        return system.gradient(q, condition.function) * system.scale_columns, scale
    row = np.zeros(system.nv)
    A = read_pose(system, q, condition.body)[1]
    row[system.tables.layout.spin(condition.body)] = A[condition.axis]
    return row, 1.0
