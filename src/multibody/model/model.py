"""The model: what the user says, once. A graph of bodies and joints with parameters, motions and an initial state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Self, Unpack

from multibody.arguments import answered, number_in, short, spread
from multibody.errors import ModelError
from multibody.model import expressions
from multibody.model.body import Body, make_body, read_frames
from multibody.model.changes import assigned, copied, refuse_attribute
from multibody.model.defaults import Defaults
from multibody.model.events import check_event
from multibody.model.expressions import Expression, ExpressionError, Number, check_calls
from multibody.model.force_methods import ForceMethods
from multibody.model.forces import Force, coordinate_text, make_force
from multibody.model.geometry import Frame, Orienting, read_orientation
from multibody.model.items import Guess, InitialValue, Parameter, read_parameter
from multibody.model.joint_methods import JointMethods
from multibody.model.joints import Joint, make_joint
from multibody.model.lookup import Lookup, caret
from multibody.model.names import check_name
from multibody.model.tables import Table, read_table
from multibody.model.units import Units, read_units
from multibody.model.values import (
    ArrayLike,
    CoordinateLike,
    EndLike,
    NumberLike,
    Vector,
    VectorLike,
    check_limits,
    from_expression,
    read_number,
    read_vector,
)

__all__ = ["Guess", "InitialValue", "Model", "Parameter", "caret"]


@answered
class Model(Lookup, JointMethods, ForceMethods):
    """A mechanism, described once; every analysis reads it and none changes it.

    Parameters
    ----------
    name : str
    dimension : int
        2 or 3.
    gravity : vector, optional
        Acceleration of gravity in ground axes [length/time²]; default none.
    units : mapping, optional
        ``{"length": ..., "time": ..., "mass" or "force": ...}``; default m, s, kg. Angles are always radians.
    """

    def __init__(self, name: str, dimension: int = 3, gravity: Any = None, units: Any = None) -> None:
        if number_in(dimension) not in (2.0, 3.0):
            raise ModelError(f"dimension {dimension!r}", where="dimension", hint="it is 2 or 3")
        self.name = name
        self.dimension: int = int(dimension)
        self.units: Units = read_units(units)
        self.gravity: Vector | None = None if gravity is None else read_vector(gravity, int(dimension), "gravity")
        self.parameters: dict[str, Parameter] = {}
        self.tables: dict[str, Table] = {}
        self.ground_frames: dict[str, Frame] = {}
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.forces: dict[str, Force] = {}
        self.motions: dict[str, Number] = {}
        self.initials: dict[str, InitialValue] = {}
        self.guesses: dict[str, Guess] = {}
        self.outputs: dict[str, Number] = {}
        self.output_units: dict[str, str] = {}  # of outputs whose unit is stated
        self.events: dict[str, dict[str, Any]] = {}
        self._defaults = Defaults()
        self.length: Number | None = None  # characteristic length, None: derived
        self._lowered: Any = None
        self._files: tuple[str, ...] = ()  # those that it was read from, which no result replaces
        self._locate: Callable[[ModelError], ModelError] = as_it_is  # a file's reader adds file and line

    # --- changes and copies -------------------------------------------------------------------------------------------
    def __setattr__(self, attribute: str, value: Any) -> None:
        """Read gravity, units, length and collections as the constructor and the verbs do; refuse unknown names."""
        object.__setattr__(self, attribute, assigned(self, attribute, value))

    if not TYPE_CHECKING:  # type checkers look for themselves

        def __getattr__(self, attribute: str) -> Any:
            """Say in words what a model does not have."""
            refuse_attribute(self, attribute)

    def copy(self) -> Self:
        """Return an independent copy; `set` returns one with other parameters."""
        return copied(self)

    def __copy__(self) -> Self:
        return copied(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return copied(self)

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels to another process: all that the user said, but not what was derived from it."""
        return {**vars(self), "_lowered": None, "_locate": as_it_is}

    @property
    def defaults(self) -> Defaults:
        """Options that verbs take where none are given: ``model.defaults["run"] = {"until": 5, "rtol": 1e-9}``."""
        return self._defaults

    @defaults.setter
    def defaults(self, given: Mapping[str, Mapping[str, Any]]) -> None:
        self._defaults = Defaults(given)

    def _claim(self, item: object, where: str) -> str:
        """Return a name that is valid and not taken."""
        checked = check_name(item, where)
        groups = (self.parameters, self.bodies, self.joints, self.forces, self.tables, self.outputs)
        if any(checked in group for group in groups):
            raise ModelError(
                f'the name "{checked}" is taken', where=where, hint="names are unique over the whole model"
            )
        return checked

    # --- building ---------------------------------------------------------------------------------------------------
    def parameter(
        self, name: str, value: NumberLike | VectorLike, unit: str | None = None, doc: str = "", min: float | None = None,
        max: float | None = None,
    ) -> Expression:  # fmt: skip
        """Declare a parameter and return its handle, usable in any number of the model.

        Parameters
        ----------
        name : str
        value : number, vector or formula of other parameters
        unit, doc : str, optional
        min, max : float, optional
            Limits that `set` and sweeps respect.
        """
        where = f"parameters.{name}"
        self._claim(name, where)
        checked = read_parameter(value, where)
        check_limits(name, checked, min, max)
        self.parameters[name] = Parameter(name, checked, unit, doc, min, max)
        return expressions.name(name)

    def table(self, name: str, x: Sequence[float] | ArrayLike, y: Sequence[float] | ArrayLike, kind: str = "spline") -> None:
        """Add a table, usable in expressions as a function ``name(x)``.

        Parameters
        ----------
        name : str
        x, y : lists of numbers
            Knots, x strictly increasing.
        kind : {"spline", "periodic", "linear"}
        """
        self._claim(name, f"tables.{name}")
        self.tables[name] = read_table(name, {"x": x, "y": y, "kind": kind})

    @spread(Orienting)
    def body(
        self, name: str, mass: NumberLike | None = None, inertia: Any = None, com: VectorLike | None = None,
        frames: Mapping[str, Any] | None = None, shape: Any = None, at: VectorLike | None = None, *,
        file: str | PathLike[str] | None = None, density: NumberLike | None = None, unit: str | None = None,
        **orientation: Unpack[Orienting],
    ) -> Body:  # fmt: skip
        """Add a body and return its handle: ``crank["pin"]`` is a frame of it, ``crank.x`` a path.

        Parameters
        ----------
        name : str
        mass : number or formula, optional
            [mass]
        inertia : number (planar), three numbers or a 3×3 matrix (spatial), optional
            About the center of mass, body axes; off-diagonals are tensor entries [mass·length²].
        com : vector, optional
            Center of mass in the author's axes; default from the shape, else the origin [length].
        frames : mapping, optional
            Named frames in the author's axes: points, or ``{"at": ..., "rpy": ...}`` with axes of their own.
        shape : mapping or list of them, optional
            Solids that give mass, center of mass and inertia where these are not stated: ``{"rod": (P, Q), "radius": r}``.
        at : vector, optional
            Where the origin is drawn, in ground [length].
        file : path, optional
            An STEP, STL, OBJ or GLB file of a solid, which says center of mass, inertia and, of STEP, the axes of its cylinders
            as frames (``arm["hole1"]``), and is drawn. It is read once: the model keeps the numbers.
        density : number or formula, optional
            Of that solid [mass/length³]; or its `mass` is given.
        unit : str, optional
            Unit of length of a file that states none: ``"mm"``; default the model's.
        angle, x, z, quaternion, rotvec, rpy, euler, rotation : optional
            How the axes are drawn, in ground, one form of it: `angle` [rad] in the plane; in space `z` and/or `x` (the first
            one given is kept), ``(w, x, y, z)``, a rotation vector, roll–pitch–yaw, ``{"zxz": angles}`` or a SciPy rotation.
        """
        where = f"bodies.{name}"
        self._claim(name, where)
        given: Mapping[str, Any] = orientation
        self.bodies[name] = make_body(
            name, self.dimension, mass=mass, inertia=inertia, com=com, frames=frames, shape=shape, at=at, file=file,
            density=density, unit=unit, units=self.units, beside=self._files, **given
        )
        return self.bodies[name]

    @property
    def ground(self) -> Body:
        """The ground as a body: an end of joints."""
        body = Body("ground")
        object.__setattr__(body, "frames", self.ground_frames)  # frames that are added later are known too
        return body

    def frames(self, **frames: Any) -> None:
        """Add frames on the ground: points, or ``{"at": ..., "rpy": ...}``, by their names."""
        self.ground_frames.update(read_frames(frames, self.dimension, "ground"))

    def joint(
        self, kind: str, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, **fields: Any
    ) -> Joint:
        """Add a joint of a kind that is known only when the program runs; ``model.revolute(...)`` and so on do the same."""
        made: Joint = self._added(make_joint(kind, name, first, second, self.dimension, at, **fields))
        return made

    def add(self, item: Joint | Force | Body) -> Any:
        """Add a joint, a force or a body that was made elsewhere (``mb.Revolute(...)``), and return it."""
        if isinstance(item, Joint):
            item = make_joint(item.kind.name, item.name, item.first, item.second, self.dimension, item.at, **item.fields)
        elif isinstance(item, Force):
            target: Any = item.target if item.kind.target == "ends" else item.target[0]
            item = make_force(item.kind.name, item.name, target, self.dimension, **item.fields)
        elif not isinstance(item, Body):
            hint = "give a body, a joint (mb.Revolute(...)) or a force (mb.Spring(...))"
            raise ModelError(f"{short(item)} cannot be added", where="add", hint=hint)
        return self._added(item)

    def _added(self, item: Any) -> Any:
        """Put an item, read in this model's dimension, into the model."""
        if isinstance(item, Body):
            self._claim(item.name, f"bodies.{item.name}")
            self.bodies[item.name] = item
        elif isinstance(item, Force):
            self._claim(item.name, f"forces.{item.name}")
            self._check_target(item)
            self.forces[item.name] = item
        else:
            where = f"joints.{item.name}"
            self._claim(item.name, where)
            for end in (item.first, item.second, item.fields.get("carrier") or "ground"):
                if end:
                    self.find_end(end, where)
            self.joints[item.name] = item
        return item

    def _check_target(self, force: Force) -> None:
        """Refuse a force on what its kind cannot act on, with the kind that can."""
        where, kind = f"forces.{force.name}", force.kind.name
        if force.kind.target == "coordinate":
            if force.target[0] in self.bodies or force.target[0] == "ground":
                hint = f'use force on a body, or name a coordinate such as "{force.target[0]}.x"'
                raise ModelError(f'"{force.target[0]}" is a body, and {kind} acts along a coordinate', where=where, hint=hint)
            return
        for end in force.target:
            if end in self.joints:
                what = "effort" if kind == "force" else "effort with stiffness and damping"
                hint = f'use {what}, which acts along the coordinate of a joint: model.effort("{force.name}", "{end}", ...)'
                raise ModelError(f'"{end}" is a joint, and {kind} acts on bodies', where=where, hint=hint)
            self.find_end(end, where)

    def motion(self, coordinate: CoordinateLike, expression: NumberLike, *, replace: bool = False) -> None:
        """Prescribe a coordinate as a function of ``t`` and parameters: the value itself, not its rate.

        Parameters
        ----------
        coordinate : joint, expression or path
            A joint with one coordinate, or a path such as ``"S.position"`` or ``"rod.tip.x"``.
        expression : number or formula
        replace : bool
            Whether it takes the place of a motion that the coordinate has already; without it a second one is refused.
            ``del model.motions["O"]`` takes one away.
        """
        text = coordinate_text(coordinate, "motions")
        where = f"motions.{text}"
        formula = self.formula(expression, where)
        for key in [key for key in self.motions if self.same_path(key, text)]:
            if not replace:
                problem = "it is driven already" if key == text else f'"{key}" drives the same coordinate'
                hint = "keep one of the two motions; in Python replace=True takes this one"
                raise ModelError(problem, where=where, hint=hint)
            del self.motions[key]
        self.motions[text] = formula

    def initial(
        self, values: Mapping[str, Any] | None = None, guess: Mapping[str, Any] | None = None
    ) -> None:
        """State what assembly holds exactly (`values`) and what it starts from and stays near (`guess`).

        Parameters
        ----------
        values : mapping
            Numbers, formulas or orientations by path: ``{"O": 0.3, "O.rate": 15}``. They replace earlier ones.
        guess : mapping
            The same, or ``{"value": ..., "weight": ...}``.
        """
        for name, given in (("initial", values), ("guess", guess)):
            if given is not None and not isinstance(given, Mapping):
                raise ModelError(f"{short(given)} is not a mapping", where=name, hint='give values by path: {"O": 0.3}')
        for path, value in (values or {}).items():
            self.initials[coordinate_text(path, "initial")] = self.initial_value(value, f"initial.{path}")
        for path, value in (guess or {}).items():
            self.guesses[coordinate_text(path, "guess")] = self.guess_value(value, f"guess.{path}")

    def initial_value(self, value: Any, where: str) -> InitialValue:
        """Return a number, a formula or an orientation."""
        if isinstance(value, Mapping):
            orientation = read_orientation(value, 3, where)
            if orientation is None:
                raise ModelError("the value is empty", where=where, hint="give a number or an orientation")
            return orientation
        if hasattr(value, "as_quat"):
            return read_orientation({"rotation": value}, 3, where) or 0.0
        return self.formula(value, where)

    def guess_value(self, value: Any, where: str) -> Guess:
        """Return a guess with its weight."""
        weight: Number = 1.0
        if isinstance(value, Mapping) and "value" in value:
            weight, value = read_number(value.get("weight", 1.0), where), value["value"]
        return Guess(self.initial_value(value, where), weight)

    def output(self, name: str, expression: NumberLike, unit: str | None = None) -> None:
        """Name an expression of paths as a measure; results have it under this name.

        Parameters
        ----------
        name : str
        expression : formula of paths
        unit : str, optional
            Its unit for people; by default the one that follows from the parts of the expression.
        """
        where = f"outputs.{name}"
        self._claim(name, where)
        formula = self.formula(expression, where)
        if unit is not None:
            if not isinstance(unit, str) or not unit.strip():
                raise ModelError(f"its unit is {unit!r}", where=where, hint="give the name of a unit, such as W")
            self.output_units[name] = unit
        self.outputs[name] = formula

    def event(self, name: str, when: NumberLike, *, terminal: bool = False, direction: str | int = "both") -> None:
        """Name an expression whose zero crossings a run locates.

        Parameters
        ----------
        name : str
        when : formula
            Of t, coordinates and rates.
        terminal : bool
            Whether the run ends there.
        direction : {"both", "rising", "falling"} or {0, 1, -1}
            Which crossings count.
        """
        where = f"events.{name}"
        self._claim(name, where)
        options: dict[str, Any] = {"terminal": terminal} if terminal is not False else {}
        options |= {"direction": direction} if direction not in ("both", 0) or isinstance(direction, bool) else {}
        check_event(options, where)
        self.events[name] = {"when": self.formula(when, where), **options}

    def formula(self, value: Any, where: str) -> Number:
        """Return a number or formula whose function calls are known."""
        number = read_number(value, where)
        if isinstance(number, float):
            return number
        try:
            return check_calls(number, self.tables)
        except ExpressionError as error:
            raise from_expression(error, where) from None

    def __repr__(self) -> str:
        """Return a line that says what the model holds."""
        counts = f"{len(self.bodies)} bodies, {len(self.joints)} joints, {len(self.motions)} motions"
        return f"<Model {self.name!r}: dimension {self.dimension}, {counts}>"


def as_it_is(error: ModelError) -> ModelError:
    """Return an error of a model that was written in Python: it has no file and no line."""
    return error
