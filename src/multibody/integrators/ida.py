"""IDA of SUNDIALS (through scikit-sundae) on the same equations as the other implicit methods: an oracle for them.

Hindmarsh et al., ACM TOMS 31 (2005) 363: backward differentiation of variable order and step, fixed leading coefficient. The
unknowns are Y = (q, v, w, λ, μ), the equations those of the stabilized form of index 2 (Gear, Gupta, Leimkuhler),

    q̇ = N(q)(v + G μ),   R(t, q, v, v̇, λ) = 0,   ẇ = power,   ψ = 0,   Φ = 0,

with G the smallest change by the masses that closes gaps (CORRECT): Φ_q G = 1, and μ vanishes on every solution. Only q and v
are in its tests, as in those of ``bdf``; λ, μ and w get a tolerance that lets everything pass. The Jacobian is dense and exact
but for how G changes with q. This is made for small models, and steps are made by a loop in Python.

Unlike the other methods it goes on from its own state where `accept` moves it (by rounding); what is given out is moved.
"""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.integrators import contract as at
from multibody.integrators.contract import interpolate_polynomial
from multibody.integrators.implicit import CORRECT, LINEARIZE, MOVE, PRODUCT, RESIDUAL, START
from multibody.kernels.acceptance import MOVED, UNMOVED
from multibody.kernels.calls import call
from multibody.kernels.compile import kernel
from multibody.kernels.stacked import ASKED, RATES, TANGENT, changes_size, lambda_at, positions_at, power_at

Floats = npt.NDArray[np.float64]
Run = tuple[int, int, int]  # where model, state and scratch lie
UNTESTED = 1e30  # absolute tolerance of what is in no test
RETRIES = 30  # in a row, each with half the step
SHORTEST = 1e-14  # of |t|: a step that leads nowhere

interpolate_ida = interpolate_polynomial
rows_ida = 1


@kernel
def ask_ida(address, run, t, x, out):
    """Call the function at an address."""
    return call(address, run, t, x, out)


@kernel
def residual_ida(ops, run, t, counts, y, slope, out, x, r, move, d):
    """Write all residuals at (t, Y, Ẏ); return a status. x, r, move, d are room for vectors."""
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    first, last, end = nq + n + 1, nq + n + 1 + m, ASKED + nq + n  # of λ and ψ, of μ and Φ; of the question
    for i in range(nq + n):
        x[i] = y[i]
    for i in range(n):
        x[nq + n + i] = slope[nq + i]
        d[i] = 0.0
    for i in range(m):
        x[lambda_at(nq, n) + i] = y[first + i]
    status = call(ops[RESIDUAL], run, t, x, r)
    if status != 0:
        return status
    if m > 0 and call(ops[CORRECT], run, t, y[last:], d) != 0:
        return 1
    move[0] = RATES
    for i in range(nq):
        move[ASKED + i] = y[i]
    for i in range(n):
        move[ASKED + nq + i] = y[nq + i] + d[i]
    status = call(ops[MOVE], run, t, move[:end], out[:nq])
    for i in range(nq):
        out[i] = slope[i] - out[i]
    for i in range(n):
        out[nq + i] = r[i]
    out[nq + n] = slope[nq + n] - r[power_at(n, m)]
    for i in range(2 * m):
        out[first + i] = r[n + i]
    return status


@kernel
def jacobian_ida(ops, run, t, counts, cj, J, x, r, move, d, z, b, p, q):
    """Write ∂F/∂Y + cj ∂F/∂Ẏ into J, at the point of the residual evaluated last; return a status. z, b, p, q: more room."""
    nq, n, m = counts[at.NQ], counts[at.NV], counts[at.NM]
    first, last, end = nq + n + 1, nq + n + 1 + m, ASKED + nq + n  # of λ and ψ, of μ and Φ; of the question
    for i in range(J.shape[0]):
        for j in range(J.shape[1]):
            J[i, j] = 0.0
    status = call(ops[LINEARIZE], run, t, x, x)
    if status != 0:
        return status
    for i in range(nq + n + 1):
        if not nq <= i < nq + n:
            J[i, i] = cj
    call(ops[MOVE], run, t, move[:end], q)
    for j in range(nq):  # N(q) w is linear in q
        move[ASKED + j] += 1.0
        call(ops[MOVE], run, t, move[:end], p[:nq])
        move[ASKED + j] -= 1.0
        for i in range(nq):
            J[i, j] -= p[i] - q[i]
    for j in range(n):
        for i in range(changes_size(n)):
            z[i] = 0.0
        z[j] = cj
        z[n + j] = 1.0
        call(ops[PRODUCT], run, t, z, b)
        for i in range(n):
            J[nq + i, nq + j] = b[i]
        for k in range(m):
            J[first + k, nq + j] = b[n + k]
            J[nq + j, first + k] = b[n + k]
    for j in range(n + m):  # N, and N G
        if j >= n:
            for k in range(m):
                b[k] = 1.0 if k == j - n else 0.0
            call(ops[CORRECT], run, t, b[:m], d)
        for i in range(n):
            move[ASKED + nq + i] = d[i] if j >= n else 1.0 if i == j else 0.0
        call(ops[MOVE], run, t, move[:end], p[:nq])
        for i in range(nq):
            J[i, nq + j if j < n else last + j - n] = -p[i]
    move[0] = TANGENT
    for j in range(nq):  # along the tangent of a change of q
        for i in range(nq):
            move[ASKED + nq + i] = 1.0 if i == j else 0.0
        call(ops[MOVE], run, t, move[: ASKED + nq + nq], p[:n])
        for part in range(2):
            for i in range(changes_size(n)):
                z[i] = 0.0
            for i in range(n):
                z[(positions_at(n) if part == 0 else n) + i] = p[i]
            call(ops[PRODUCT], run, t, z, b)
            for k in range(m):
                J[(first if part == 0 else last) + k, j] = b[n + k]
            if part == 0:
                for i in range(n):
                    J[nq + i, j] = b[i]
    return 0


class Session:
    """One simulation: IDA's solver, and the last points for dense output.

    Parameters
    ----------
    ops, run
        Addresses, and those of the blocks that they take.
    ref : array
        Angle references in the state.
    control, counts : arrays
        As the contract says; tolerance, order and longest step are read from them.
    atol : array
    """

    def __init__(self, ops: Any, run: Run, ref: Floats, control: Floats, counts: Any, atol: Floats) -> None:
        self.ops, self.run, self.ref, self.control, self.counts, self.atol = ops, run, ref, control, counts, atol
        nq, n, m = (int(counts[k]) for k in (at.NQ, at.NV, at.NM))
        self.nq, self.n, self.m, self.size = nq, n, m, nq + n + 1 + 2 * m
        self.room = (np.zeros(nq + 2 * n + m), np.zeros(n + 3 * m + 1), np.zeros(2 + nq + max(nq, n)), np.zeros(n))
        self.more = (np.zeros(3 * n), np.zeros(n + m), np.zeros(max(nq, n)), np.zeros(nq))
        self.y, self.slope, self.out = np.zeros(self.size), np.zeros(self.size), np.zeros(self.size)
        self.matrix = np.zeros((self.size, self.size))
        self.solver: Any = None
        self.points: list[tuple[float, Floats, Floats]] = []

    def residual(self, t: float, y: Floats, slope: Floats, out: Floats) -> None:
        """Fill the residuals; what cannot be evaluated is no number, and the step is tried again shorter."""
        self.y[:], self.slope[:] = y, slope
        self.counts[at.EVALUATIONS] += 1
        status = residual_ida(self.ops, self.run, t, self.counts, self.y, self.slope, self.out, *self.room)
        out[:] = self.out if status == 0 else math.nan

    def jacobian(self, t: float, y: Floats, slope: Floats, residual: Floats, cj: float, out: Floats) -> None:
        """Fill the exact Jacobian."""
        self.y[:], self.slope[:] = y, slope
        self.counts[at.JACOBIANS] += 1
        self.counts[at.FACTORIZATIONS] += 1
        status = residual_ida(self.ops, self.run, t, self.counts, self.y, self.slope, self.out, *self.room)
        if status == 0:
            status = jacobian_ida(self.ops, self.run, t, self.counts, cj, self.matrix, *self.room, *self.more)
        out[:] = self.matrix if status == 0 else math.nan

    def begin(self, t: float, y: Floats, longest: float) -> int:
        """Start at (t, y) with consistent accelerations and multipliers; return a status."""
        from sksundae.ida import IDA

        nq, n, m = self.nq, self.n, self.m
        found, rates = np.zeros(n + m + 1), np.zeros(nq)
        self.counts[at.EVALUATIONS] += 1
        status = int(ask_ida(self.ops[START], self.run, t, y, found))
        if status != 0:
            return status
        ask_ida(self.ops[MOVE], self.run, t, np.concatenate([[0.0], y[: nq + n]]), rates)
        y0 = np.concatenate([y, found[n : n + m], np.zeros(m)])
        slope = np.concatenate([rates, found[:n], found[n + m :], np.zeros(2 * m)])
        share = math.sqrt((nq + n) / self.size)  # its norm is a mean over all unknowns, most of which are in no test
        atol = np.full(self.size, UNTESTED)
        atol[: nq + n] = share * self.atol[: nq + n]
        self.solver = IDA(
            self.residual, jacfn=self.jacobian, algebraic_idx=np.arange(nq + n + 1, self.size) if m else None, atol=atol,
            rtol=share * self.control[at.RTOL], first_step=float(self.control[at.H]), max_step=longest,
            max_order=int(self.counts[at.MAX_ORDER]), max_num_steps=10, linsolver="dense",
        )  # fmt: skip
        self.solver.init_step(t, y0, slope)
        self.points = [(t, y.copy(), slope[: len(y)].copy())]
        return 0

    def step(self, end: float) -> tuple[bool, float, Floats, Floats]:
        """Make one step; return whether that went well, the new time, state and slope."""
        done = self.solver.step(end, method="onestep", tstop=end)
        n = self.nq + self.n + 1
        return bool(done.success), float(done.t), np.array(done.y[:n]), np.array(done.yp[:n])

    def dense(self, t: float, y: Floats, slope: Floats, row: Floats) -> None:
        """Write the powers of (t − t0)/h of the polynomial with values and slopes of the step's ends and the point before."""
        t0 = self.points[-1][0]
        h = t - t0
        nodes, values = [], []
        for when, value, rate in [(t, y, slope), *reversed(self.points[-2:])]:
            nodes += [(when - t0) / h] * 2
            values += [value, h * rate]
        table = [values[k - k % 2] for k in range(len(values))]
        row[:] = 0.0
        basis, coefficients = np.array([1.0]), [table[0]]
        for order in range(1, len(nodes)):
            table = [
                values[k + 1] if order == 1 and k % 2 == 0 else (table[k + 1] - table[k]) / (nodes[k + order] - nodes[k])
                for k in range(len(nodes) - order)
            ]
            coefficients.append(table[0])
        for order, coefficient in enumerate(coefficients):
            row[: order + 1] += np.outer(basis, coefficient)
            basis = np.convolve(basis, [-nodes[order], 1.0])


_SESSIONS: dict[int, tuple[weakref.ref[Any], Session]] = {}


def _session(control: Floats, make: Any) -> Session:
    """Return the session that belongs to an array `control`; it ends with it."""
    key = id(control)
    if key not in _SESSIONS or _SESSIONS[key][0]() is not control:
        _SESSIONS[key] = (weakref.ref(control, lambda _: _SESSIONS.pop(key, None)), make())
    return _SESSIONS[key][1]


def advance_ida(
    ops: Any, accept: int, monitor: int, run: Run, ref: Floats, control: Floats, counts: Any, y: Floats,
    atol: Floats, active: Floats, memory: Floats, g: Floats, steps: Floats, dense: Floats, refs: Floats, work: Floats,
) -> int:  # fmt: skip
    """Step towards END as the contract says; return why it stopped."""
    session = _session(control, lambda: Session(ops, run, ref, control, counts, atol))
    session.run, session.ref = run, ref  # arrays that were made anew lie elsewhere
    if control[at.END] == control[at.T]:
        return at.DONE
    turned = (control[at.END] - control[at.T]) * control[at.H_LAST] < 0.0
    if counts[at.FRESH] == 1 or turned or session.solver is None:
        status = session.begin(float(control[at.T]), y, float(control[at.HMAX]))
        if status != 0:
            counts[at.CODE] = status
            return at.RHS_FAILED
        counts[at.FRESH] = 0
        if monitor != 0:
            ask_ida(monitor, run, control[at.T], y, g[1])
    last = counts[at.STEPS] + counts[at.LIMIT]
    while True:
        if control[at.T] == control[at.END]:
            return at.DONE
        if counts[at.STORED] >= len(steps):
            return at.OUTPUT_FULL
        if counts[at.STEPS] >= last:
            return at.CONTINUE
        status = _step(session, accept, monitor, control, counts, y, active, g, steps, dense, refs)
        if status != at.CONTINUE:
            return status


def _step(
    session: Session, accept: int, monitor: int, control: Floats, counts: Any, y: Floats, active: Floats, g: Floats,
    steps: Floats, dense: Floats, refs: Floats,
) -> int:  # fmt: skip
    """Make one step that is accepted; return CONTINUE, EVENT or what went wrong."""
    k, ref = int(counts[at.STORED]), session.ref
    refs[k] = ref
    for _ in range(RETRIES):
        ok, t, state, slope = session.step(float(control[at.END]))
        tiny = abs(t - float(control[at.T])) < SHORTEST * abs(t) and t != control[at.END]  # IDA would go on for ever
        if not ok or not np.all(np.isfinite(state)) or tiny:
            return at.STEP_TOO_SMALL
        new = state.copy()
        answer = int(ask_ida(accept, session.run, t, new, active)) if accept != 0 else 0
        answer -= at.ROUGH if answer >= at.ROUGH else 0
        if UNMOVED <= answer <= MOVED:
            break
        ref[:] = refs[k]
        if answer < 0:
            counts[at.CODE] = answer
            session.solver = None
            return at.ACCEPT_FAILED
        counts[at.REJECTED] += 1  # refused: it begins anew where it was, with shorter steps
        session.begin(float(control[at.T]), y, 0.5 * abs(t - float(control[at.T])))
    else:
        return at.STEP_TOO_SMALL
    counts[at.MOVED] += answer
    g[0] = g[1]
    crossed = False
    if monitor != 0:
        ask_ida(monitor, session.run, t, new, g[1])
        crossed = bool(np.any(((g[0] < 0.0) & (g[1] >= 0.0)) | ((g[0] > 0.0) & (g[1] <= 0.0))))
    if crossed or counts[at.DENSE] != 0:
        session.dense(t, state, slope, dense[k])
        steps[k] = control[at.T], t - control[at.T]
        counts[at.STORED] += 1
    session.points = [*session.points[-1:], (t, state, slope)]
    control[at.T_LAST], control[at.H_LAST], control[at.T] = control[at.T], t - control[at.T], t
    y[:] = new
    counts[at.STEPS] += 1
    return at.EVENT if crossed else at.CONTINUE
