"""Forces, efforts, energies and momentum by path, with their units and what is known about them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.analyses.measures.measure import Measure
from multibody.analyses.reactions.reactions import Reactions
from multibody.analyses.reactions.wrenches import Wrench, arm_cross
from multibody.errors import ModelError
from multibody.model.dimensions import ENERGY, product, unit_name
from multibody.model.paths import Path
from multibody.state.kinetics import Dynamics
from multibody.state.system import Floats
from multibody.tables.expression_forces import effort_formula, target_formula
from multibody.tables.products import dot, turned, turned_back
from multibody.tables.scope import Scope

if TYPE_CHECKING:
    from multibody.analyses.measures.measure import Measurer

RAISES = "positive if it raises the coordinate"


class ForceValues:
    """Everything about forces that a path can name.

    Parameters
    ----------
    measurer : Measurer
    dynamics : Dynamics
    reactions : Reactions, optional
        Of this motion, where they are not the usual ones.
    """

    def __init__(self, measurer: Measurer, dynamics: Dynamics, reactions: Reactions | None = None) -> None:
        self.measurer, self.dynamics, self.tables = measurer, dynamics, measurer.tables
        self.model = measurer.model
        self.reactions = Reactions(measurer, dynamics) if reactions is None else reactions
        self._wrenches: dict[tuple[str, bool], Wrench] = {}

    def measure(self, path: Path) -> Measure:
        """Return a path of forces, energies or momentum over time."""
        if path.kind in ("reaction", "total"):
            values, unit, about = self._wrench(path)
        elif path.kind == "load":
            values, unit, about = self._force(path)
        elif path.kind == "effort":
            values, unit, about = self._effort(path)
        elif path.kind == "energy":
            values, unit, about = self.energy(path.item), self.model.units.names["energy"], {}
        else:
            values, unit, about = self._momentum(path)
        return Measure(values, unit, {"path": path.text, **about})

    # --- wrenches -----------------------------------------------------------------------------------------------------
    def wrench(self, joint: str, drives: bool = False) -> Wrench:
        """Return a joint's wrench on its second body at its point; with `drives`, with the efforts on its coordinates."""
        key = (joint, drives)
        if key not in self._wrenches:
            self._wrenches[key] = self.reactions.joint_wrench(joint, drives)
        return self._wrenches[key]

    def _part(self, wrench: Wrench, path: Path) -> Floats:
        """Return force or moment, whole or one component; a planar moment is a number an instant."""
        values = wrench.force if path.item == "force" else wrench.moment
        if path.axis >= 0:
            return values[:, path.axis]
        return values[:, 0] if values.shape[1] == 1 else values

    def _wrench(self, path: Path) -> tuple[Floats, str, dict[str, Any]]:
        values = self._part(self.wrench(path.owner, path.kind == "total"), path)
        flags = self.reactions.unique(path.owner)[path.item == "moment"]
        unique = flags[path.axis] if path.axis >= 0 else all(flags)
        about: dict[str, Any] = {"axes": "ground", **self.about_joint(path.owner), "unique": unique}
        if path.axis < 0:
            about["unique_components"] = flags
        return values, self.model.units.names[path.item], about

    def about_joint(self, joint: str) -> dict[str, str]:
        """Return point, body and sign of a joint's wrench in words."""
        second = self.tables.bodies[self.tables.ends[joint][1].body]
        return {"point": self.point_name(joint), "on_body": second, "sign": f'what the joint does to "{second}"'}

    def point_name(self, joint: str) -> str:
        """Return the point of a joint's wrench in words: ``rod.small``, or the joint where it is made in place."""
        item = self.model.joints[joint]
        if item.kind.relation == "cam":
            return "contact"
        return ".".join(self.model.find_end(item.second, joint)) if item.at is None else f"origin of {joint}'s second frame"

    def _force(self, path: Path) -> tuple[Floats, str, dict[str, Any]]:
        """Return force or moment of a force at a frame, or of a bushing on its second body."""
        force, r = self.model.forces[path.owner], self.reactions
        about: dict[str, Any] = {"axes": "ground", "point": force.target[-1]}
        if path.owner in self.tables.load_of:
            return self._part(r.load(path.owner), path), self.model.units.names[path.item], about
        first, second = (self.model.find_end(end, path.owner)[0] for end in force.target)
        if first == second:
            hint = f"what it does there cancels; read {path.owner}.effort"
            raise ModelError(f'"{path.owner}" joins two frames of "{first}"', where=path.text, hint=hint)
        about["sign"] = f'what it does to "{second}"'
        return self._part(r.between(path.owner), path), self.model.units.names[path.item], about

    # --- efforts ------------------------------------------------------------------------------------------------------
    def _effort(self, path: Path) -> tuple[Floats, str, dict[str, Any]]:
        if path.of == "force" and self.model.forces[path.owner].kind.name != "spring":
            return self._law_effort(path.owner)
        if path.of == "coupler":
            row = self.tables.joint_rows[path.owner].start
            relation: dict[str, Any] = {"sign": "times ∂expression/∂coordinate it is the effort along a coordinate"}
            return -self.reactions.multipliers[:, row], "", relation
        key = ("spring", path.owner, "length", 0) if path.of == "force" else (path.of, path.owner, path.item, path.axis)
        function = self.tables.coordinates.get(key)
        if function is None:
            core = path.text.rpartition(".")[0]
            raise ModelError(f'nothing acts along "{core}"', hint="no motion and no effort names it")
        about = {"sign": RAISES, "unique": self.reactions.unique_effort(function)}
        beside = self._beside(path.of, path.owner, function)
        if beside:
            about["beside"] = beside
        return self.reactions.effort_along(function), self.effort_unit(function), about

    def _beside(self, kind: str, owner: str, function: int) -> str:
        """Return the efforts along other coordinates of the same joint, as of a screw that is driven by its position."""
        others = [
            f"{joint}.{item}.effort" for (of, joint, item, _), other in self.tables.coordinates.items()
            if of == kind == "joint" and joint == owner and other != function and other in self.reactions.acted_on
        ]  # fmt: skip
        return ", ".join(others)

    def effort_unit(self, function: int) -> str:
        """Return the unit of an effort along a coordinate function."""
        return self.model.units.names["force" if self.tables.functions[function].is_length else "moment"]

    def _law_effort(self, name: str) -> tuple[Floats, str, dict[str, Any]]:
        """Return the effort of one force along its coordinate; of a bushing those along and about its first frame's axes."""
        if self.model.forces[name].on_expression:
            return self._expression_effort(name)
        which, force, d = self.tables.efforts_of(name), self.model.forces[name], self.tables.dimension
        if force.kind.target == "ends" and force.kind.name != "spring":
            names = self.model.units.names
            units = [names["force"] if k < d else names["moment"] for k in range(len(which))]
            axes = {"sign": RAISES, "axes": f"of {force.target[0]}"}
            return self.dynamics.efforts[:, which], ", ".join(units), axes
        law = self.tables.laws[which[0]]
        return self.dynamics.efforts[:, which[0]], self.effort_unit(law.function), {"sign": RAISES}

    def _expression_effort(self, name: str) -> tuple[Floats, str, dict[str, Any]]:
        """Return the effort of a stop or a friction along the expression that it acts on."""
        force, measurer, scope = self.model.forces[name], self.measurer, Scope(self.model)
        lengths = any(self.tables.functions[self.tables.laws[law].function].is_length for law in self.tables.laws_of[name])
        found, plain = measurer.dimension(target_formula(scope, force))
        unit = "" if plain or found is None else unit_name(product(ENERGY, found, -1), self.model.units)
        about = {"sign": "positive if it raises the expression", "along": force.target[0]}
        return measurer.values_of(effort_formula(scope, force, lengths)), unit, about

    # --- energy and momentum ------------------------------------------------------------------------------------------
    def energy(self, item: str) -> Floats:
        """Return kinetic, potential or total energy, or the work since the start of all that has no potential."""
        d = self.dynamics
        if item == "work" and d.dense is None and len(d.rows) == self.tables.nv and not np.any(d.work):
            return self.driven_work
        return {"kinetic": d.kinetic, "potential": d.potential, "total": d.kinetic + d.potential, "work": d.work}[item]

    @cached_property
    def driven_work(self) -> Floats:
        """Work of motions and forces without potential, where motions determine everything: its power, integrated."""
        m, r, d = self.measurer, self.reactions, self.dynamics
        if len(m.t) < 2:  # one instant says nothing about what went before
            return np.full(len(m.t), np.nan)
        power = np.zeros(len(m.t))
        for k, t in enumerate(m.t):
            r.refer(k)
            power[k] = -r.multipliers[k] @ r.system.velocity_side(np.ascontiguousarray(m.q[k]), float(t))
        for k, law in enumerate(self.tables.laws):
            power += d.efforts[:, k] * m.coordinate(law.function)[1]
        for name in self.tables.load_of:
            wrench = r.load(name)
            body, frame = self.model.find_end(self.model.forces[name].target[0], name)
            spin = m.body_motion(body).spin
            power += dot(wrench.force, m.frame(body, frame)[1])
            power += dot(wrench.moment, spin[:, None] if spin.ndim == 1 else spin)
        for name in self.tables.wrench_of:
            for body, wrench in r.on_ends(name).items():
                motion = m.body_motion(body)
                spin = motion.spin
                power += dot(wrench.force, motion.velocity)
                power += dot(wrench.moment, spin[:, None] if spin.ndim == 1 else spin)
        elastic = d.potential - self._weight_potential()
        return np.asarray(_integral(m.t, power) + elastic - elastic[0])

    def _weight_potential(self) -> Floats:
        """Return the potential energy of gravity."""
        g = self.tables.gravity
        total = np.zeros(len(self.measurer.t))
        for name, slots in zip(self.tables.bodies[1:], self.tables.masses, strict=True):
            total -= self.tables.F[slots.mass] * dot(self.measurer.body_motion(name).position, g)
        return total

    def momentum(self) -> tuple[Floats, Floats]:
        """Return linear momentum and angular momentum about the ground's origin, ground axes (planar: a number)."""
        tables, n = self.tables, len(self.measurer.t)
        linear, angular = np.zeros((n, tables.dimension)), np.zeros((n, 1 if tables.dimension == 2 else 3))
        for name, (mass, inertia) in zip(tables.bodies[1:], tables.masses, strict=True):
            motion = self.measurer.body_motion(name)
            r, A, dr, w = motion.position, motion.axes, motion.velocity, motion.spin
            own = np.asarray(tables.F[mass])[..., None] * dr
            linear = linear + own
            angular = angular + arm_cross(r, own)
            if tables.dimension == 2:
                angular[:, 0] += tables.F[inertia] * w
            else:
                angular += turned(A, turned(tables.matrix(inertia), turned_back(A, w)))
        return linear, angular

    def _momentum(self, path: Path) -> tuple[Floats, str, dict[str, Any]]:
        units = self.model.units
        linear, angular = self.momentum()
        unit = f"{units.mass}·{units.length}/{units.time}" if units.mass else f"{units.force}·{units.time}"
        values, about = linear, {"axes": "ground"}
        if path.kind == "angular_momentum":
            unit = f"{units.mass}·{units.length}²/{units.time}" if units.mass else f"{units.force}·{units.length}·{units.time}"
            values, about = angular, {"axes": "ground", "point": "ground.origin"}
        if path.axis >= 0:
            return values[:, path.axis], unit, about
        return (values[:, 0] if values.shape[1] == 1 else values), unit, about


def _integral(t: Floats, power: Floats) -> Floats:
    """Return ∫ power dt from the first instant on, by a cubic spline; time may go back, and instants may come twice.

    Behind an instant without a finite power there is no integral: NaN.
    """
    from scipy.interpolate import CubicSpline

    known = int(np.argmin(np.isfinite(power))) if not np.all(np.isfinite(power)) else len(power)
    sign = -1.0 if t[-1] < t[0] else 1.0
    way = sign * t[:known]
    own = np.concatenate([[True], np.diff(way) > 0.0])[:known]
    found = np.full(len(t), np.nan)
    if np.count_nonzero(own) > 1:
        spline = CubicSpline(way[own], power[:known][own]).antiderivative()
        found[:known] = sign * (spline(way) - spline(way[0]))
    elif known:
        found[:known] = 0.0
    return found
