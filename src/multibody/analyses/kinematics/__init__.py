"""Kinematics: the motion of a mechanism that its motions determine."""
