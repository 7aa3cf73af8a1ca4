"""Robots of other programs: read into one description, which becomes a model; and written as URDF where it is a tree."""
