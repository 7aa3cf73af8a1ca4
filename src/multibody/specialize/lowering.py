"""A process that turns kernels into LLVM code, unoptimized, each joined with all that it calls.

Run as ``python -m multibody.specialize.lowering FOLDER NAME …`` where a name is ``module:function:planar`` or
``module:function:spatial``, or ``module:function``; a module with ``SIGNATURES`` says itself what its kernels take.
It is a process of
its own because no kernel may be emitted, or read from the cache, while modules are wanted as numba writes them.
"""

from __future__ import annotations

import importlib
import json
import pathlib
import re
import sys
from typing import Any

from multibody.kernels import joined


def strip(text: str) -> str:
    """Return a module's text without what belongs to the machine that it was made on.

    Loads are no longer marked as invariant: blocks are filled on the stack of the member that reads them.
    """
    text = re.sub(r", !invariant\.load ![0-9]+", "", text)
    text = re.sub(r'"(target-cpu|target-features|tune-cpu)"="[^"]*"', "", text)
    return re.sub(r"^target (datalayout|triple) = .*$", "", text, flags=re.M)


def lower(name: str) -> tuple[bytes, str]:
    """Return the bitcode of a kernel's module, and the name of the function in it."""
    from llvmlite import binding

    module_name, function_name, *version = name.split(":")
    module: Any = importlib.import_module(module_name)
    function = getattr(module, function_name)
    arguments = _arguments(module, function_name, version[0] if version else "")
    function.compile(arguments)
    made = function.overloads[arguments]
    whole = binding.parse_assembly(strip(str(joined.whole_module(made.library))))
    _tidy(whole)
    return whole.as_bitcode(), made.fndesc.llvm_func_name


def _arguments(module: Any, function: str, version: str) -> Any:
    """Return the types of a kernel's arguments: what its module says, else those of an equation of motion."""
    own = getattr(module, "SIGNATURES", {}).get(function)
    if own is not None:
        return (own[version] if version else own).args
    from multibody.kernels.calls import EVALUATE

    return EVALUATE[version == "planar"].args


def _tidy(module: Any) -> None:
    """Put variables into registers and join what follows each other, which is right for every structure and done once here."""
    from llvmlite import binding

    binding.initialize_native_target()
    machine = binding.Target.from_default_triple().create_target_machine()
    manager, builder = (
        binding.create_new_module_pass_manager(),
        binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=1)),
    )
    manager.add_sroa_pass()
    manager.add_instruction_combine_pass()
    manager.add_simplify_cfg_pass()
    manager.run(module, builder)


def main(folder: str, names: list[str]) -> None:
    """Write the modules of kernels into a folder: ``NAME.bc`` with the symbol's name in ``NAME.json``."""
    joined.ALL_WAIT = True
    for name in names:
        bitcode, symbol = lower(name)
        place = pathlib.Path(folder) / name.replace(":", "-")
        place.with_name(place.name + ".bc").write_bytes(bitcode)
        place.with_name(place.name + ".json").write_text(json.dumps({"symbol": symbol}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
