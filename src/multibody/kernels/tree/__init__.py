"""Recursions over a spanning tree: written once over a small algebra of motions, forces and inertias, planar and spatial."""
