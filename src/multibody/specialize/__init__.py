"""Many members of one model side by side, in code that is made for its structure: on the host's processor and on NVIDIA's.

The kernels are those of every run. :mod:`~multibody.specialize.lowered` has them as LLVM code, unoptimized;
:mod:`~multibody.specialize.image` puts the structure of a run in as constants, :mod:`~multibody.specialize.program` joins them
with the steps of a member (:mod:`~multibody.specialize.stepping`), and LLVM optimizes the whole
(:mod:`~multibody.specialize.optimize`). :class:`~multibody.specialize.specialized.Specialized` is the way in.
"""
