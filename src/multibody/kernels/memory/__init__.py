"""Named memory: every number that kernels share has one declaration, and Python and kernels find it by name.

:mod:`~multibody.kernels.memory.declaration` is how memory is declared and allocated, :mod:`~multibody.kernels.memory.compiled`
how numba reads it. What there is stands in :mod:`multibody.kernels.declared`.
"""
