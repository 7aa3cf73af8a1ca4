"""Inverse dynamics: the efforts that a known motion needs."""
