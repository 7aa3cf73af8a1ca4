"""A tree bound to arrays: its coordinates, and the checks of what a caller hands in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from multibody.analyses.assembly.assemble import assemble
from multibody.analyses.given.initial import adopted
from multibody.analyses.robot.coupling import coupling_of
from multibody.arguments import answered, number_in, short
from multibody.errors import MassError, ModelError
from multibody.formulations.spaces.joint_coordinates import count_turns, joint_coordinates
from multibody.kernels.arrays import Arrays
from multibody.kernels.declared import State as StateBlock
from multibody.kernels.robot.applied import body_states
from multibody.kernels.robot.declared import FrameCall, JointLaws
from multibody.kernels.robot.frames import displaced
from multibody.kernels.tags import ACTED, ALONE, PLANAR, SPATIAL
from multibody.kernels.tree import declared as T
from multibody.model.model import Model
from multibody.model.names import unknown
from multibody.state.state import State
from multibody.state.system import Floats, Integers, System, tables_of
from multibody.tables.columns import Columns, columns_of
from multibody.tables.lower import Tables
from multibody.tables.tree import Tree, spanning_tree
from multibody.tables.tree_arrays import tree_blocks

SHOWN = 6  # names that an error lists
WITHOUT_MASS = (  # what can be asked of a robot whose bodies state no masses
    "displaced", "state", "applied", "inverse_kinematics", "trajectory", "regressor", "frame_pose", "frame_jacobian",
    "frame_jacobian_rate", "frame_velocity", "frame_acceleration",
)  # fmt: skip
WITHOUT_INERTIA = ("mass", "gravity", "center_of_mass", "potential_energy")


@answered
class RobotBase:
    """The tree of a model with arrays of its own; see :class:`multibody.Robot`."""

    def __init__(self, model: Model, cut: Sequence[str] | None = None, forces: bool = True) -> None:
        if not isinstance(forces, bool):
            raise ModelError(f"forces is {short(forces)}", where="robot.forces", hint="say True or False")
        self.tables: Tables = tables_of(model)
        self.model, self._cut, self._forces = self.tables.model, cut, forces
        self.tree: Tree = spanning_tree(self.tables, cut)
        self._refuse_loops(cut)
        self._columns: Columns = columns_of(self.tables, self.tree, prescribed=False)
        self._coupling = coupling_of(self.tables, self._columns, self._couplers(cut))
        self.followers: dict[str, str] = {} if self._coupling is None else self._coupling.followers
        self.dimension = self.tables.dimension
        self._tree_nq, self._tree_nv = self._columns.nq, self._columns.nv
        self.nq, self.nv = self._tree_nq - len(self.followers), self._tree_nv - len(self.followers)
        self.width = self.tables.width
        self.joints = [link.joint for link in self.tree.links if link.joint]
        self.bodies = [self.tables.bodies[link.body] for link in self.tree.links]
        self._tree_rates = [column.name for column in self._columns.columns]
        self._tree_coordinates = self._names()
        self.rates = [name for name in self._tree_rates if name not in self.followers]
        self.coordinates = [name for name in self._tree_coordinates if name not in self.followers]
        self._d = PLANAR if self.dimension == 2 else SPATIAL
        self._acted = ACTED if forces and (self.tables.laws or self.tables.loads or self.tables.wrenches) else ALONE
        self._dense = self._tree_nv <= MOST_DENSE  # whether a mass matrix is provided
        self._tree = tree_blocks(self._columns, formed=self._dense)
        self._tree.model.acted = 0  # where composite inertias subtract what acts on the links, that is said
        self._ref: Floats = np.zeros(max(len(self.tables.functions), 1))
        self._arrays = self._arrays_of(self._tree)
        self._at_model, _, self._at_scratch = self._arrays.run
        self._turns = self._counted()
        self._wide_shape, self._mass_shape = (self.width, self.nv), (self.nv, self.nv)
        self._pose_shape = (self.dimension, self.dimension)
        self._frame_calls: list[FrameCall] = []  # what quick entrances read, kept alive
        self._at_frames: dict[str, int] = {}
        self._tasks: dict[Any, Any] = {}  # frames that were asked for by inverse kinematics
        if self._acted:
            self._start  # noqa: B018  planar angles of bodies count their turns from the start

    def _arrays_of(self, tree: T.TreeBlocks) -> Arrays:
        """Return arrays with other numbers of the tree, or another workspace for it."""
        packed = self.tables.packed
        left = {} if self._forces else {name: getattr(packed, name)[:0] for name in ("laws", "loads", "wrench_elements")}
        return Arrays(packed.sharing(**left), StateBlock(ref=self._ref)).with_tree(tree)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes it again, in this process or another: the model as it was."""
        return type(self), (self.model, self._cut, self._forces)

    def __repr__(self) -> str:
        """Return a line for people."""
        return f"<Robot {self.model.name!r}: {len(self.bodies)} bodies, nq {self.nq}, nv {self.nv}>"

    def _refuse_loops(self, cut: Sequence[str] | None) -> None:
        """Raise where joints or constraints close loops; couplers do not, they only leave fewer coordinates."""
        for name in self._closing(cut):
            kind = self.model.joints[name].kind
            if kind.relation != "coupler":
                way = f', or open it: robot(cut=["{name}"])' if kind.pair else ""
                raise ModelError(
                    f"{kind.name} {name} closes a loop, and a robot is a tree", where=f"joints.{name}",
                    hint=f"use run or inverse, which close loops{way}",
                )  # fmt: skip

    def _closing(self, cut: Sequence[str] | None) -> list[str]:
        """Return the joints and constraints that the tree does not satisfy by itself."""
        held = {link.joint for link in self.tree.links}
        opened = set(self.tree.cut) if cut is not None else set()
        return [name for name, rows in self.tables.joint_rows.items() if len(rows) and name not in held | opened]

    def _couplers(self, cut: Sequence[str] | None) -> list[str]:
        """Return the couplers, by which coordinates follow others."""
        return [name for name in self._closing(cut) if self.model.joints[name].kind.relation == "coupler"]

    @cached_property
    def _lacking(self) -> tuple[str, str]:
        """The first body that states no mass, and the first that states no mass or no inertia; "" where there is none."""
        given = list(zip(self.tables.bodies[1:], self.tables.masses, strict=True))
        mass = [body for body, slots in given if slots.mass < 0]
        either = [body for body, slots in given if not slots.stated]
        return mass[0] if mass else "", either[0] if either else ""

    def _require_masses(self, verb: str) -> None:
        """Raise where a body does not state what the verb needs, as `run` does."""
        body = self._lacking[0 if verb in WITHOUT_INERTIA else 1]
        if body and verb not in WITHOUT_MASS:
            word = "mass" if body == self._lacking[0] else "inertia"
            error = MassError(
                f"it has no {word}, and robot.{verb} needs one", where=f"bodies.{body}",
                hint=f"give {word}, or a shape with a mass; 0 is one",
            )  # fmt: skip
            raise self.model._locate(error)

    @cached_property
    def _moving(self) -> list[bool]:
        """Whether each link can move: those that only fixed joints hold to the ground cannot."""
        free = {column.link for column in self._columns.columns}
        moves = {0: False}
        for i, link in enumerate(self.tree.links):
            moves[link.body] = i in free or moves[link.parent]
        return [moves[link.body] for link in self.tree.links]

    def _names(self) -> list[str]:
        """Return the name of every coordinate."""
        names = [""] * self._tree_nq
        for column, place in zip(self._columns.columns, self._columns.places, strict=True):
            if place >= 0:
                names[place] = column.name
            elif column.axis == 0:
                at = self._columns.quaternions[column.link]
                owner = column.name.removesuffix(".omega.x")
                names[at : at + 4] = [f"{owner}.quaternion.{part}" for part in "wxyz"]
        return names

    def _counted(self) -> Integers:
        """Return (function, place) of every coordinate whose function counts turns."""
        pairs = [
            (column.function, place)
            for column, place in zip(self._columns.columns, self._columns.places, strict=True)
            if place >= 0 and column.function >= 0 and not column.is_length
        ]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def _joint_laws(self) -> JointLaws | None:
        """Laws along coordinates of the tree, where nothing else acts; None where bodies have to be found for forces."""
        if not self._acted or self.tables.loads or self.tables.wrenches:
            return None
        every = zip(self._columns.columns, self._columns.places, self._columns.rates, strict=True)
        of = {column.function: (place, rate) for column, place, rate in every if place >= 0}
        laws = self._arrays.model.laws
        if any(law.program >= 0 or law.function not in of for law in laws):
            return None
        places = np.array([of[law.function] for law in laws], dtype=np.int64).reshape(-1, 2)
        return JointLaws(law=np.arange(len(laws)), place=places[:, 0].copy(), rate=places[:, 1].copy())

    # --- coordinates --------------------------------------------------------------------------------------------------
    @cached_property
    def _system(self) -> System:
        return System(self.tables)

    @cached_property
    def _start(self) -> State:
        """The model's own start, from which turns are counted."""
        state = assemble(self.model)
        count_turns(self._system, self._columns, self._tree.model, state)
        self._ref[:] = state.references
        return state

    @property
    def q0(self) -> Floats:
        """Coordinates at the model's own start (nq)."""
        return self.from_state(self._start)[0]

    @property
    def neutral(self) -> Floats:
        """All coordinates zero, those that follow none by their couplers, quaternions 1 (nq)."""
        q = np.zeros(self._tree_nq)
        q[list(self._columns.quaternions.values())] = 1.0
        return self._left(q)

    def random(self, generator: np.random.Generator | int | None = None, count: int | None = None) -> Floats:
        """Return random coordinates: angles within half a turn, slides about the characteristic length, any rotation.

        Parameters
        ----------
        generator : numpy.random.Generator or int, optional
            Or the seed of one: ``robot.random(0)`` is the same every time. Default: other numbers every time.
        count : int, optional
            Number of states; default one, without an axis of its own.
        """
        generator = _generator(generator)
        if count is not None and (isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0):
            raise ModelError(f"count is {short(count)}", where="robot.random", hint="give a number of states")
        n = 1 if count is None else int(count)
        q = generator.uniform(-np.pi, np.pi, (n, self._tree_nq))
        for column, place in zip(self._columns.columns, self._columns.places, strict=True):
            if place >= 0 and column.kind == T.SLIDE:
                q[:, place] *= self.tables.length / np.pi
        for at in self._columns.quaternions.values():
            p = generator.normal(size=(n, 4))
            q[:, at : at + 4] = p / np.linalg.norm(p, axis=1, keepdims=True)
        q = self._left(q)
        return q[0] if count is None else q

    @cached_property
    def are_lengths(self) -> npt.NDArray[np.bool_]:
        """Whether each rate is a velocity, of a slide, and not an angular velocity (nv)."""
        length = {column.name: column.kind == T.SLIDE for column in self._columns.columns}
        return np.array([length[name] for name in self.rates], dtype=bool)

    def _left(self, q: Floats) -> Floats:
        """Return the coordinates that follow no others, of all those of the tree."""
        return q if self._coupling is None else q[..., self._coupling.places]

    def _quaternion_places(self) -> dict[int, int]:
        """Return where the quaternion of a link stands among the coordinates that follow no others."""
        found = self._columns.quaternions
        if self._coupling is None:
            return found
        place = {int(at): k for k, at in enumerate(self._coupling.places)}
        return {i: place[at] for i, at in found.items()}

    def slices(self, joint: str) -> tuple[slice, slice]:
        """Return where a joint (or a body that hangs on none) stands among the coordinates and among the rates."""
        i = self._link(joint)
        own = [column.name for column in self._columns.columns if column.link == i]
        for name in own:
            if name in self.followers:
                hint = f"it is {self.followers[name]}"
                raise ModelError(f"{name} follows others and is no coordinate of the robot", where="robot.slices", hint=hint)
        places = [self.coordinates.index(name) for name in own if name in self.coordinates]
        at = self._quaternion_places().get(i)
        places += [] if at is None else list(range(at, at + 4))
        return _span(places), _span([self.rates.index(name) for name in own])

    def displaced(self, q: Any, x: Any) -> Floats:
        """Return q ⊕ x: coordinates add, quaternions turn by the rotation vector in x about the carrier's axes.

        Parameters
        ----------
        q : array (nq) or (N, nq)
        x : array (nv) or (N, nv)
        """
        single, (q_, x_) = self._states("displaced", q=q, v=x)
        out = np.empty_like(q_)
        displaced(self._at_model, q_, x_, out)
        out = self._left(out)
        return out[0] if single else out

    def from_state(self, state: State) -> tuple[Floats, Floats]:
        """Return q (nq) and v (nv) of a state of the model."""
        if not isinstance(state, State):
            raise ModelError(f"{short(state)} is not a state", where="robot.from_state", hint="give assemble() or run.final")
        q, v = joint_coordinates(self._system, self._columns, adopted(state, self.tables, "robot.from_state"))
        return self._left(q), v if self._coupling is None else v[self._coupling.rates]

    def _state(self, q: Any, v: Any, t: float) -> State:
        """Return the state of all bodies."""
        v = np.zeros(self.nv) if v is None else v
        single, (q_, v_) = self._states("state", q=q, v=v)
        if not single:
            raise ModelError("a state is one row", where="robot.state", hint=f"give q ({self.nq},) and v ({self.nv},)")
        start, s = self._start, self._system
        y = np.concatenate([start.q, np.zeros(self.tables.nv + 1)])[None, :]
        body_states(self._d, self._at_model, self._at_scratch, q_, v_, y)
        s.ref[:] = start.references
        s.ref[self._turns[:, 0]] = q_[0, self._turns[:, 1]]
        s.take_references(np.ascontiguousarray(y[0, : self.tables.nq]))
        position, velocity = y[0, : self.tables.nq].copy(), y[0, self.tables.nq : -1].copy()
        return replace(start, t=self._time(t, "state"), q=position, v=velocity, references=s.ref.copy(), history=[])

    # --- checks -------------------------------------------------------------------------------------------------------
    def _states(self, verb: str, **given: Any) -> tuple[bool, list[Floats]]:
        """Return whether it is one state, and the arrays as rows: (N, nq) for q, (N, nv) for everything else.

        They are those of the tree: where coordinates follow others these are added. Efforts, `tau`, stay what they are.
        """
        found, single, rows = [], True, 1
        if self._lacking[1]:
            self._require_masses(verb)
        for name, value in given.items():
            x = self._checked(verb, name, value)
            single = single and x.ndim == 1
            found.append(x[None, :] if x.ndim == 1 else x)
            if x.ndim == 2:
                rows = len(x) if rows == 1 or len(x) == 1 else rows
        for name, x in zip(given, found, strict=True):
            if len(x) not in (1, rows):
                raise ModelError(
                    f"{name} has {len(x)} states and another array {rows}", where=f"robot.{verb}",
                    hint="give as many rows of each, or one",
                )  # fmt: skip
        # kernels are compiled for arrays that can be written to: of those that cannot they get a copy
        found = [x if x.flags.writeable else x.copy() for x in found]
        found = [np.ascontiguousarray(x if len(x) == rows else np.repeat(x, rows, axis=0)) for x in found]
        if self._coupling is not None:
            found = [self._followed(name, x) for name, x in zip(given, found, strict=True)]
        return single, found

    def _followed(self, name: str, x: Floats) -> Floats:
        """Return an argument with what follows its coordinates."""
        assert self._coupling is not None
        if name == "tau":
            return x
        return self._coupling.coordinates(x) if name == "q" else self._coupling.velocities(x)

    def _reduced(self, x: Floats) -> Floats:
        """Return efforts along the coordinates that follow no others, or columns of a Jacobian, from those of the tree."""
        return x if self._coupling is None else self._coupling.efforts(x)

    def _checked(self, verb: str, name: str, value: Any) -> Floats:
        """Return an argument as an array of one or two axes, of the right size, finite."""
        count, where = (self.nq if name == "q" else self.nv), f"robot.{verb}"
        hint = f"it is ({count},) or (N, {count}): {_listed(self.coordinates if name == 'q' else self.rates)}"
        try:
            x = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise ModelError(f"{name} is not an array of numbers", where=where, hint=hint) from None
        if x.ndim not in (1, 2) or x.shape[-1] != count:
            raise ModelError(f"{name} has the shape {x.shape}", where=where, hint=hint)
        if not np.all(np.isfinite(x)):
            k = int(np.argwhere(~np.isfinite(x))[0][-1])
            names = self.coordinates if name == "q" else self.rates
            raise ModelError(
                f"{name} has a number that is not finite: {names[k]}", where=where, hint="check where it comes from"
            )
        if name == "q":
            for i, at in self._quaternion_places().items():
                if not np.all(np.any(x[..., at : at + 4] != 0.0, axis=-1)):
                    joint = self.tree.links[i].joint or self.bodies[i]
                    raise ModelError(f"the quaternion of {joint} is zero", where=where, hint="no rotation is 1, 0, 0, 0")
        return x

    def _result(self, verb: str, out: Any, shape: tuple[int, ...]) -> Floats:
        """Return the array that results are written to, checked if it was given."""
        if out is None:
            return np.empty(shape)
        good = isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == shape
        if not (good and out.flags.c_contiguous and out.flags.writeable):
            raise ModelError(
                "out does not fit", where=f"robot.{verb}", hint=f"it takes a contiguous array of floats of the shape {shape}"
            )
        return out  # type: ignore[no-any-return]

    def _time(self, t: Any, verb: str) -> float:
        """Return a time, checked."""
        number = number_in(t)
        if not math.isfinite(number):
            raise ModelError(f"t is {short(t)}", where=f"robot.{verb}", hint="give a time as a finite number")
        return number

    def _link(self, joint: Any) -> int:
        """Return the number of the link that a joint carries, or of a body that hangs on none."""
        for i, link in enumerate(self.tree.links):
            if joint == (link.joint or self.bodies[i]):
                return i
        raise unknown("joint", str(joint), self.joints, "robot")


MOST_DENSE = 1500  # rates up to which a mass matrix is provided


def _generator(given: Any) -> np.random.Generator:
    """Return a generator of random numbers, from a seed where one is given."""
    if isinstance(given, np.random.Generator):
        return given
    try:
        return np.random.default_rng(given)
    except (TypeError, ValueError):
        hint = "give a seed such as 0, or numpy.random.default_rng(0)"
        raise ModelError(f"{short(given)} gives no random numbers", where="robot.random", hint=hint) from None


def _span(places: list[int]) -> slice:
    """Return the slice of consecutive places."""
    return slice(min(places), max(places) + 1) if places else slice(0, 0)


def _listed(names: list[str]) -> str:
    """Return the first names."""
    return ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
