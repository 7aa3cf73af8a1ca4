"""Whole-program compilation: an entry kernel and all that it calls are optimized and emitted once, as one module.

Numba makes a library of every function: it links in the modules of the callees, optimizes the whole twice and emits machine
code, also for functions that only other kernels call. A function five calls deep is so optimized five times, and two thirds of
a first run went into that. Here an inner kernel is typed, lowered and made simple; its module, a third as long by then, waits
until an entry kernel, one that Python or an address enters, joins the modules of everything below it. What is joined is
internal to the entry, so that LLVM drops arguments that nobody reads. An internal copy must have a name of its own: LLVM's
loader keeps one table of names for all objects, local symbols included, so that the copy of a function which is an entry as
well, or a copy in another entry or in the same entry for other types, would be taken for it; and LLVM may have dropped other
arguments there.

A large function that many entries call once in an evaluation, such as all forces, is *shared*: it is joined, optimized and
emitted once, and entries call it by a name of its own, the same in every process. What an entry needs of these is noted in
``needs``; its machine code is good only where they have been loaded, see :mod:`multibody.kernels.cache.machine_code`.

This takes the place of two methods of numba's libraries; where a release of numba is without them, :data:`POSSIBLE` is False
and kernels are compiled as numba does it by itself.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from llvmlite import binding
from numba.core import codegen

_LIBRARY: Any = getattr(codegen, "JITCodeLibrary", object)
NEEDED = ("finalize", "_finalize_final_module", "_get_module_for_linking", "_optimize_final_module", "_raise_if_finalized")
POSSIBLE = all(hasattr(_LIBRARY, name) for name in NEEDED) and hasattr(codegen.JITCPUCodegen, "_library_class")
ALL_WAIT = False  # True, set before kernels are imported: no kernel is emitted, their modules are what is wanted


@dataclass(frozen=True)
class Shared:
    """A function that entries call by name: where it is, its types, and the name in machine code."""

    module: str
    function: str
    types: tuple[Any, ...]
    symbol: str


_OPEN: list[tuple[str, bool, Shared | None]] = []  # what is in compilation, innermost last: name, whether inner, how shared


class JoinedLibrary(_LIBRARY):  # type: ignore[misc]
    """The library of one kernel: an inner one waits, an entry or a shared one joins everything below it."""

    def __init__(self, owner: Any, name: str) -> None:
        super().__init__(owner, name)
        ours = bool(_OPEN) and name == _OPEN[-1][0]
        self.waits = ours and _OPEN[-1][1]
        self.entry = ours and not self.waits
        self.shared = _OPEN[-1][2] if ours else None
        self.needs: dict[str, Shared] = {}

    def finalize(self) -> None:
        """Join and emit an entry, put off an inner kernel; numba's own small functions are compiled as always."""
        below = _below(self, {})
        if not (self.entry or self.waits) and not any(each.waits for each in below if isinstance(each, JoinedLibrary)):
            super().finalize()
            return
        self._raise_if_finalized()
        if self.waits:
            if not ALL_WAIT:
                _simplify(self._final_module, self._codegen)
            self._finalize_dynamic_globals()
            self._finalized = True
            return
        own = {each.name for each in self._final_module.functions if not each.is_declaration}
        mark = hashlib.sha256(" ".join(sorted(own)).encode()).hexdigest()[:16]  # of the entry with its types
        called = {}
        for library in below:
            self._reload_init.update(library._reload_init)
            shared = getattr(library, "shared", None)
            if shared is not None:
                called[library.symbol_before] = self.needs[shared.symbol] = shared
                continue
            self.needs.update(getattr(library, "needs", {}))
            self._final_module.link_in(_lasting(library._get_module_for_linking()))
        for each in self._final_module.functions:
            if each.is_declaration:
                each.name = called[each.name].symbol if each.name in called else each.name
            elif each.name not in own:
                each.linkage = "internal"
                each.name = f"{each.name}.{mark}"
            elif self.shared is not None:  # it alone: nobody else enters
                self.symbol_before, each.name = each.name, self.shared.symbol
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def _optimize_functions(self, module: Any) -> None:
        """Leave the functions of an inner kernel as they are: they are optimized where they are joined."""
        if not self.waits:
            super()._optimize_functions(module)

    def _optimize_final_module(self) -> None:
        """Run the optimizer once: the pass before it, which brings reference counts together, has nothing to do in kernels."""
        builder = _builder(self._codegen)
        builder.getModulePassManager().run(self._final_module, builder)


def _builder(owner: Any) -> Any:
    """Return LLVM's optimizer for kernels.

    Without vectors and unrolled loops: kernels have short loops of lengths that are not known, and to unroll them makes
    implicit runs a tenth slower and takes a seventh of the time of compilation. The first level is a tenth quicker to
    compile, and kernels are slower by 3 to 5 hundredths.
    """
    tuning = binding.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_unrolling = False
    return binding.create_pass_builder(owner._tm, tuning)


def _simplify(module: Any, owner: Any) -> None:
    """Put what numba keeps on the stack into registers, once for all entries that a function is joined to."""
    manager = binding.create_new_module_pass_manager()
    manager.add_sroa_pass()
    manager.add_instruction_combine_pass()
    manager.add_simplify_cfg_pass()
    manager.run(module, _builder(owner))


def _below(library: Any, found: dict[Any, None]) -> dict[Any, None]:
    """Return everything that a library calls, through those that wait."""
    for each in library._linking_libraries:
        if each not in found:
            found[each] = None
            if getattr(each, "waits", False):
                _below(each, found)
    return found


def _lasting(module: Any) -> Any:
    """Return a copy of a module whose functions are linked in whether or not somebody has asked for them yet."""
    copy = module.clone()
    for each in copy.functions:
        if not each.is_declaration and each.linkage != binding.Linkage.internal:
            each.linkage = "weak_odr"
    return copy


def whole_module(library: Any) -> Any:
    """Return the unoptimized module of a kernel that waits, joined with all that it calls.

    Parameters
    ----------
    library : JoinedLibrary
        Of a kernel compiled while :data:`ALL_WAIT` is True.

    Returns
    -------
    llvmlite.binding.ModuleRef
    """
    module = _lasting(library._final_module)
    for each in _below(library, {}):
        module.link_in(_lasting(each._get_module_for_linking()))
    return module


def set_environment(owner: Any, name: str, environment: Any) -> None:
    """Take the place of numba's ``set_env``: environments hold Python objects, and a kernel that waits has no room for one."""
    if owner._engine.get_global_value_address(name):
        _SET_ENVIRONMENT(owner, name, environment)


_SET_ENVIRONMENT: Any = getattr(codegen.JITCPUCodegen, "set_env", None)


def adopt(library: Any, shared: Shared | None, needs: dict[str, Shared], symbol: str) -> None:
    """Note of a library from disk what :class:`JoinedLibrary` notes of one that it compiles; `symbol` is numba's name."""
    library.shared, library.needs, library.symbol_before = shared, needs, symbol


@contextlib.contextmanager
def compiling(name: str, inner: bool, shared: Shared | None = None) -> Iterator[None]:
    """Say which of our functions is being compiled within."""
    _OPEN.append((name, inner, shared))
    try:
        yield
    finally:
        _OPEN.pop()
