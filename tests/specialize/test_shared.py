"""Numbers that all members share as constants of PTX, and arithmetic with them."""

from __future__ import annotations

import numpy as np

from multibody.specialize.folding import folded, number, written
from multibody.specialize.shared import common, with_constants

PTX = """
	ld.param.b64 	%rd1, [members_param_0];
	mad.lo.s64 	%rd2, %rd9, 768, %rd1;
	add.s64 	%rd3, %rd2, %rd8;
	ld.global.nc.b64 	%rd4, [%rd3];
	ld.global.nc.b64 	%rd5, [%rd3+256];
	ld.global.nc.b64 	%rd6, [%rd3+512];
	ld.global.nc.b64 	%rd7, [%rd4+256];
	fma.rn.f64 	%rd10, %rd4, %rd20, %rd21;
	mul.f64 	%rd11, %rd5, %rd20;
	fma.rn.f64 	%rd12, %rd6, %rd4, %rd20;
"""


def test_only_what_is_shared_becomes_a_constant() -> None:
    numbers = np.array([[0.0, 1.0, 3.0], [0.0, 1.0, 4.0], [0.0, 1.0, 3.0]])
    assert common(numbers).tolist() == [True, True, False]
    assert common(np.array([[0.0], [-0.0]])).tolist() == [False]  # to the bit
    made = with_constants(PTX, common(numbers), numbers[0])
    assert "mov.b64 	%rd4, 0d0000000000000000;" in made and "mov.b64 	%rd5, 0d3FF0000000000000;" in made
    assert "ld.global.nc.b64 	%rd6, [%rd3+512];" in made and "ld.global.nc.b64 	%rd7, [%rd4+256];" in made
    other = PTX.replace("768", "1024")  # another length of a member's numbers: nothing is known then
    assert with_constants(other, common(numbers), numbers[0]) == other


def test_arithmetic_with_constants() -> None:
    made = folded(with_constants(PTX, np.array([True, True, False]), np.array([0.0, 1.0, 3.0])))
    assert "mov.b64 	%rd10, %rd21;" in made  # 0·x + y
    assert "mov.b64 	%rd11, %rd20;" in made  # 1·x
    assert "mov.b64 	%rd12, %rd20;" in made  # x·0 + y


def test_all_forms() -> None:
    lines = {
        "add.f64 	%rd2, %rd1, 0d0000000000000000;": "mov.b64 	%rd2, %rd1;",
        "sub.rn.f64 	%rd2, 0d0000000000000000, %rd1;": "neg.f64 	%rd2, %rd1;",
        "mul.f64 	%rd2, %rd1, 0dBFF0000000000000;": "neg.f64 	%rd2, %rd1;",
        "fma.rn.f64 	%rd2, %rd1, 0d3FF0000000000000, %rd3;": "add.rn.f64 	%rd2, %rd1, %rd3;",
        "fma.rn.f64 	%rd2, 0dBFF0000000000000, %rd1, %rd3;": "sub.rn.f64 	%rd2, %rd3, %rd1;",
        "fma.rn.f64 	%rd2, %rd1, %rd3, 0d0000000000000000;": "mul.rn.f64 	%rd2, %rd1, %rd3;",
        "mul.f64 	%rd2, 0d4000000000000000, 0d4008000000000000;": f"mov.b64 	%rd2, {written(6.0)};",
        "neg.f64 	%rd2, 0d4000000000000000;": f"mov.b64 	%rd2, {written(-2.0)};",
        "mul.f64 	%rd2, %rd1, %rd3;": "mul.f64 	%rd2, %rd1, %rd3;",
    }
    for before, after in lines.items():
        assert folded(f"\t{before}") == f"\t{after}"
    twice = "\tmov.b64 	%rd1, 0;\n\tmov.b64 	%rd1, %rd7;\n\tmul.f64 	%rd2, %rd1, %rd3;"
    assert folded(twice) == twice  # a register that is written twice is no constant
    assert number("0") == 0.0 and number(written(-1.25)) == -1.25 and number("%rd1") is None
