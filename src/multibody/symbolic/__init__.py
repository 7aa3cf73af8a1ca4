"""Equations on paper: Φ, Φ_q, γ, M, Q and minimal equations of motion as SymPy expressions, and code made of them.

Everything is made of the lowered model: coordinate functions, rows, laws and loads as the kernels have them. The basic
functions are the kernels' own text, run on symbols (``written``). Nothing is returned before it was compared with the
compiled kernels at random states (``check``).
"""
