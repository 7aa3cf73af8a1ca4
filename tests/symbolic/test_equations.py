"""Equations on paper: against the kernels, as code of C and Python, against runs, in other units, and what is refused."""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from kernels import force_cases, mechanisms
from multibody.errors import AnalysisError, ModelError
from multibody.library import find
from multibody.state.system import System, tables_of

pytest.importorskip("sympy", minversion="1.13")
import sympy

from multibody.symbolic import make
from multibody.symbolic.check import Reference
from multibody.symbolic.closing import Opened
from multibody.symbolic.exact import exact
from multibody.symbolic.names import identifier, latex_name
from multibody.symbolic.trigonometry import simplified

OPENED: dict[int, Opened] = {}
CODE: dict[int, tuple[Any, dict[str, Any]]] = {}
COMPILER = shutil.which("gcc") or shutil.which("cc")


def slider_crank(length: float = 1.0, mass: float = 1.0, units: dict[str, str] | None = None) -> mb.Model:
    """Return a slider-crank with all kinds of forces, in units of which a meter and a kilogram are so many."""
    L, M = length, mass
    m = mb.Model("slider-crank", dimension=2, gravity=(0, -9.81 * L), units=units)
    l2, l3 = m.parameter("l2", 0.15 * L), m.parameter("l3", 0.35 * L)
    m.body("crank", mass=1.0 * M, inertia=0.01 * M * L**2, com=(0.02 * L, 0.01 * L), frames={"pin": (l2, 0)})
    m.body("rod", mass=0.5 * M, inertia=0.006 * M * L**2, com=(l3 / 3, 0.01 * L), frames={"small": (l3, 0)})
    m.body("piston", mass=0.4 * M, inertia=1e-3 * M * L**2)
    m.revolute("O", m.ground, "crank")
    m.revolute("A", "crank.pin", "rod")
    m.revolute("B", "rod.small", "piston")
    m.translational("S", m.ground, "piston", axis=(1, 0))
    m.effort("torque", "O", value=f"{2.0 * M * L**2}*cos(3*t) - {0.1 * M * L**2}*O.rate")
    m.friction("rubbing", "S", load=3.0 * M * L, coulomb=0.2, smooth=0.05 * L)
    m.frames(top=(0.2 * L, 0.3 * L))
    m.spring("spring", "ground.top", "rod.small", stiffness=40.0 * M, damping=2.0 * M, length=0.2 * L)
    m.initial({"O": 0.7, "O.rate": 4.0}, guess={"S": l2 + l3})
    return m


def routines(equations: Any) -> dict[str, Callable[..., Any]]:
    """Return the generated Python functions, made once."""
    if id(equations) not in CODE:
        made: dict[str, Any] = {}
        exec(equations.python(), made)
        CODE[id(equations)] = (equations, made)  # which stays alive, so that its id stays its own
    return CODE[id(equations)][1]


def accelerations(model: mb.Model, equations: Any, t: float, q: Any, v: Any) -> np.ndarray:
    """Return v̇ of all bodies by the minimal equations at a consistent state."""
    own, code = equations.minimal, routines(equations)
    y, speeds = joint_state(model, equations, q, v)
    chosen = [own.speeds.index(u) for u in own.u]
    args = (t, y.tolist(), speeds[chosen].tolist(), code["P"])
    M, h, tau = (np.array(code[f"minimal_{name}"](*args), dtype=float) for name in ("mass", "h", "tau"))
    rates = np.linalg.solve(M, tau - h)
    full = np.zeros(len(own.speeds))
    full[chosen] = rates
    if own.dependent:
        rest = [own.speeds.index(u) for u in own.dependent]
        assert np.allclose(code["dependent_speeds"](*args), speeds[rest], rtol=1e-9, atol=1e-9 * np.max(np.abs(speeds)))
        full[rest] = np.array(code["ratios"](*args)) @ rates + np.array(code["dependent_drift"](*args))
    return np.array(code["minimal_jacobian"](*args)) @ full + np.array(code["minimal_bias"](*args))


def joint_state(model: mb.Model, equations: Any, q: Any, v: Any) -> tuple[Any, Any]:
    """Return coordinates and speeds of the tree at a state of the bodies: v = J u has one solution."""
    opened = OPENED[id(equations)]
    opened.system.ref[:] = 0.0
    y, code = opened.read(np.asarray(q, dtype=float)), routines(equations)
    u = [0.0] * len(equations.minimal.u)
    J = np.array(code["minimal_jacobian"](0.0, y.tolist(), u, code["P"]), dtype=float)
    return y, np.linalg.lstsq(J, np.asarray(v), rcond=None)[0]


@functools.cache
def equations_of(name: str) -> tuple[mb.Model, Any]:
    """Return a model with its equations, made once; what reads joint coordinates off a state is kept."""
    build, options = RUN[name]
    model, kept = build(), list[Opened]()

    def keeping(*args: Any) -> Opened:
        kept.append(Opened(*args))
        return kept[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(make, "Opened", keeping)
        found = model.equations(**options)
    OPENED[id(found)] = kept[-1]
    return model, found


# --- against the kernels -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("start", ["coupler", "motion", "cam", "gear", "point", "translational"])
def test_joints_in_general_position_in_the_plane(start: str) -> None:
    cases = [case for case in mechanisms.CASES if case.dimension == 2 and case.name.startswith(start)]
    assert cases
    case = cases[0]
    found = make.equations(case.world().model)
    assert found.difference <= 1e-12
    assert len(found.Phi) > 0 and found.M is None
    assert any("without mass or inertia" in note for note in found.notes)


@pytest.mark.parametrize("kind", ["universal", "screw"])
def test_joints_in_general_position_in_space(kind: str) -> None:
    case = next(case for case in mechanisms.CASES if case.dimension == 3 and case.kind == kind and case.arrangement == "moving")
    assert make.equations(case.world().model).difference <= 1e-12


@pytest.mark.parametrize(("word", "dimension"), [("friction", 2), ("effort", 2), ("bushing", 2), ("load", 2)])
def test_forces_in_general_position(word: str, dimension: int) -> None:
    cases = [case for case in force_cases.CASES if case.dimension == dimension and word in case.name]
    assert cases
    found = make.equations(cases[-1].world().model, minimal=dimension == 2)
    assert found.Q is not None and any(x != 0 for x in found.Q)
    assert found.difference <= 1e-12


def test_a_wrong_equation_is_an_error_and_not_a_print(monkeypatch: pytest.MonkeyPatch) -> None:
    from multibody.symbolic import body_equations

    right = body_equations.row

    def wrong(record: Any, functions: Any) -> Any:
        found = right(record, functions)
        return type(found)(found.value, found.entries, found.nu, found.gamma + sympy.Rational(1, 10**9))

    monkeypatch.setattr(body_equations, "row", wrong)
    with pytest.raises(AnalysisError, match=r"γ of .* by the kernels"):
        slider_crank().equations()


def test_a_parameter_in_the_place_of_another_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have the same value: only other values tell them apart."""
    from multibody.symbolic import body_equations

    m = mb.Model("arm", dimension=2, gravity=(0, "-g"))
    m.parameter("g", 2.0)
    m.parameter("h", 2.0)
    m.body("rod", mass="h", inertia=1)
    m.revolute("O", m.ground, "rod")
    assert m.equations().difference <= 1e-12
    right = body_equations.mass_blocks

    def swapped(functions: Any) -> Any:
        other = {functions.names["h",]: functions.names["g",]}
        return [(mass.xreplace(other), inertia) for mass, inertia in right(functions)]

    monkeypatch.setattr(body_equations, "mass_blocks", swapped)
    with pytest.raises(AnalysisError):
        m.equations()


# --- against runs --------------------------------------------------------------------------------------------------------
def crossed_arm() -> mb.Model:
    """Return a ball, a hinge and a free body in space, joined by a spring."""
    m = mb.Model("arm", gravity=(0.3, -0.2, -9.81))
    m.body("a", mass=2.0, inertia=(0.2, 0.3, 0.4), com=(0.3, 0.1, 0), frames={"e": (0.6, 0.1, 0.05)})
    m.body("b", mass=1.2, inertia=((0.1, 0.02, 0), (0.02, 0.2, 0), (0, 0, 0.25)), com=(0.2, 0, 0.1), frames={"e": (0.5, 0, 0)})
    m.body("c", mass=0.7, inertia=(0.05, 0.06, 0.04), at=(1.5, 0.2, 0))
    m.spherical("O", m.ground, "a")
    m.revolute("A", "b", "a.e", axis=(0.2, 1, 0.1))
    m.spring("k", "b.e", "c", stiffness=30, damping=1, length=0.3)
    m.effort("hinge", "A", stiffness=5, damping=0.4)
    m.initial({"A.rate": 1.0, "a.omega.z": 1.0, "c.omega.x": 2.0, "c.omega.y": 0.3})
    return m


RUN = {
    "double-pendulum": (lambda: find("double-pendulum")(), {}),
    "joints": (slider_crank, {"angles": "joints"}),
    "slider-crank": (slider_crank, {}),
    "mm-g": (lambda: slider_crank(1e3, 1e3, {"length": "mm", "mass": "g"}), {}),
    "four-bar": (lambda: find("four-bar")(), {}),
    "spatial-four-bar": (lambda: find("spatial-four-bar")(), {}),
    "crossed-arm": (crossed_arm, {}),
}


@pytest.mark.parametrize("name", RUN)
def test_minimal_equations_accelerate_as_a_run_does(name: str) -> None:
    model, equations = equations_of(name)
    motion = model.run(0.4, rtol=1e-10).motion
    for k in np.linspace(0, len(motion.t) - 1, 4).astype(int):
        found = accelerations(model, equations, float(motion.t[k]), motion.q[k], motion.v[k])
        size = np.max(np.abs(motion.a[k]))
        assert np.max(np.abs(found - motion.a[k])) <= 1e-8 * size, (name, motion.t[k])


# --- code ----------------------------------------------------------------------------------------------------------------
@pytest.mark.skipif(COMPILER is None or sys.platform == "win32", reason="no compiler of C")
@pytest.mark.parametrize("name", ["slider-crank", "spatial-four-bar", "cam-knife", "backlash", "table", "bushing"])
def test_code_of_c_equals_the_kernels(name: str, tmp_path: Path) -> None:
    if name in RUN:
        model, equations = equations_of(name)
    else:
        model = tabled() if name == "table" else bushed() if name == "bushing" else find(name)()
        equations = model.equations()
    (tmp_path / "model.c").write_text(equations.c())
    library = tmp_path / "model.so"
    flags = ["-std=c99", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    made = subprocess.run(
        [str(COMPILER), *flags, "-o", str(library), str(tmp_path / "model.c"), "-lm"], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr[-2000:]
    code, python = ctypes.CDLL(str(library)), routines(equations)
    reference = Reference(System(tables_of(model)), python["P"])
    for seed in range(20, 23):
        t, q, v = reference.random(seed)
        for routine, expected in reference.values(t, q, v).items():
            if routine not in python or not expected.size:
                continue
            given = [x for key, x in (("q", q), ("v", v)) if key in arguments(python[routine])]
            found = called(code, routine, t, [*given, np.array(python["P"], dtype=float)], expected.size)
            scaled = [reference.scaled(routine, x) for x in (found.reshape(expected.shape), expected)]
            assert np.max(np.abs(scaled[0] - scaled[1]) / np.maximum(1.0, np.abs(scaled[1]))) <= 1e-12, routine
    own = equations.minimal
    y, u = np.linspace(0.3, 0.5, len(own.y)), np.linspace(1.0, 2.0, len(own.u))
    for routine in ("minimal_mass", "minimal_h", "minimal_tau", "minimal_bias"):
        expected = np.array(python[routine](0.2, y.tolist(), u.tolist(), python["P"]), dtype=float)
        found = called(code, routine, 0.2, [y, u, np.array(python["P"], dtype=float)], expected.size).reshape(expected.shape)
        assert np.allclose(found, expected, rtol=1e-12, atol=1e-12 * max(1.0, np.max(np.abs(expected), initial=0.0)))


def arguments(function: Any) -> tuple[str, ...]:
    """Return the names of a generated function's arguments."""
    found: tuple[str, ...] = function.__code__.co_varnames[: function.__code__.co_argcount]
    return found


def called(code: Any, routine: str, t: float, arrays: list[Any], size: int) -> Any:
    """Call a function of the compiled code."""
    out, pointer = np.full(size, np.nan), ctypes.POINTER(ctypes.c_double)
    given = [np.ascontiguousarray(x, dtype=float) for x in arrays]
    function = getattr(code, routine)
    function.restype = None
    function(ctypes.c_double(t), *(x.ctypes.data_as(pointer) for x in given), out.ctypes.data_as(pointer))
    return out


def tabled() -> mb.Model:
    """Return a slider on a table, with a formula that has a branch without a value, and names of all scripts."""
    m = mb.Model("표", dimension=2)
    m.table("lift", x=[0.0, 0.4, 1.0, 1.7], y=[0.0, 0.3, 0.1, 0.6])
    m.parameter("θ", 0.3)
    m.parameter("theta", 0.4)
    m.parameter("크랭크", 1.7)
    m.parameter("lambda_", 0.5)
    m.body("블록", mass="크랭크*θ", inertia="theta*lambda_")
    m.translational("레일", m.ground, "블록", axis=(1, 0))
    m.effort("push", "레일", value="lift(레일) - if(레일 > 0, sqrt(레일), 0)*θ + theta*sin(t)")
    return m


def bushed() -> mb.Model:
    """Return a body in space on a bushing whose directions are coupled."""
    m = mb.Model("bushed", gravity=(0, 0, -9.81))
    m.body("a", mass=1.5, inertia=(0.1, 0.2, 0.15), frames={"P": (0.1, 0.2, 0)})
    K = [[float(50 * (r == c) + (r + c == 5) * 5) for c in range(6)] for r in range(6)]
    m.bushing("rubber", m.ground, "a.P", stiffness=K, damping=(1, 2, 3, 0.1, 0.2, 0.3), preload=(0, 0, 14, 0, 0, 0))
    return m


def test_names_of_all_scripts_are_carried_over_by_the_rule() -> None:
    found = tabled().equations()
    assert [str(p) for p in found.parameters] == ["θ", "theta", "크랭크", "lambda_"]
    assert [found.names.known[p].code for p in found.parameters] == ["theta", "theta_2", "keuraengkeu", "lambda_"]
    assert r"\theta" in found.latex() and r"\text{크랭크}" in found.latex()
    assert "lift" in str(found.minimal.tau) and "table_lift" in found.c()
    compile(found.python(), "code", "exec")


def test_words_of_a_model_stay_in_their_comment() -> None:
    m = mb.Model("rod", dimension=2)
    m.parameter("l", 0.6, unit='m"""\nimport os', doc='half */ int x; """\nraise SystemExit(1)\n"""')
    m.body("rod", mass=1, inertia="l", com=("l", 0))
    m.revolute("O", m.ground, "rod")
    found = m.equations()
    assert set(routines(found)) >= {"phi", "minimal_mass"} and "os" not in routines(found)
    assert found.c().count("*/") == found.c().count("/*")


@pytest.mark.parametrize(
    ("name", "code"), [("a-b", "a_b"), ("2x", "_2x"), ("double", "double_"), ("é", "e"), ("Ω", "Omega"), ("gamma", "gamma_")]
)
def test_identifiers(name: str, code: str) -> None:
    assert identifier(name) == code
    assert identifier(name, {code}) == f"{code.rstrip('_')}_2"


def test_latex_names() -> None:
    assert [latex_name(name) for name in ("l2", "omega", "m_rod", "density", "φ")] == [
        "l_{2}", r"\omega", r"m_{\mathrm{rod}}", r"\mathrm{density}", r"\phi",
    ]  # fmt: skip


# --- forms ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("value", "text"),
    [(0.35, "7/20"), (2 * np.pi, "2*pi"), (np.pi / 180, "pi/180"), (1 / 3, "1/3"), (-(0.5**0.5), "-sqrt(2)/2"), (1e-300, None)],
)
def test_numbers_are_what_was_meant(value: float, text: str | None) -> None:
    found = exact(value)
    assert float(found) == pytest.approx(value, rel=1e-15)
    assert text is None or str(found) == text
    assert not found.has(sympy.Float)


def test_products_of_sines_become_sums() -> None:
    a, b, c = sympy.symbols("a b c", real=True)
    until = time.process_time() + 60.0
    assert simplified(sympy.cos(a) ** 2 + sympy.sin(a) ** 2, until) == 1
    assert simplified(sympy.cos(a) * sympy.cos(b) + sympy.sin(a) * sympy.sin(b), until) == sympy.cos(a - b)
    long = (c * sympy.cos(a + b) * sympy.sin(a) - sympy.sin(a - b) * sympy.cos(b) ** 3) * sympy.cos(a)
    numbers = {a: 0.3, b: -1.1, c: 2.3}
    assert float(simplified(long, until).subs(numbers)) == pytest.approx(float(long.subs(numbers)), rel=1e-13)


def test_decimals_and_parameters_stay_exact() -> None:
    found = equations_of("slider-crank")[1]
    assert not any(matrix.has(sympy.Float) for matrix in (found.Phi, found.Phi_q, found.gamma, found.M, found.Q))
    assert {str(p): value for p, value in found.parameters.items()} == {"l2": 0.15, "l3": 0.35}
    assert {str(x) for x in found.Phi.free_symbols} >= {"l2", "l3", "theta_crank"}


def test_a_parameter_of_others_is_computed_in_the_code() -> None:
    m = mb.Model("rod", dimension=2, gravity=(0, -9.81))
    l = m.parameter("l", 0.6)
    m.parameter("half", l / 2)
    m.body("rod", mass=1, inertia="half^2/3", com=("half", 0))
    m.revolute("O", m.ground, "rod")
    found = m.equations()
    assert [str(p) for p in found.parameters] == ["l"]
    code = routines(found)
    assert code["minimal_mass"](0.0, [0.1], [0.0], [0.6])[0][0] == pytest.approx(0.6**2 / 3, rel=1e-14)
    assert code["minimal_mass"](0.0, [0.1], [0.0], [1.2])[0][0] == pytest.approx(1.2**2 / 3, rel=1e-14)


def test_text_latex_html_and_plain_data() -> None:
    found = equations_of("slider-crank")[1]
    assert "minimal equations of motion" in str(found) and "Φ_q:" in str(found)
    latex, page = found.latex(), found._repr_html_()
    assert latex.count(r"\begin{aligned}") == latex.count(r"\end{aligned}") >= 8
    assert found._repr_latex_().startswith("$$") and ("<math" in page or "<pre>" in page)
    plain = found.plain()
    assert plain["Phi"][0] == str(found.Phi[0]) and plain["minimal"]["u"] == ["thetadot_crank"]


# --- what is refused -------------------------------------------------------------------------------------------------------
def test_too_many_bodies_are_refused_with_the_number() -> None:
    m = mb.Model("many", dimension=2)
    for k in range(61):
        m.body(f"b{k}", mass=1, inertia=1)
    with pytest.raises(ModelError, match=r"61 bodies are too many .* up to 60"):
        m.equations()


def test_long_chains_have_no_minimal_equations_in_angles_of_joints() -> None:
    found = find("chain")(n=12).equations()
    assert found.minimal is None and found.M is not None
    assert any("chains of joints are too long" in note and "bodies" in note for note in found.notes)


def test_without_sympy_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(ModelError, match=r"pip install multibody\[symbolic\]"):
        slider_crank().equations()


def test_wrong_arguments_are_named() -> None:
    m = slider_crank()
    with pytest.raises(ModelError, match=r"joints.*bodies"):
        m.equations(angles="absolute")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="rood"):
        m.equations(independent=["rood"])
    with pytest.raises(ModelError, match="1 freedom"):
        m.equations(independent=["crank", "rod"])
    assert [str(u) for u in m.equations(independent=["S"]).minimal.u] == ["sdot_S"]


def test_library_models_with_loops_are_quick() -> None:
    """Five seconds are promised; processor time is measured, since other programs do not count, with kernels in memory."""
    for name in ("slider-crank", "six-bar", "four-bar"):
        find(name)().equations()
        start = time.process_time()
        find(name)().equations()
        assert time.process_time() - start < 5.0, name
