"""Equations on paper: Φ, Φ_q, γ, M, Q and minimal equations of motion as SymPy expressions, and code made of them.

Everything is made of the lowered model: coordinate functions, rows, laws and loads as the kernels have them. The basic
functions are the kernels' own text, run on symbols (``written``). Nothing is returned before it was compared with the
compiled kernels at random states (``check``).
"""

from __future__ import annotations

from multibody.errors import ModelError


def require_sympy() -> None:
    """Raise an error that says what to install where SymPy is missing or too old."""
    hint = "pip install multibody[symbolic]"
    try:
        import sympy
    except ImportError:
        raise ModelError("equations on paper need a further package (sympy)", hint=hint) from None
    if tuple(int(part) for part in sympy.__version__.split(".")[:2] if part.isdigit()) < (1, 13):
        raise ModelError(f"equations on paper need sympy 1.13, this is {sympy.__version__}", hint=f"{hint} --upgrade")
