"""What the user says: bodies, frames, joints, forces, motions, parameters, expressions. A graph with names everywhere."""

from multibody.model.body import Body
from multibody.model.forces import Force
from multibody.model.joints import Joint
from multibody.model.model import Model

__all__ = ["Body", "Force", "Joint", "Model"]
