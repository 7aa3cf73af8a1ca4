"""Dynamics: motion under forces, at once or step by step."""
