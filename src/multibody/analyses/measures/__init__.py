"""Quantities by path along a motion."""
