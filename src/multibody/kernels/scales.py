"""Rows and columns free of units: what is a length is told in characteristic lengths L, what is an angle stays."""

from __future__ import annotations

from multibody.kernels.compile import inner_kernel


@inner_kernel
def is_length_column(model, c):
    """Return whether velocity column c is a translation."""
    return c < model.width * model.bodies and c % model.width < model.dimension


@inner_kernel
def column_scale(model, c):
    """Return what makes a column free of units: L for translations."""
    return model.numbers[model.length] if is_length_column(model, c) else 1.0


@inner_kernel
def row_scale(model, r):
    """Return what makes a row free of units."""
    return 1.0 / model.numbers[model.length] if model.rows[r].is_length == 1 else 1.0


@inner_kernel
def column_without_unit(model, c, x):
    """Return a displacement along a column free of units; an angle costs no division."""
    return x / model.numbers[model.length] if is_length_column(model, c) else x


@inner_kernel
def row_without_unit(model, r, x):
    """Return the value of a row free of units."""
    return x / model.numbers[model.length] if model.rows[r].is_length == 1 else x
