"""Modes: frequencies, damping, shapes, inputs and outputs of small motions."""
