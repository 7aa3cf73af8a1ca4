"""Comparisons: all formulations and integrators on one model, work–precision, and rows that fail."""

import pytest

import multibody as mb
from multibody.results.compare import Compare

FORMULATIONS = ["augmented", "baumgarte", "partitioning", "kane"]


@pytest.fixture(scope="module")
def compared() -> Compare:
    return mb.load("double-pendulum").compare(2.0, formulations=FORMULATIONS, integrators=["dop853", "adams", "rk4"], repeats=1)


def test_every_combination_has_a_row(compared: Compare) -> None:
    pairs = [(row.formulation, row.integrator) for row in compared.rows]
    assert pairs == [(f, i) for f in FORMULATIONS for i in ("dop853", "adams", "rk4")]
    assert compared.ok
    lines = compared.table().splitlines()
    assert len(lines) == 2 + len(pairs)
    assert "augmented, dop853, rtol 1e-13" in lines[0]
    assert "failed" not in lines[1]


def test_errors_violations_and_work_are_as_the_tolerance_says(compared: Compare) -> None:
    for row in compared.rows:
        assert row.success
        assert row.error is not None and 0 < row.error < 1e-6
        assert row.error_end is not None and row.error_end <= row.error
        assert row.position_violation is not None and row.position_violation < 1e-7
        assert row.energy_drift is not None and row.energy_drift < 1e-5
        assert row.wall_time is not None and row.wall_time > 0
        assert row.mean_step == pytest.approx(2.0 / row.steps)
        assert row.evaluations > row.steps
        assert (row.step is None) == (row.integrator != "rk4")
    by = {(row.formulation, row.integrator): row for row in compared.rows}
    assert by["kane", "adams"].evaluations < by["kane", "dop853"].evaluations < by["kane", "rk4"].evaluations


def test_tighter_tolerances_cost_more_and_give_more() -> None:
    found = mb.load("double-pendulum").compare(
        1.0, formulations=["augmented"], integrators=["dop853", "rk4"], rtol=[1e-5, 1e-7, 1e-9], repeats=1
    )
    for name in ("dop853", "rk4"):
        rows = [row for row in found.rows if row.integrator == name]
        assert len(rows) == 3
        errors = [row.error or 0.0 for row in rows]
        assert errors == sorted(errors, reverse=True)
        assert [row.evaluations for row in rows] == sorted(row.evaluations for row in rows)
        assert errors[0] > 30 * errors[-1]


def test_a_given_step_and_a_given_reference() -> None:
    m = mb.load("double-pendulum")
    reference = m.run(0.5, rtol=1e-12)
    found = m.compare(
        0.5,
        formulations=["kane", "augmented"],
        integrators=["rk4"],
        step=0.01,
        rtol=[1e-6, 1e-8],
        reference=reference,
        repeats=1,
    )
    assert [(row.formulation, row.step, row.steps) for row in found.rows] == [("kane", 0.01, 50), ("augmented", 0.01, 50)]
    assert found.reference == "given"
    with pytest.raises(mb.ModelError, match="another model"):
        m.compare(0.5, reference=mb.load("four-bar").run(0.5), repeats=1)


def test_a_row_that_fails_says_why() -> None:
    m = mb.Model("jump", dimension=2)
    m.body("mass", mass=1.0, inertia=1.0)
    m.translational("S", m.ground, "mass", axis=(1, 0))
    m.effort("blow", "S", value="1/(0.5 - S)")
    m.initial({"S.rate": 2.0})
    found = m.compare(2.0, formulations=["augmented"], integrators=["dop853", "rk4"], step=0.01, repeats=1)
    assert not found.ok
    failed = [row for row in found.rows if not row.success]
    assert failed
    assert all(row.message for row in failed)
    assert "failed" in found.table().splitlines()[1]
    assert found.plain()["status"]["success"] is False


def test_the_work_precision_diagram_has_a_curve_for_each_combination(compared: Compare) -> None:
    import matplotlib

    matplotlib.use("agg")
    axes = compared.plot()
    assert len(axes) == 2
    assert [len(ax.get_lines()) for ax in axes] == [12, 12]
    assert {ax.get_xscale() for ax in axes} == {"log"}
    labels = axes[0].get_legend_handles_labels()[1]
    assert "kane, adams" in labels


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"formulations": ["augmentd"]}, 'did you mean "augmented"?'),
        ({"integrators": ["dop85"]}, 'did you mean "dop853"?'),
        ({"rtol": [0.0]}, "rtol is 0"),
        ({"step": -0.1, "integrators": ["rk4"]}, "step is -0.1"),
        ({"formulations": []}, "an empty list"),
        ({"repeats": 0}, "0 repeats"),
    ],
)
def test_bad_options_are_told_before_any_work(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(mb.ModelError) as caught:
        mb.load("double-pendulum").compare(1.0, **options)  # type: ignore[arg-type]
    assert sentence in str(caught.value)


def test_a_driven_model_has_nothing_to_compare() -> None:
    with pytest.raises(mb.ModelError, match="nothing is integrated"):
        mb.load("slider-crank").compare(0.01)


def test_a_model_that_cannot_begin_fails_in_every_row() -> None:
    m = mb.Model("contradiction", dimension=2)
    b = m.body("b", mass=1.0, inertia=1.0)
    m.revolute("O", m.ground, b)
    m.body("c", mass=1.0, inertia=1.0)
    m.revolute("P", m.ground, "c")
    for k, teeth in enumerate(([20, 30], [20, 31])):
        m.gear(f"G{k}", b, "c", teeth=teeth)
    m.initial({"O.rate": 1.0})
    found = m.compare(0.1, formulations=["augmented"], integrators=["dop853", "adams"], repeats=1)
    assert len(found.rows) == 2 and not found.ok
    assert all("cannot be met" in row.message and row.wall_time is None for row in found.rows)
    assert "cannot be met" in found.table()
