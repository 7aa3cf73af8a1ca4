"""Results in other processes: arrays that hold addresses of compiled functions are written with the names of these functions.

An address is good in one process only. When such arrays are pickled or copied the addresses in them are recognized, and in
the process that reads them they are looked up again, compiled there if need be. The calls of a tree are a block of addresses.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import fields
from typing import Any

from numba.core.types import Integer

from multibody.errors import ModelError
from multibody.formulations.prepare import Bundle
from multibody.kernels.calls import EVALUATE, address_of
from multibody.kernels.tree.declared import TreeCalls

Place = tuple[int | str, str, str]  # of an address in I or its name among the tree's calls; module and name of the function
ROOMS = ("multibody.kernels", "multibody.formulations")
LEAST = 1 << 32  # smaller numbers in I are offsets and counts, never addresses


def functions_by_address() -> dict[int, tuple[str, str]]:
    """Return module and name of every function that has an address in this process."""
    found = {}
    for module_name, module in list(sys.modules.items()):
        if module is None or not module_name.startswith(ROOMS):
            continue
        for name, member in vars(module).items():
            compiled = getattr(member, "overloads", {}).get(EVALUATE.args)
            if compiled is not None and isinstance(compiled.signature.return_type, Integer):  # a literal 0 too
                found[address_of(member)] = (module_name, name)
    return found


def bundle_parts(bundle: Bundle) -> tuple[Any, ...]:
    """Return what makes a bundle again in any process."""
    values: dict[str, Any] = {f.name: getattr(bundle, f.name) for f in fields(bundle)}
    values["I"] = values["I"].copy()
    found: dict[int | str, int] = {int(k): int(values["I"][k]) for k in (values["I"] > LEAST).nonzero()[0]}
    if bundle.tree is not None:
        found |= {name: address for name, address in bundle.tree.model.calls.contents().items() if address != 0}
        values["tree"] = bundle.tree.changed(calls=TreeCalls())
    known = functions_by_address() if found else {}
    if any(address not in known for address in found.values()):  # it would be called there, whatever lies at that place
        hint = "save its data, or send the model and run it there"
        raise ModelError("a compiled function of this result has no name to travel by", hint=hint)
    places: list[Place] = [(place, *known[address]) for place, address in found.items()]
    values["I"][[k for k in found if isinstance(k, int)]] = 0
    return bundle_again, (type(bundle), values, places)


def bundle_again(kind: type[Bundle], values: dict[str, Any], places: list[Place]) -> Bundle:
    """Return a bundle with the addresses of this process."""
    bundle = object.__new__(kind)
    vars(bundle).update(values)
    for place, module, name in places:
        address = address_of(getattr(importlib.import_module(module), name))
        if isinstance(place, int):
            bundle.I[place] = address
        elif bundle.tree is not None:
            setattr(bundle.tree.model.calls, place, address)
    return bundle
