"""The passes of numba that a kernel goes through, from Python's byte code to LLVM's language.

Numba's own list has 27. Half of them look for what no kernel has: closures, ``with``, comprehensions, literals to unroll,
arrays added as a whole, functions to copy into the text. Others say where a variable is last used, so that what it owns can be
given back; a kernel owns nothing. What is left finds types, drops branches that are known, and lowers. A text that needs one
of the others does not compile.
"""

from __future__ import annotations

from typing import Any

from numba.core import compiler, compiler_machinery, typed_passes, untyped_passes

NEEDED = (
    (untyped_passes, ("TranslateByteCode", "FixupArgs", "IRProcessing", "RewriteSemanticConstants", "DeadBranchPrune")),
    (untyped_passes, ("GenericRewrites", "RewriteDynamicRaises", "ReconstructSSA", "DeadBranchPrune")),
    (typed_passes, ("NopythonTypeInference", "PreLowerStripPhis", "NoPythonSupportedFeatureValidation")),
    (typed_passes, ("AnnotateTypes", "NativeLowering", "NoPythonBackend")),
)
POSSIBLE = all(hasattr(room, name) for room, names in NEEDED for name in names)


class _Passes(compiler_machinery.PassManager):  # type: ignore[misc]
    """One after the other, without looking after each whether numba's authors made a mistake."""

    def _runPass(self, index: int, each: Any, state: Any) -> None:
        each.analysis = self._analysis
        each.run_pass(state)


def _ours() -> Any:
    """Return the passes of kernels, made once for all."""
    passes = _Passes("kernels")
    for room, names in NEEDED:
        for name in names:
            passes.add_pass(getattr(room, name), name)
    passes.finalize()
    return passes


class KernelCompiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's compiler with these passes."""

    _PASSES = _ours() if POSSIBLE else None

    def define_pipelines(self) -> list[Any]:
        """Return the one list of passes."""
        return [self._PASSES]


COMPILER: Any = KernelCompiler if POSSIBLE else compiler.Compiler
