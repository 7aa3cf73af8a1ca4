"""The verbs on a model: one-line delegations; the files of verbs, of models and of results, are those that know both ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, overload

from multibody._analysis_verbs import AnalysisVerbs
from multibody._many_verbs import ManyVerbs
from multibody._result_verbs import Paging
from multibody._shown import Shown
from multibody._target import named_path
from multibody.arguments import answered, in_words, spread
from multibody.errors import ModelError
from multibody.model.geometry import Orienting
from multibody.model.model import Model as _Model
from multibody.model.values import VectorLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from multibody._analysis_verbs import Initial
    from multibody.analyses.check.report import CheckReport
    from multibody.results.run import Run
    from multibody.results.small_motions import Freedoms
    from multibody.results.state import State
    from multibody.study.result import Study
    from multibody.symbolic.equations import Equations
    from multibody.view.draw import View


@answered
class Model(AnalysisVerbs, ManyVerbs, Shown):
    """A mechanism, described once; every analysis reads it and none changes it."""

    __doc__ = _Model.__doc__

    def check(self, *, cut: Sequence[str] | None = None) -> CheckReport:
        """Return mobility, rank, redundancy by name, singularity, which reactions are unique, and the spanning tree.

        Parameters
        ----------
        cut : list of str, optional
            Joints at which loops are cut in joint coordinates; derived by default.
        """
        from multibody.analyses.check.check import check

        report = check(self, cut=cut)
        object.__setattr__(report, "_checked", (self, (*self.bodies, *self.joints)))  # for the picture in notebooks
        return report

    @overload
    def assemble(
        self, initial: Initial | None = None, *, t: float | str | None = None, branches: Literal[False] | None = None
    ) -> State: ...

    @overload
    def assemble(
        self, initial: Initial | None = None, *, t: float | str | None = None, branches: Literal[True]
    ) -> list[State]: ...

    @overload
    def assemble(
        self, initial: Initial | None = None, *, t: float | str | None = None, branches: bool | None
    ) -> State | list[State]: ...

    def assemble(
        self, initial: Initial | None = None, *, t: float | str | None = None, branches: bool | None = None
    ) -> State | list[State]:
        """Return a consistent :class:`State`; with ``branches=True`` a list of the assemblies found.

        Parameters
        ----------
        initial : State or values by path, optional
            Where to start; ``{"O": 0.3}`` holds values exactly. Default: the model's own initial values.
        t : float, optional
            Time at which motions are taken; default that of `initial`, else 0.
        branches : bool
            Whether the assemblies found are listed.
        """
        from multibody.analyses.given.initial import given
        from multibody.results.state import assembled

        found: State | list[State] = assembled(*given(self, initial), t, branches)
        return found

    def set(self, **parameters: Any) -> Self:
        """Return a copy with other parameter values; nothing is lowered again.

        Parameters
        ----------
        **parameters
            New values by name: numbers, or lists for vectors.
        """
        from multibody.model.parameters import changed

        return changed(self, parameters)

    @spread(Orienting)
    def include(
        self, other: _Model, prefix: str, at: VectorLike | None = None, **orientation: Unpack[Orienting]
    ) -> None:
        """Add another model's bodies, joints and everything else, every name with a prefix, placed as a whole.

        Parameters
        ----------
        other : Model
        prefix : str
            Begins the name of everything that is copied: ``left_``.
        at : vector, optional
            Where the origin of its ground comes to lie [length].
        angle, x, z, quaternion, rotvec, rpy, euler, rotation : optional
            How its ground axes come to lie, one form of it, as for :meth:`body`.
        """
        from multibody.model.include import include

        turned: Mapping[str, Any] = orientation
        include(self, other, prefix, at, **turned)

    def wiggle(self) -> Freedoms:
        """Return the freedoms that the joints leave at the assembled pose, each a small motion; motions are not held.

        ``model.wiggle().view()`` plays them in the browser, ``print(model.wiggle())`` lists them.
        """
        return self.assemble(branches=False).wiggle()

    @spread(Paging)
    def page(
        self, file: str | PathLike[str], until: float | str | None = None, *, force: bool = False, **options: Unpack[Paging]
    ) -> Path:
        """Move the model as its file says and write the page that plays it; return its path.

        It is moved under its forces, or along its motions where it cannot be; one that cannot move shows its freedoms.

        Parameters
        ----------
        file : path
            Ends in ``.html``.
        until : float or formula, optional
            Last time; default the model's own, else 5 s.
        force : bool
            Whether a file that exists is replaced.
        plot, x, trace, names, paper, layout, title
            As for :meth:`Run.page`.
        """
        from multibody.results.seen import last_time, seen
        from multibody.view.page.write import check_page

        check_page(file, force, self._files)
        shown: Path = seen(self, last_time(self, until)).page(file, force=force, **options)
        return shown

    @spread(Paging)
    def view(self, until: float | str | None = None, **options: Unpack[Paging]) -> Path:
        """Move the model as for :meth:`page` and open the browser; ``model.run(5).view()`` says how it is moved.

        Parameters
        ----------
        until, plot, x, trace, names, paper, layout, title
            As for :meth:`page`.

        Returns
        -------
        Path
            Of the page; where no browser can be opened it is printed too.
        """
        from multibody.results.seen import last_time, seen

        shown: Path = seen(self, last_time(self, until)).view(**options)
        return shown

    def equations(
        self, *, minimal: bool = True, cut: Sequence[str] | None = None, independent: Sequence[str] | None = None,
        angles: Literal["joints", "bodies"] | None = None,
    ) -> Equations:  # fmt: skip
        """Return the equations on paper: q, Φ, Φ_q, γ, M, Q and minimal equations of motion, as SymPy expressions.

        They are made of the lowered model that the kernels read and compared with the kernels at random states before they
        are returned. Needs ``pip install multibody[symbolic]``.

        Parameters
        ----------
        minimal : bool
            Whether minimal equations of motion are made too.
        cut : list of str, optional
            Joints at which loops are cut; derived by default.
        independent : list of str, optional
            Joints or bodies whose coordinates are independent where loops close; derived by default.
        angles : str, optional
            Of planar minimal equations: ``"joints"`` for angles between bodies, ``"bodies"`` for their angles from the x axis.
            Default: joints for trees, bodies where loops close.

        Returns
        -------
        Equations
            ``print`` shows them; ``.latex()``, ``.python()`` and ``.c()`` write them.
        """
        from multibody.symbolic import require_sympy

        require_sympy()
        from multibody.symbolic.make import equations

        return equations(self, minimal=minimal, cut=cut, independent=independent, angles=angles)

    def text(self) -> str:
        """Return the model as the text of a ``.yaml`` file; reading it back gives the same model."""
        from multibody.files.writer import model_text

        return model_text(self)

    def save(self, file: str) -> None:
        """Write the model to a ``.yaml`` or ``.json`` file, which reads back as the same model, or as a robot to ``.urdf``."""
        if Path(named_path(file)).suffix.lower() == ".urdf":
            from multibody._target import write_whole
            from multibody.files.robots.write_urdf import urdf_text
            from multibody.tables.mass_numbers import mass_numbers

            write_whole(file, urdf_text(self, mass_numbers(self)).encode())
            return
        from multibody.files.writer import write_file

        write_file(self, file)

    def draw(
        self, ax: Axes | None = None, *, labels: bool | None = None, symbols: bool | None = None, title: str | None = None,
        figsize: tuple[float, float] | None = None, view: View | None = None,
    ) -> Axes:  # fmt: skip
        """Draw the assembled mechanism with matplotlib and return the axes; arguments as for :meth:`State.draw`."""
        state = self.assemble(branches=False)
        return state.draw(ax, labels=labels, symbols=symbols, title=title, figsize=figsize, view=view)


@in_words
def load(source: str, **parameters: Any) -> Model:
    """Return the model of a file or of the library, with parameters set.

    Parameters
    ----------
    source : str
        Path of a ``.yaml`` or ``.json`` file, of a robot (``.urdf``, ``.sdf``, ``.xacro``), or the name of a library model.
    **parameters
        Values of its parameters. Of a robot: `base` ("file", "fixed", "floating"), `fixed` joints ("keep", "merge"), `inertias`
        that are missing or impossible ("refuse", "shapes" with a `density`, "massless"), `limits` ("stops", "none"),
        `packages` (folders by name), `loops` (a YAML file beside a URDF).
    """
    from multibody.files.reader import read_file

    model: Model = read_file(source, Model, parameters)
    return model


@in_words
def read_run(file: str | PathLike[str], model: _Model | None = None) -> Run:
    """Return the run of a file that :meth:`Run.save` wrote; the model comes with it.

    Parameters
    ----------
    file : path
        ``.nc`` or ``.mat``; tables (``.csv``, ``.parquet``) have columns of a run, not the run.
    model : Model, optional
        The model that it has to be of; another one is an error.
    """
    from multibody.files.reader import read_text
    from multibody.files.writer import model_to_plain
    from multibody.results.run import Run
    from multibody.results.stored import motion_of, open_stored

    data = open_stored(str(file))
    own: Model = read_text(data.attrs["model_text"], str(file), Model)
    if model is not None and model_to_plain(model) != model_to_plain(own):
        raise ModelError(f'it holds a run of another model, "{own.name}"', file=str(file), hint="read it without a model")
    return Run(motion_of(data, own, str(file)))


@in_words
def read_study(file: str | PathLike[str]) -> Study:
    """Return the study of a ``.nc`` file that :meth:`Study.save` wrote, or of the folder of a store as far as it came.

    Parameters
    ----------
    file : path
    """
    from multibody.study.read import read_study as read

    return read(Path(named_path(file)))
