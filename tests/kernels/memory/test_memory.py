"""Named memory: what is declared is found by name in Python and in kernels, and what is read-only stays so."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from multibody.kernels.compile import kernel
from multibody.kernels.memory.compiled import at, split, table, within
from multibody.kernels.memory.declaration import (
    Block,
    Record,
    block,
    floats,
    indices,
    integer,
    integers,
    number,
    records,
    vector,
)


class Wheel(Record):
    """A record."""

    teeth = integer("how many")
    axis = vector(3, "direction")
    mates = indices(2, "other wheels")
    ratio = number("of speeds")


class Gearbox(Block, readonly=True):
    """Structure."""

    count = integer("wheels")
    scale = number("of lengths")
    wheels = records(Wheel, "all wheels")
    order = integers("of assembly")


class Speeds(Block):
    """What kernels write."""

    of = floats("speed of every wheel")
    total = number("sum")
    turned = integer("times")
    marks = records(Wheel, "a record a wheel that can be written to")
    box = block(Gearbox, "what turns")


gearbox_at, speeds_at, wheel_in = at(Gearbox), at(Speeds), within(Wheel)


@kernel
def turn(box, speeds):  # type: ignore[no-untyped-def]
    """Use every kind of field."""
    box, speeds = gearbox_at(box), speeds_at(speeds)
    for k in range(box.wheels.size):
        wheel = box.wheels[box.order[k]]
        speeds.of[k] = wheel.ratio * wheel.axis[2] + wheel.mates[1] * box.scale
        speeds.total += speeds.of[k]
        speeds.marks[k].axis[1] = speeds.box.count
        speeds.marks[k].teeth = wheel.teeth + 1
    speeds.turned += 1
    return total(speeds)


@kernel
def total(speeds):  # type: ignore[no-untyped-def]
    """Take an address or a block."""
    return speeds_at(speeds).total


def gearbox() -> Gearbox:
    wheels = np.zeros(3, Wheel.dtype)
    wheels["teeth"], wheels["ratio"] = [10, 20, 30], [1.0, 0.5, 2.0]
    wheels["axis"][:, 2], wheels["mates"][:, 1] = 3.0, [4, 5, 6]
    return Gearbox(count=3, scale=0.5, wheels=wheels, order=np.array([2, 0, 1]))


def test_fields_are_found_by_name_in_python_and_in_kernels() -> None:
    box = gearbox()
    speeds = Speeds(of=3, marks=3, box=box)
    expected = np.array([2.0, 1.0, 0.5]) * 3.0 + 0.5 * np.array([6, 4, 5])
    assert turn(box.address, speeds.address) == pytest.approx(expected.sum())
    assert speeds.of == pytest.approx(expected)
    assert speeds.turned == 1 and speeds.total == pytest.approx(expected.sum()) and total(speeds.address) == speeds.total
    assert list(speeds.marks.teeth) == [31, 11, 21] and np.all(speeds.marks[1].axis == [0.0, 3.0, 0.0])
    assert speeds.box is box and box.wheels[2].teeth == 30


def test_an_array_that_is_handed_over_is_shared() -> None:
    mine = np.zeros(3)
    box = gearbox()
    speeds = Speeds(of=mine, marks=3, box=box)
    turn(box.address, speeds.address)
    assert np.all(mine != 0.0)


def refused(function: Any, word: str) -> None:
    with pytest.raises(Exception, match=word):
        kernel(function)(gearbox().address)


def test_structure_cannot_be_written_by_kernels() -> None:
    def write_number(box: Any) -> None:
        gearbox_at(box).scale = 2.0

    def write_record(box: Any) -> None:
        gearbox_at(box).wheels[0].teeth = 2

    def write_array(box: Any) -> None:
        gearbox_at(box).order[0] = 2

    def write_vector(box: Any) -> None:
        gearbox_at(box).wheels[0].axis[0] = 2.0

    def write_section(box: Any) -> None:
        gearbox_at(box).order = gearbox_at(box).order

    def unknown(box: Any) -> Any:
        return gearbox_at(box).color

    for function in (write_number, write_record, write_section):
        refused(function, "cannot be assigned to")
    for function in (write_array, write_vector):
        refused(function, "setitem|readonly|Cannot")
    refused(unknown, "color")


def test_a_name_that_is_not_declared_is_refused() -> None:
    with pytest.raises(TypeError, match="Gearbox declares no color"):
        Gearbox(color=3)


def test_records_among_numbers() -> None:
    @kernel
    def read(numbers: Any, k: Any) -> Any:
        return wheel_in(numbers, k).ratio

    numbers = np.zeros(20)
    numbers[4 + Wheel.fields["ratio"].slot] = 7.0
    assert read(numbers, 4) == 7.0


def test_a_table_in_an_array() -> None:
    @kernel
    def add(numbers: Any, m: Any, n: Any) -> Any:
        rows = table(numbers, m, n)
        rows[0, 1] += rows[1, 0]
        return rows.shape[0] * rows.shape[1]

    numbers = np.arange(9.0)
    assert add(numbers, 3, 3) == 9
    assert numbers.tolist() == [0.0, 1.0 + 3.0, *range(2, 9)]
    assert add(numbers, 2, 2) == 4  # the array may be longer
    assert numbers[1] == 1.0 + 3.0 + 2.0
    assert add(numbers[:8], 2, 4) == 8 and numbers[1] == 6.0 + 4.0


def test_a_copy_has_memory_of_its_own() -> None:
    box = Gearbox(count=2, scale=1.0, wheels=2, order=np.array([1, 0]))
    speeds = Speeds(of=3, marks=2, total=1.0, box=box)
    speeds.of[:], speeds.marks["teeth"][:] = [1.0, 2.0, 3.0], [5, 7]
    other = speeds.copy()
    other.of[:], other.marks["teeth"][:] = 0.0, 0
    assert list(speeds.of) == [1.0, 2.0, 3.0] and list(speeds.marks["teeth"]) == [5, 7]
    third = speeds.copy(of=np.array([9.0]))
    assert list(third.of) == [9.0] and list(third.marks["teeth"]) == [5, 7] and third.total == 1.0
    assert third.box is box  # structure is read by all
    again = third.copy()
    third.of[0], third.marks["teeth"][0] = 4.0, 1
    assert list(again.of) == [9.0] and list(again.marks["teeth"]) == [5, 7]


def test_what_a_kernel_writes_to_a_copy_stays_there() -> None:
    box = Gearbox(count=1, scale=2.0, wheels=1, order=np.array([0]))
    box.wheels["teeth"][:], box.wheels["ratio"][:] = 3, 1.0
    speeds = Speeds(of=1, marks=1, box=box)
    other = speeds.copy()
    turn(box.address, other.address)
    assert other.turned != 0 or other.total != 0.0 or other.of[0] != 0.0
    assert speeds.turned == 0 and speeds.total == 0.0 and speeds.of[0] == 0.0


class Halves(NamedTuple):
    """Parts of an array."""

    left: Any
    right: Any


@kernel
def _count_parts(numbers, n):  # type: ignore[no-untyped-def]
    """Write which part every number belongs to; return how many there are."""
    parts = split(numbers, Halves(right=n + 1, left=n))
    for k in range(parts.left.shape[0]):
        parts.left[k] = 1.0
    for k in range(parts.right.shape[0]):
        parts.right[k] = 2.0
    return parts.left.shape[0] + parts.right.shape[0]


def test_parts_of_an_array_lie_one_behind_the_other() -> None:
    """In the order in which they are declared, whatever the order in which their lengths are said."""
    numbers = np.zeros(6)
    assert _count_parts(numbers, 2) == 5 and numbers.tolist() == [1.0, 1.0, 2.0, 2.0, 2.0, 0.0]
