"""What a kernel is asked for where it runs, by name: an argument of a call, one version of the kernel serves all.

What chooses a version while a kernel is compiled is a tag (:mod:`~multibody.kernels.tags`).
"""

from __future__ import annotations

VALUES, NO_VALUES = 1, 0  # values: Φ of rows
GRADIENTS, NO_GRADIENTS = 1, 0  # gradients: the entries of Φ_q
BODIES, NO_BODIES = 1, 0  # bodies: poses and twists of bodies too, where coordinates are those of joints
GENTLE, WHOLE = 1, 0  # gently: a state near a change point may stay as it is
INVERSE, STRAIGHT = 1, 0  # inverse: M⁻¹ x, or M x
FORCES, NO_FORCES = 1, 0  # forces: inertial less applied ones beside the inertias
