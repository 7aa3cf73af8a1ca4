"""Which room serves members in which coordinates; coordinates that none serves are left to single runs."""

from __future__ import annotations

from typing import Any

from multibody.analyses.members.batch import Batch
from multibody.analyses.members.joints import JointBatch
from multibody.analyses.members.numbers import NotServed
from multibody.formulations.spaces.cartesian_space import CartesianSpace
from multibody.formulations.spaces.joint_space import JointSpace

BATCHES: dict[type, type[Batch]] = {CartesianSpace: Batch, JointSpace: JointBatch}  # by the class of the space


def batch_of(space: Any, formulation: str) -> type[Batch]:
    """Return the kind of room for members in the coordinates of a space; raise where there is none, or not for this model."""
    found = BATCHES.get(type(space))
    if found is None:
        raise NotServed(space.alone or f"formulation {formulation}")
    found.check(space)
    return found
