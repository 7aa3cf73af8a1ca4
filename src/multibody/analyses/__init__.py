"""The verbs: check, assemble, kinematics."""
