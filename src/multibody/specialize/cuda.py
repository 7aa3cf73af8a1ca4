"""NVIDIA's processors by the driver alone: ``libcuda`` through ctypes.

This file imports nothing but Python's own library, so that it runs where nothing else is. What the driver's compiler makes of
PTX is believed only as far as it agrees with members that the host computes (:mod:`multibody.specialize.device`): silently
wrong code was met there, at the higher levels of its optimizer.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import sys
import time
from collections.abc import Sequence
from typing import Any

LEVELS = (4, 3, 2, 1, 0)  # of the driver's optimizer; it begins with the highest
_MAJOR, _MINOR, _PROCESSORS = 75, 76, 16  # attributes of a device
_REGISTERS, _LOCAL = 4, 3  # attributes of a function
_ERRORS, _ERRORS_SIZE, _LEVEL = 5, 6, 7  # options of the compiler
_ROOM = 16384  # characters of its words
WARP, _FEWEST, _MOST = 32, 2, 8  # threads of a warp; warps of a multiprocessor, whose 255 registers a thread leave room for 8
_CACHE = 430_000  # bytes of all threads' local memory up to which more of them make it faster, as seen on an H200
_ALL = 1 << 40
_BLOCK = 64  # threads of a block: the fastest on the processors it was tried on


class NoDevice(RuntimeError):  # noqa: N818 (it says what there is not)
    """There is no processor of NVIDIA's that can be used; the text says why."""


class Driver:
    """The driver with one device and a context on it.

    Parameters
    ----------
    device : int
        Which of the devices.

    Raises
    ------
    NoDevice
        Where there is no driver or no device.
    """

    def __init__(self, device: int = 0) -> None:
        self.library = _library()
        try:
            self.call("cuInit", 0)
        except RuntimeError as error:
            raise NoDevice(f"the driver of NVIDIA's processors does not start: {error}") from None
        count = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        if device >= count.value:
            raise NoDevice(f"there is no device {device}; the driver knows of {count.value}")
        self.device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(self.device), device)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device)
        self.use()

    def use(self) -> None:
        """Let this thread talk to the device."""
        self.call("cuCtxSetCurrent", self.context)

    def call(self, name: str, *given: Any) -> None:
        """Call a function of the driver; raise RuntimeError with its words where it fails."""
        status = getattr(self.library, name)(*given)
        if status != 0:
            words = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(words))
            raise RuntimeError(f"{name}: {(words.value or b'error').decode()} ({status})")

    def attribute(self, which: int) -> int:
        """Return an attribute of the device."""
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), which, self.device)
        return value.value

    @property
    def architecture(self) -> str:
        """``sm_XX``."""
        return f"sm_{self.attribute(_MAJOR)}{self.attribute(_MINOR)}"

    @property
    def name(self) -> str:
        """What the device is called, and how many multiprocessors it has."""
        room = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", room, 256, self.device)
        return f"{room.value.decode()} ({self.architecture}, {self.attribute(_PROCESSORS)} multiprocessors)"

    @functools.cached_property
    def processors(self) -> int:
        """Number of multiprocessors."""
        return self.attribute(_PROCESSORS)

    def allocate(self, size: int) -> int:
        """Return the address of new memory on the device; :meth:`free` gives it back."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 8)))
        return address.value

    def free(self, address: int) -> None:
        """Give memory back."""
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def put(self, address: int, source: int, size: int) -> None:
        """Copy bytes from an address of the host to one of the device."""
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), ctypes.c_void_p(source), ctypes.c_size_t(size))

    def get(self, target: int, address: int, size: int) -> None:
        """Copy bytes from an address of the device to one of the host."""
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(target), ctypes.c_uint64(address), ctypes.c_size_t(size))

    def copy(self, target: int, source: int, size: int) -> None:
        """Copy bytes on the device."""
        self.call("cuMemcpyDtoD_v2", ctypes.c_uint64(target), ctypes.c_uint64(source), ctypes.c_size_t(size))

    def clear(self, address: int, size: int) -> None:
        """Write zeros on the device."""
        self.call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(size))

    def finish(self) -> None:
        """Wait for everything that was handed over; raise RuntimeError where it failed."""
        self.call("cuCtxSynchronize")


def _library() -> Any:
    """Return the driver's library."""
    names = ["nvcuda.dll"] if sys.platform == "win32" else ["libcuda.so.1", "libcuda.so", ctypes.util.find_library("cuda")]
    for name in filter(None, names):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise NoDevice("no driver of NVIDIA's processors was found (libcuda)")


class Module:
    """PTX on a device.

    Parameters
    ----------
    driver : Driver
    ptx : str or bytes
    level : int
        Of the driver's optimizer, 0 to 4.
    entry : str

    Attributes
    ----------
    registers, local : int
        That a thread takes; local memory in bytes.
    limited : bool
        Whether the number of threads is limited.
    side_by_side : int
        Threads that a multiprocessor works on at a time: more of them would drive each other's memory out of its cache. A
        thread that is done takes another member.
    block : int
        Threads of a block; where they are limited, as few as there can be, so that the limit is met.
    compile_seconds : float
    """

    def __init__(self, driver: Driver, ptx: str | bytes, level: int = LEVELS[0], entry: str = "members") -> None:
        self.driver, self.level = driver, level
        text = ptx.encode() if isinstance(ptx, str) else ptx
        errors, begin = ctypes.create_string_buffer(_ROOM), time.perf_counter()
        names = (ctypes.c_int * 3)(_ERRORS, _ERRORS_SIZE, _LEVEL)
        values = (ctypes.c_void_p * 3)(ctypes.addressof(errors), _ROOM, level)
        self._module, self._function = ctypes.c_void_p(), ctypes.c_void_p()
        try:
            driver.call("cuModuleLoadDataEx", ctypes.byref(self._module), ctypes.c_char_p(text + b"\0"), 3, names, values)
        except RuntimeError as error:
            words = errors.value.decode(errors="replace").strip()
            raise RuntimeError(f"the driver does not take the code: {error}; {words}") from None
        self.compile_seconds = time.perf_counter() - begin
        driver.call("cuModuleGetFunction", ctypes.byref(self._function), self._module, entry.encode())
        self.registers, self.local = self._attribute(_REGISTERS), self._attribute(_LOCAL)
        warps = _CACHE // (WARP * max(self.local, 1))
        self.limited, self.side_by_side, self.block = warps < _MOST, _ALL, _BLOCK
        if self.limited:
            self.limit(max(_FEWEST, warps))

    def _attribute(self, which: int) -> int:
        value = ctypes.c_int()
        self.driver.call("cuFuncGetAttribute", ctypes.byref(value), which, self._function)
        return value.value

    def limit(self, warps: int) -> None:
        """Let a multiprocessor work on so many warps at a time, in blocks of one."""
        self.side_by_side, self.block = WARP * warps, WARP

    def unload(self) -> None:
        """Give the module back to the driver."""
        self.driver.call("cuModuleUnload", self._module)

    def enqueue(
        self, addresses: list[int], count: int, t: float, h: float, asked: Sequence[int], block: int | None = None
    ) -> None:
        """Let the entry do its work on members whose tiles lie on the device, after what was handed over before.

        Parameters
        ----------
        addresses : list of int
            Of numbers and the other vectors of the entry, statuses last.
        count : int
            Number of members.
        t, h : float
        asked : sequence of int
            Number of steps, or of the instant, and so on, as the entry takes them.
        block : int, optional
            Threads of a block, by default :attr:`block`.
        """
        block = self.block if block is None else block
        given: list[Any] = [*map(ctypes.c_uint64, addresses), ctypes.c_int64(count), ctypes.c_double(t), ctypes.c_double(h)]
        given += map(ctypes.c_int64, asked)
        places = (ctypes.c_void_p * len(given))(*(ctypes.addressof(each) for each in given))
        grid = min((count + block - 1) // block, max(1, self.driver.processors * self.side_by_side // block))
        self.driver.call("cuLaunchKernel", self._function, grid, 1, 1, block, 1, 1, 0, None, places, None)

    def launch(self, addresses: list[int], count: int, t: float, h: float, steps: int, block: int) -> float:
        """Do the same and wait for it; return the seconds that it took."""
        self.driver.finish()
        begin = time.perf_counter()
        self.enqueue(addresses, count, t, h, (steps,), block)
        self.driver.finish()
        return time.perf_counter() - begin
