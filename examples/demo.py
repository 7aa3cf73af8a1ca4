"""A slider-crank through one revolution: its motion in numbers, and a picture in out/slider-crank.png."""

import math
import pathlib

import matplotlib

matplotlib.use("agg")  # draws into a file, no display is needed
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

import multibody as mb
from multibody.view.style import save, styled

SPEED = 150.0  # of the crank [rad/s]


def main() -> None:
    model = mb.load("slider-crank", omega=SPEED)
    run = model.kinematics(until=2 * math.pi / SPEED, steps=360)

    x, acceleration = run["slider.x"], run["slider.x.acceleration"]
    print(f"slider-crank over one revolution, {float(run.time[-1]):.4g} s: {run.status.message}")
    print(f"stroke {float(x.max() - x.min()):.4g} m, largest acceleration {float(abs(acceleration).max()):.5g} m/s²")

    file = pathlib.Path("out") / "slider-crank.png"
    save(picture(run), file)
    print(f"picture: {file}")


def picture(run: mb.Run) -> Figure:
    """Return the mechanism with the path of the rod's center on the left, the slider's motion on the right."""
    with styled():
        figure, axes = plt.subplot_mosaic("px;pv;pa", figsize=(10.5, 4.4), width_ratios=(1.55, 1), layout="constrained")
    run.plot("slider.x", "slider.x.rate", "slider.x.acceleration", ax=[axes["x"], axes["v"], axes["a"]])
    for key in "xv":
        axes[key].tick_params(labelbottom=False)
    turn = float(run.time[-1])
    run.draw(at=[0.30 * turn, 0.22 * turn, 0.14 * turn], ax=axes["p"], trace=["rod.com"], title="slider-crank")
    return figure


if __name__ == "__main__":
    main()
