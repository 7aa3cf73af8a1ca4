"""A slider-crank driven through one revolution and a four-bar under forces: numbers, and pictures in out/."""

import math
import pathlib

import matplotlib

matplotlib.use("agg")  # draws into a file, no display is needed
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

import multibody as mb
from multibody.view.style import save, styled

SPEED = 150.0  # of the crank [rad/s]
OUT = pathlib.Path("out")


def main() -> None:
    driven()
    under_forces()


def driven() -> None:
    """Drive a slider-crank: its motion follows from the motion of the crank alone."""
    run = mb.load("slider-crank", omega=SPEED).kinematics(until=2 * math.pi / SPEED, steps=360)
    x, acceleration = run["slider.x"], run["slider.x.acceleration"]
    print(f"slider-crank over one revolution, {float(run.time[-1]):.4g} s: {run.status.message}")
    print(f"stroke {float(x.max() - x.min()):.4g} m, largest acceleration {float(abs(acceleration).max()):.5g} m/s²")
    turn = float(run.time[-1])
    paths = ["slider.x", "slider.x.rate", "slider.x.acceleration"]
    poses = {"at": [0.30 * turn, 0.22 * turn, 0.14 * turn], "trace": ["rod.com"], "title": "slider-crank"}
    save(picture(run, paths, poses), OUT / "slider-crank.png")
    print(f"picture: {OUT / 'slider-crank.png'}\n")


def under_forces() -> None:
    """Let a four-bar go under a spring and a load: motion, reactions and energy follow from the equations of motion."""
    run = mb.load("four-bar").run(until=10.0)
    angle, spring, energy = run["link1.angle"], run["O1.effort"], run["energy.total - energy.work"]
    pin = (run["A.reaction.force"] ** 2).sum("component") ** 0.5
    print(f"four-bar under a torsion spring and a load, {float(run.time[-1]):g} s: {run.status.message}")
    print("  t [s]  link1.angle [rad]  spring [N·m]  force in pin A [N]  energy − work [J]")
    for t in (0, 2, 4, 6, 8, 10):
        values = [float(series.sel(time=t, method="nearest")) for series in (angle, spring, pin, energy)]
        print("{:7.1f}  {:17.6f}  {:12.3f}  {:18.3f}  {:17.6f}".format(t, *values))
    certificate = run.certificate
    print(f"constraints kept to {certificate['position_violation']:.1e}, energy to {certificate['energy_drift']:.1e}")
    paths = ["link1.angle", "A.reaction.force.x", "energy.kinetic"]
    poses = {"at": [2.6, 1.0, 0.0], "trace": ["link2.com"], "title": "four-bar"}
    save(picture(run, paths, poses), OUT / "four-bar.png")
    print(f"picture: {OUT / 'four-bar.png'}")


def picture(run: mb.Run, paths: list[str], poses: dict[str, object]) -> Figure:
    """Return the mechanism on the left and three curves on the right."""
    with styled():
        figure, axes = plt.subplot_mosaic("px;pv;pa", figsize=(10.5, 4.4), width_ratios=(1.55, 1), layout="constrained")
    run.plot(*paths, ax=[axes["x"], axes["v"], axes["a"]])
    for key in "xv":
        axes[key].tick_params(labelbottom=False)
    run.draw(ax=axes["p"], **poses)
    return figure


if __name__ == "__main__":
    main()
