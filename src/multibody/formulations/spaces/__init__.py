"""Coordinates that a simulation integrates: of bodies, composites, joints, or bodies with the parameters of their pairs."""
