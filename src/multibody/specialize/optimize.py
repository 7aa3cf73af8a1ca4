"""A process that links, optimizes and emits a program; it needs llvmlite alone.

Run as ``python optimize.py FOLDER``: the folder has ``program.ll``, the kernels' bitcode and ``task.json``; ``result`` is
written there. LLVM's limits on unrolling can only be set for a whole process, which is why this is one.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys
import time
from typing import Any

from llvmlite import binding

INTRINSICS = [
    "sin",
    "cos",
    "tan",
    "exp",
    "log",
    "pow",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "atan2",
    "floor",
    "sqrt",
]


_LOOPS, _MARK = re.compile(r"^(  br [^\n!]*)$", flags=re.M), r"\1, !llvm.loop !9001"
_NOT_UNROLLED = '\n!9001 = distinct !{!9001, !9002}\n!9002 = !{!"llvm.loop.unroll.disable"}\n'


def machine_for(target: str) -> Any:
    """Return LLVM's target machine: ``host``, or ``sm_XX`` for NVIDIA's processors."""
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    if target == "host":
        features = binding.get_host_cpu_features().flatten()
        host = binding.Target.from_default_triple()
        name = binding.get_host_cpu_name()
        return host.create_target_machine(cpu=name, features=features, opt=3, reloc="pic", codemodel="jitdefault", jit=True)
    device = binding.Target.from_triple("nvptx64-nvidia-cuda")
    return device.create_target_machine(cpu=target, features="+ptx70" if target < "sm_90" else "+ptx78", opt=3)


def with_own_functions(text: str, own: dict[str, str]) -> str:
    """Return a module's text in which the mathematical library's functions have our names; √, ⌊x⌋ and |x| are instructions."""
    for name in INTRINSICS:
        put = {"sqrt": "@llvm.sqrt.f64", "floor": "@llvm.floor.f64"}.get(name) or own.get(name)
        if put is not None:
            text = re.sub(rf"@(llvm\.{name}\.f64|{name})(?=\()", put, text)
    seen: set[str] = set()
    kept = []
    for line in text.split("\n"):  # two names may have become one
        declared = re.match(r"declare .*?@([\w.]+)\(", line)
        if declared and declared[1] in seen:
            continue
        seen.update(declared.groups() if declared else ())
        kept.append(line)
    return "\n".join(kept)


def linked(folder: pathlib.Path, task: dict[str, Any], machine: Any) -> Any:
    """Return program and kernels as one module for a machine, all but the entry internal and copied where it is called."""
    head = f'target datalayout = "{machine.target_data}"\ntarget triple = "{machine.triple}"\n'
    parts, program = [], (folder / "program.ll").read_text()
    straight = f"@{task['program']}(" in program
    for name, symbol, put in task["kernels"]:
        module = binding.parse_bitcode((folder / name).read_bytes())
        module.get_function(symbol).name = put
        text = re.sub(r"^target .*$", "", str(module), flags=re.M)
        text = with_own_functions(text, task["functions"]) if task["functions"] else text
        text = _with_programs(text, task) if straight else text
        parts.append(_rolled(text) if put in task["rolled"] else _rolled_apart(text, task["apart"]))
    whole = binding.parse_assembly(head + program)
    for text in parts:
        whole.link_in(binding.parse_assembly(head + text))
    for each in whole.functions:
        if not each.is_declaration and each.name != task["entry"]:
            each.linkage = "internal"
            if _is_apart(each.name, task["apart"]):
                each.add_function_attribute("noinline")
            elif not each.name.startswith("NRT_"):
                each.add_function_attribute("alwaysinline")
    for each in whole.global_variables:
        if not each.is_declaration:
            each.linkage = "internal"
    whole.verify()
    return whole


def _with_programs(text: str, task: dict[str, Any]) -> str:
    """Return a module's text in which the stack machine is a call of the programs as straight code."""

    def put(found: re.Match[str]) -> str:
        answer, _, _, scratch, place = re.findall(r"(%[\w.]+)[,)]", found[1])[:5]
        value = f"  %value = call double @{task['program']}(ptr {scratch}, i64 {place})\n"
        return f"{found[1]}{{\n{value}  store double %value, ptr {answer}, align 8\n  ret i32 0\n}}"

    made, count = re.subn(rf"^(define [^\n]*@\w*{task['machine']}\w*\([^\n]*)\{{\n.*?^\}}$", put, text, flags=re.M | re.S)
    return f"{made}\ndeclare double @{task['program']}(ptr, i64)\n" if count else text


def _is_apart(name: str, apart: list[str]) -> bool:
    """Return whether a function stays one, by the parts of names that say so."""
    return any(part in name for part in apart)


def _rolled_apart(text: str, apart: list[str]) -> str:
    """Return a module's text in which loops of functions that stay functions stay loops."""
    pieces = re.split(r"^(?=define )", text, flags=re.M)
    found = [re.match(r"define [^@]*@([\w.$]+)\(", piece) for piece in pieces]
    names = [each[1] if each else "" for each in found]
    if not any(_is_apart(name, apart) for name in names):
        return text
    marked = [_LOOPS.sub(_MARK, piece) if _is_apart(name, apart) else piece for name, piece in zip(names, pieces, strict=True)]
    return "".join(marked) + _NOT_UNROLLED


def _rolled(text: str) -> str:
    """Return a module's text in which loops stay loops."""
    return _LOOPS.sub(_MARK, text) + _NOT_UNROLLED


def optimize(module: Any, machine: Any, rounds: int, vectors: bool) -> None:
    """Run LLVM's O3 several times: a block is taken apart once the block that has its address was."""
    for k in range(rounds):
        tuning = binding.create_pipeline_tuning_options(speed_level=3)
        tuning.loop_vectorization = False
        tuning.slp_vectorization = vectors and k == rounds - 1
        builder = binding.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)


def settled(module: Any, task: dict[str, Any]) -> Any:
    """Return the module in which every member reads its own numbers, ``stride`` numbers apart from each other.

    Where numbers are said to be read anew, all places among them that the code knows get a pointer; these take the place of
    the one address that stood for all members.
    """
    name, renew, text = re.escape(task["numbers"]), re.escape(task["renew"]), str(module)
    text = re.sub(rf"^(@{name} = .*|declare [^\n]*@{renew}\([^\n]*)$", "", text, flags=re.M)
    text = re.sub(r"^define [^\n]*\{\n.*?^\}$", lambda found: _with_own_numbers(found[0], task), text, flags=re.M | re.S)
    if task["apart"]:
        text += "\n!9999 = !{}\n"
    found = binding.parse_assembly(text)
    found.verify()
    return found


def _with_own_numbers(text: str, task: dict[str, Any]) -> str:
    """Return a function in which a member's numbers are read where they lie."""
    name, renew, stride = re.escape(task["numbers"]), re.escape(task["renew"]), task["stride"]
    sites = re.findall(rf"call [^@\n]*@{renew}\(ptr [^%@]*([%@][\w.]+), i64 [^)]*\)[^\n]*", text)
    if not sites and not re.search(rf"@{name}\b", text):
        return text
    if len(sites) != 1:
        raise RuntimeError(f"numbers are read anew at {len(sites)} places of the code")
    known = rf"getelementptr (?:[a-z]+ )*\(i8, ptr @{name}, i64 (-?\d+)\)"
    offsets = sorted({0, *map(int, re.findall(known, text))})
    text = re.sub(known, r"%number.\1", text)
    text = re.sub(rf"@{name}\b", "%number.0", text)
    own, base, entered = [], sites[0], f"@{task['entry']}(" in text.partition("\n")[0]
    if task["apart"] and stride > 1 and not entered:  # a function has to be told that they lie in the memory of the device
        own = [f"  %multibody.there = addrspacecast ptr {base} to ptr addrspace(1)"]
        own += ["  %multibody.here = addrspacecast ptr addrspace(1) %multibody.there to ptr"]
        base = "%multibody.here"
    own += [f"  %number.{each} = getelementptr i8, ptr {base}, i64 {each * stride}" for each in offsets]
    text = re.sub(rf"^[^\n]*call [^@\n]*@{renew}\([^\n]*$", "\n".join(own), text, flags=re.M)
    return strided(text, stride, bool(task["apart"]) and not entered) if stride > 1 else text


def strided(text: str, stride: int, marked: bool = False) -> str:
    """Return the text in which steps of an unknown number of items among a member's numbers are as wide as they lie apart.

    Parameters
    ----------
    text : str
        Of a function.
    stride : int
    marked : bool
        Whether loads of numbers shall be marked as such that never change.
    """
    derived, lines = set(re.findall(r"^  (%number\.-?\d+) = ", text, flags=re.M)), text.split("\n")
    first, grown = frozenset(derived), True
    while grown:  # a pointer may be used above where it is made, in a loop
        grown = False
        for line in lines:
            made = re.match(r"  (%[\w.]+) = (getelementptr|phi ptr|select)\b(.*)", line)
            if made and made[1] not in derived and any(used in derived for used in re.findall(r"%[\w.-]+", made[3])):
                derived.add(made[1])
                grown = True
    for k, line in enumerate(lines):
        made = re.match(r"(  (%[\w.]+) = getelementptr (?:[a-z]+ )*)(\[?[\w ]+\]?)(, ptr (%[\w.-]+), i64 .*)", line)
        if made and made[2] in derived and made[2] not in first and made[5] in derived:
            lines[k] = f"{made[1]}[{stride} x {made[3]}]{made[4]}"
        elif not made and any(used in derived for used in re.findall(r"%[\w.-]+", line)):
            plain = re.match(r"  (%[\w.]+ = (load (double|i64),|phi ptr|select)|%number\.)", line)
            if plain is None:
                raise RuntimeError(f"numbers are read in a way that is not known: {line.strip()}")
            if marked and plain[3]:
                lines[k] = re.sub(r"(, ![\w.]+ !\d+)*$", ", !invariant.load !9999", line)
    return "\n".join(lines)


def main(folder: pathlib.Path) -> None:
    """Do the task of a folder."""
    task = json.loads((folder / "task.json").read_text())
    binding.set_option("", f"-unroll-threshold={task['unroll']}")
    machine, begin = machine_for(task["target"]), time.perf_counter()
    module = linked(folder, task, machine)
    optimize(module, machine, task["rounds"], task["target"] == "host")
    module = settled(module, task)
    final = str(module)
    (folder / "final.ll").write_text(final)
    if task["target"] == "host":
        (folder / "result").write_bytes(machine.emit_object(module))
    else:
        (folder / "result").write_text(machine.emit_assembly(module))
    outside = [each.name for each in module.functions if each.is_declaration and not each.name.startswith("llvm.")]
    inner = re.findall(r"^define internal [^\n]*\{\n.*?^\}$", final, flags=re.M | re.S) if task["apart"] else [final]
    allocas = re.findall(r"= alloca ([^,\n]*)", "\n".join(inner))
    report = {
        "seconds": time.perf_counter() - begin, "lines": final.count("\n"), "outside": outside,
        "calls": len(re.findall(r" call [^\n]*@(?!llvm)", final)), "allocas": allocas,
    }  # fmt: skip
    (folder / "report.json").write_text(json.dumps(report))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
