"""One structure, many members: the code that is made for it, and the numbers that its members have of their own."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from multibody.errors import AnalysisError
from multibody.kernels import CHECKED, joined
from multibody.kernels.arrays import Arrays
from multibody.specialize.build import built
from multibody.specialize.image import Floats, Words, numbers_of, structure_of, words_of
from multibody.specialize.integration import Kept, integration_of
from multibody.specialize.observer import Asked, observer_of
from multibody.specialize.program import Program, program_of
from multibody.specialize.sweep import Sweep, sweep_of

if TYPE_CHECKING:
    from multibody.specialize.device import DeviceCode
    from multibody.specialize.host import HostCode, HostIntegration, HostReader

ARCHITECTURE = "sm_70"  # the oldest that code is made for by default; drivers compile it for newer ones


class Specialized:
    """The equations of one model with its structure as constants, stepped by an integrator or followed by their motions.

    Parameters
    ----------
    arrays : Bundle
        A prepared run (``formulations.prepare``), in the coordinates of bodies or of joints.
    rhs : kernel, optional
        Right-hand side of its formulation; a driven mechanism needs none.
    accept : kernel, optional
        Acceptance of steps, which brings them onto the constraints; without it they are left where they come to.
    size : int, optional
        Length of y, by default that of the run.
    kept : Kept or Sweep, optional
        Which integrator goes on with members, or that motions drive them, and what is kept of each; by default the classical
        Runge–Kutta method, whose steps are all of one length.

    Raises
    ------
    AnalysisError
        Where kernels are compiled with tests of every index, or numba cannot hand over what it compiles.
    """

    def __init__(
        self, arrays: Arrays, rhs: Any = None, accept: Any | None = None, size: int | None = None,
        kept: Kept | Sweep | None = None,
    ) -> None:  # fmt: skip
        if CHECKED or not joined.POSSIBLE:
            why = "MULTIBODY_BOUNDSCHECK is set" if CHECKED else "this release of numba does not hand over what it compiles"
            raise AnalysisError(f"specialized code cannot be made: {why}")
        self.arrays, self.rhs, self.accept, self.kept = arrays, rhs, accept, kept
        self.size = int(arrays.size if size is None else size)  # type: ignore[attr-defined]
        self._structure = structure_of(arrays)

    def member(self, arrays: Arrays) -> tuple[Floats, Words]:
        """Return numbers and words of a member, which must have the structure that the code is made for.

        Parameters
        ----------
        arrays : Bundle
            A prepared run of the same model with other values.

        Returns
        -------
        numbers : array
        words : array of int
        """
        other = structure_of(arrays)
        for (path, own), (other_path, value) in zip(self._structure, other, strict=False):
            if path != other_path or own != value:
                raise AnalysisError(f"a member has another structure than the code is made for: {other_path} differs")
        if len(other) != len(self._structure):
            raise AnalysisError("a member has another structure than the code is made for: it has more or fewer parts")
        return numbers_of(arrays), words_of(arrays)

    @functools.cached_property
    def host(self) -> HostCode | HostIntegration:
        """The code on the host's processor, made on first use."""
        from multibody.specialize.host import HostCode, HostIntegration

        return (HostCode if self.kept is None else HostIntegration)(self._program("host"))

    def ptx(self, architecture: str = ARCHITECTURE) -> str:
        """Return the code for NVIDIA's processors as PTX; made on this machine, which needs no such processor.

        Parameters
        ----------
        architecture : str
            ``sm_70`` or newer.
        """
        return _checked(*built(self._program("ptx"), architecture))

    def reader(self, asked: Asked) -> HostReader:
        """Return the code that reads members on the host's processor.

        Parameters
        ----------
        asked : Asked
        """
        from multibody.specialize.host import HostReader

        return HostReader(observer_of(self.arrays, self.size, asked, "host"))

    def device(self, asked: Asked | None = None) -> DeviceCode:
        """Return the code on an NVIDIA processor of this machine, judged by the host's.

        Parameters
        ----------
        asked : Asked, optional
            What is read on the way.

        Raises
        ------
        multibody.specialize.cuda.NoDevice
        """
        from multibody.specialize.cuda import Driver
        from multibody.specialize.device import DeviceCode

        driver = Driver()  # before anything is made for it
        reader = None if asked is None else (self.reader_ptx(asked), self.reader(asked))
        return DeviceCode(self.ptx(), self.host, driver, reader)

    def reader_ptx(self, asked: Asked, architecture: str = ARCHITECTURE) -> str:
        """Return the code that reads members as PTX."""
        return _checked(*built(observer_of(self.arrays, self.size, asked, "ptx"), architecture))

    def _equations(self) -> dict[str, Any]:
        """Return what an integrator calls, in its order."""
        asked = {"rates": self.rhs}
        if isinstance(self.kept, Kept) and self.kept.implicit:
            asked = self.arrays.newton_kernels(False)._asdict()  # type: ignore[attr-defined]
            del asked["regular"]  # which they call themselves
        return asked if self.accept is None else {**asked, "accept": self.accept}

    def _program(self, target: str) -> Program:
        if isinstance(self.kept, Sweep):
            return sweep_of(self.arrays, self.kept, target)
        if self.kept is not None:
            return integration_of(self.arrays, self.kept, self._equations(), target)
        return program_of(self.arrays, self.size, self.rhs, self.accept, target)


def _checked(code: bytes, report: dict[str, Any]) -> str:
    """Return PTX that calls nothing from outside."""
    if report["outside"]:
        raise AnalysisError(f"the code calls what no device has: {', '.join(report['outside'])}")
    return code.decode()
