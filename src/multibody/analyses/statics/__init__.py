"""Statics: positions of rest, and whether they are stable."""
