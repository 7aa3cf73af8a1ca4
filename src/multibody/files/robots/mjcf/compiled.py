"""A file as MuJoCo compiles it, with names for what has none, lines, and numbers as poses."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from multibody.errors import ModelError
from multibody.files.robots.description import Line
from multibody.files.robots.markup import Element, read_markup
from multibody.files.robots.pose import Floats, Pose

__all__ = ["Compiled", "compile_file", "pose_of"]

DEEPEST = 20  # includes in includes
_OF_BODIES = ("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia")
_OF_JOINTS = ("jnt_pos", "jnt_axis", "jnt_range", "jnt_stiffness")


def compile_file(file: Path, root: Element, shown: str) -> Compiled:
    """Return the compiled model of a file whose outermost element is at hand."""
    try:
        import mujoco
    except ImportError:
        hint = "python -m pip install 'multibody[mjcf]'"
        raise ModelError("an MJCF file needs mujoco-core, which is not installed", file=shown, hint=hint) from None
    files = _with_includes(file, root, ())
    try:
        with _listening(mujoco) as remarks:
            spec = mujoco.MjSpec.from_file(str(file))
            model = spec.compile()
    except Exception as error:  # MuJoCo raises ValueError, FatalError and what its readers do
        raise refusal(str(error), shown, alone=len(files) == 1) from None
    if model.nbody < 2:
        raise ModelError("it has no body", file=shown, hint="a robot has at least one <body> in its <worldbody>")
    found = Compiled(mujoco, spec, model, shown, files)
    found.remarks = list(dict.fromkeys(remark.strip().splitlines()[0] for remark in remarks if remark.strip()))
    found.require_finite()
    return found


@contextmanager
def _listening(mujoco: Any) -> Iterator[list[str]]:
    """Yield what MuJoCo warns of inside, which it would print, and write to a file in the current folder."""
    remarks: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(remarks.append)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield remarks
        remarks.extend(str(item.message) for item in caught)
    finally:
        mujoco.set_mju_user_warning(before)


def _with_includes(file: Path, root: Element, above: tuple[Path, ...]) -> list[str]:
    """Return the file and all that it includes or attaches, each without document types and entities.

    Those that are missing are MuJoCo's matter.
    """
    here = file.resolve()
    if here in above or len(above) > DEEPEST:
        raise root.error("the files include each other in a circle", "break the circle")
    found = [str(file)]
    todo = [root]
    while todo:
        element = todo.pop()
        todo.extend(element.children)
        if element.tag not in ("include", "model") or not element.get("file").lower().endswith(".xml"):
            continue
        base = file if not above else above[0]
        inner = next((p for p in (base.parent / element.get("file"), file.parent / element.get("file")) if p.is_file()), None)
        if inner is not None:
            found += _with_includes(inner, read_markup(inner, str(inner)), (*above, here))
    return found


def refusal(text: str, shown: str, *, alone: bool) -> ModelError:
    """Return what MuJoCo says of a file as one sentence, with the line that it names unless that may be of another file."""
    words = [re.sub(r"^(XML )?Error: ?", "", part.strip()).rstrip(".") for part in text.splitlines() if part.strip()]
    line = re.search(r"\bline (\d+)", text)
    said = ", ".join(word for word in words if word)[:300] or "without a word"
    if line is not None and alone:
        said = re.sub(r",? ?\bline \d+", "", said).strip(" ,")
    number = int(line.group(1)) if line is not None and alone else None
    return ModelError(f"MuJoCo refuses it: {said}", file=shown, line=number, hint="mend it, or try it in MuJoCo")


class Compiled:
    """What MuJoCo made of a file.

    Attributes
    ----------
    mujoco, spec, model
        The package, the specification (names, lines) and the compiled model (numbers).
    bodies, joints, equalities : list of str
        Names, unique in their kind: an unnamed body is ``bodyN`` by its number, an unnamed joint ``BODY_joint`` and the second
        of that body ``BODY_joint2``, an unnamed equality ``connectN``, ``weldN`` or ``equalityN``.
    remarks : list of str
        What MuJoCo warns of.
    qpos : array
        Where the robot starts: the first keyframe, else the drawn pose.
    """

    def __init__(self, mujoco: Any, spec: Any, model: Any, shown: str, files: list[str]) -> None:
        self.mujoco, self.spec, self.model, self.shown, self.files = mujoco, spec, model, shown, files
        named = str(spec.modelname)
        self.title = named if named not in ("", "MuJoCo Model") else Path(shown).stem  # the latter is its default
        self.bodies = self._named("BODY", model.nbody, lambda k: f"body{k}")
        self.joints = self._named("JOINT", model.njnt, self._joint_name)
        self.equalities = self._named("EQUALITY", model.neq, self._equality_name)
        self.qpos: Floats = np.array(model.key_qpos[0] if model.nkey else model.qpos0, dtype=float)
        self.remarks: list[str] = []
        self._lines = len(files) == 1
        self._elements: dict[str, dict[int, Any]] = {}

    # --- names and lines ----------------------------------------------------------------------------------------------
    def name(self, kind: str, number: int) -> str:
        """Return the name that the file gives, empty where it gives none."""
        found = self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}"), number)
        return str(found or "")

    def _named(self, kind: str, count: int, made: Callable[[int], str]) -> list[str]:
        """Return the names of all objects of a kind; made ones get a number behind them where they are taken."""
        given = [self.name(kind, k) for k in range(count)]
        taken = {name for name in given if name}
        for k in range(count):
            if not given[k]:
                wanted = made(k)
                given[k], n = wanted, 2
                while given[k] in taken:
                    given[k], n = f"{wanted}{n}", n + 1
                taken.add(given[k])
        return given

    def _joint_name(self, joint: int) -> str:
        return f"{self.bodies[self.model.jnt_bodyid[joint]]}_joint"

    def _equality_name(self, equality: int) -> str:
        kinds = list(self.model.eq_type[: equality + 1])
        return f"{self.equality_kind(equality)}{kinds.count(kinds[-1])}"

    def equality_kind(self, equality: int) -> str:
        """Return connect, weld, joint, tendon or another word of MuJoCo, in lower case."""
        kind = self.mujoco.mjtEq(int(self.model.eq_type[equality])).name.removeprefix("mjEQ_").lower()
        return "equality" if kind == "joint" else str(kind)

    def line(self, element: Any) -> Line:
        """Return where an element of the specification stands; without a number where the file includes others."""
        found = re.search(r"line (\d+)", element.info or "") if self._lines and element is not None else None
        return Line(self.shown, int(found.group(1)) if found else None)

    def element(self, group: str, number: int) -> Any:
        """Return the element of the specification with this number in the compiled model."""
        if group not in self._elements:
            self._elements[group] = {item.id: item for item in getattr(self.spec, group)}
        return self._elements[group].get(number)

    # --- numbers ------------------------------------------------------------------------------------------------------
    def require_finite(self) -> None:
        """Raise where a number of a body, joint or equality is none: MuJoCo only warns of NaN."""
        groups = ((self.bodies, _OF_BODIES), (self.joints, _OF_JOINTS), (self.equalities, ("eq_data",)))
        for kind, (names, fields) in zip(("body", "joint", "equality"), groups, strict=True):
            for field in fields if names else ():
                rows = np.isfinite(np.asarray(getattr(self.model, field)).reshape(len(names), -1)).all(axis=1)
                if not rows.all():
                    name = names[int(np.argmin(rows))]
                    problem = f'{kind} "{name}" has a number that is not finite'
                    raise ModelError(problem, file=self.shown, hint="write finite numbers")
        if not np.isfinite([*self.model.opt.gravity, *self.qpos]).all():
            raise ModelError("gravity or a keyframe is not finite", file=self.shown, hint="write finite numbers")

    def gravity(self) -> tuple[float, float, float] | None:
        """Return the acceleration of gravity, none where it is switched off."""
        off = int(self.model.opt.disableflags) & int(self.mujoco.mjtDisableBit.mjDSBL_GRAVITY)
        x, y, z = (float(c) for c in self.model.opt.gravity)
        return None if off or (x, y, z) == (0.0, 0.0, 0.0) else (x, y, z)


def pose_of(at: Any, quaternion: Any) -> Pose:
    """Return a place from MuJoCo's numbers: a point and (w, x, y, z)."""
    w, x, y, z = (float(c) for c in quaternion)
    if (x, y, z) == (0.0, 0.0, 0.0):
        return Pose(at)
    n = w * w + x * x + y * y + z * z
    axes = np.array([
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]) / n  # fmt: skip
    return Pose(at, axes)
