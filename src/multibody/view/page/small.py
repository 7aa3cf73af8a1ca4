"""Small motions as a page plays them: freedoms, modes with frequency and damping, what opens at singular positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from multibody.analyses.check.wiggle import QUARTER, SHOWN, Closing, system_at
from multibody.analyses.kinematics.sigma import opened_direction
from multibody.state.system import System
from multibody.view.page.tracks import Track

if TYPE_CHECKING:
    from multibody.results.modes import Modes
    from multibody.results.run import Run
    from multibody.results.small_motions import Freedoms

MOST = 24
"""Freedoms or modes of a page."""
MOST_DIRECTIONS = 6
"""Singular positions of a run that show their direction."""
SECONDS = 2.0
"""One oscillation on the screen."""
PERIODS = 4
FAINT = 0.05
"""Part of its first amplitude at which a mode has died away."""


def freedom_tracks(found: Freedoms) -> list[Track]:
    """Return each freedom as one oscillation of two seconds."""
    second = 1.0 / found.model.units.factor(0, 1, 0)
    tracks = []
    for k, motion in enumerate(found.motions[:MOST]):
        time = np.linspace(0.0, SECONDS * second, len(motion.q))
        about = {"status": f"freedom {k + 1} of {len(found)}: {motion.words}", "notes": []}
        tracks.append(Track(f"freedom {k + 1}: {motion.words}", found.tables, time, motion.q, "freedom", about=about))
    if len(found) > MOST and tracks:
        tracks[0].about["notes"].append(f"of {len(found)} freedoms the first {MOST} are shown")
    return tracks


def mode_tracks(found: Modes) -> list[Track]:
    """Return each mode as it would move by itself: oscillating, dying away or growing, in its own time."""
    system, q, t = system_at(found.state), np.array(found.state.q), found.state.t
    closed = Closing(system, q, t, system.rows)
    tracks: list[Track] = []
    for k, value in enumerate(found.eigenvalues[:MOST]):
        time, factor = _phases(complex(value), found.model.units.factor(0, 1, 0))
        shape = SHOWN * np.real(found.found.shapes[:, k][None, :] * factor[:, None])
        poses = np.array([closed(d) for d in shape])
        ratio = found.damping_ratios[k]
        words = "free" if value == 0.0 else f"{found.frequencies[k]:.4g} Hz, damping {ratio + 0.0:.3g}"
        label = f"mode {k}: {words}"
        about = {"status": f"{label}; {found.words(k)}", "notes": [] if tracks else list(found.notes)}
        tracks.append(Track(label, found.tables, time, poses, "mode", about=about))
    return tracks


def _phases(value: complex, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Return instants and complex amplitudes of exp(λ t), of largest size 1."""
    steps = 4 * QUARTER * PERIODS
    if value == 0.0:
        part = np.linspace(0.0, 1.0, 4 * QUARTER + 1)
        return part * SECONDS / seconds, np.sin(2.0 * np.pi * part) + 0j
    span = PERIODS * 2.0 * np.pi / abs(value.imag) if abs(value.imag) > 1e-3 * abs(value.real) else np.inf
    fades = -np.log(FAINT) / abs(value.real) if value.real != 0.0 else np.inf
    time = np.linspace(0.0, float(min(span, fades)), steps + 1)
    factor = np.exp(value * time)
    return time, factor / np.max(np.abs(factor))


def direction_tracks(run: Run) -> list[Track]:
    """Return the direction that opens at each singular position of a run, as it is to first order."""
    second, system, tracks = 1.0 / run.model.units.factor(0, 1, 0), System(run.tables), []
    for item in run.singularities[:MOST_DIRECTIONS]:
        found = opened_direction(run.motion, item.time)
        if found is None:
            break
        k, d = found
        scaled = np.abs(d / system.scale_columns)
        d = d * (0.6 * SHOWN / max(float(np.max(scaled)), 1e-300))
        phases = np.sin(2.0 * np.pi * np.arange(4 * QUARTER + 1) / (4 * QUARTER))
        poses = np.array([system.displaced(np.array(run.motion.q[k]), x * d) for x in phases])
        time = np.linspace(0.0, SECONDS * second, len(poses))
        label = f"singular at {item.time:.6g} {run.model.units.time}: what could move"
        about = {"status": f"{item.kind}: {item.reason}", "notes": [], "at": item.time}
        tracks.append(Track(label, run.tables, time, poses, "direction", about=about))
    return tracks
