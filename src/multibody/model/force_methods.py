"""The methods of a model that add forces, one a kind; written by ``write_methods.py`` from the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multibody.arguments import answered
from multibody.model.forces import Force, make_force
from multibody.model.values import ArrayLike, CoordinateLike, EndLike, NumberLike, VectorLike


@answered
class ForceMethods:
    """Adds forces: ``model.spring(...)`` and so on."""

    _section = "forces"
    dimension: int

    def _added(self, item: Any) -> Any:
        raise NotImplementedError

    def spring(
        self, name: str, first: EndLike, second: EndLike, *, stiffness: NumberLike = 0.0, damping: NumberLike = 0.0,
        length: NumberLike = 0.0, force: NumberLike | None = None,
    ) -> Force:  # fmt: skip
        """Add a spring: a spring and damper along the line between two points.

        Parameters
        ----------
        name : str
            Of the force, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        stiffness : number or formula, optional
            Stiffness [force/length].
        damping : number or formula, optional
            Damping [force·time/length].
        length : number or formula, optional
            Free length [length].
        force : number or formula, optional
            Further force along the line, positive if it pushes the ends apart [force].

        Returns
        -------
        Force
        """
        item: Force = self._added(make_force(
            "spring", name, (first, second), self.dimension, stiffness=stiffness, damping=damping, length=length,
            force=force
        ))  # fmt: skip
        return item

    def effort(
        self, name: str, coordinate: CoordinateLike, *, value: NumberLike | None = None, stiffness: NumberLike = 0.0,
        rest: NumberLike = 0.0, damping: NumberLike = 0.0,
    ) -> Force:  # fmt: skip
        """Add an effort: a force or moment along a coordinate, positive if it raises it.

        Parameters
        ----------
        name : str
            Of the force, unique over the whole model.
        coordinate : joint, expression or path
            What it acts along: a joint with one coordinate, or a path such as ``"O.angle"`` or ``"rod.tip.x"``.
        value : number or formula, optional
            Effort, positive if it raises the coordinate [force or moment].
        stiffness : number or formula, optional
            Stiffness against leaving `rest` [effort/coordinate].
        rest : number or formula, optional
            Value of the coordinate at which the stiffness has no effort.
        damping : number or formula, optional
            Damping [effort·time/coordinate].

        Returns
        -------
        Force
        """
        item: Force = self._added(make_force(
            "effort", name, coordinate, self.dimension, value=value, stiffness=stiffness, rest=rest, damping=damping
        ))  # fmt: skip
        return item

    def force(
        self, name: str, end: EndLike, *, value: VectorLike | None = None, moment: NumberLike | VectorLike | None = None,
        axes: str = "ground",
    ) -> Force:  # fmt: skip
        """Add a force: a force and a moment on a body, at a point of it.

        Parameters
        ----------
        name : str
            Of the force, unique over the whole model.
        end : body, frame or path
            Where it acts: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        value : vector, optional
            Components of the force [force].
        moment : number or vector, optional
            Moment [force·length]: planar a number, spatial three components.
        axes : str, optional
            Axes of the components: `ground`, or `body` to follow the body.

        Returns
        -------
        Force
        """
        item: Force = self._added(make_force("force", name, end, self.dimension, value=value, moment=moment, axes=axes))
        return item

    def bushing(
        self, name: str, first: EndLike, second: EndLike, *,
        stiffness: Sequence[NumberLike] | Sequence[Sequence[NumberLike]] | ArrayLike | None = None,
        damping: Sequence[NumberLike] | Sequence[Sequence[NumberLike]] | ArrayLike | None = None,
        preload: Sequence[NumberLike] | ArrayLike | None = None,
    ) -> Force:  # fmt: skip
        """Add a bushing: an elastic connection of two frames in all directions.

        Parameters
        ----------
        name : str
            Of the force, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        stiffness : list of numbers, or rows of a matrix, optional
            Stiffness of each translation [force/length], then each rotation [moment/rad]; or all rows of a symmetric
            matrix, whose mixed entries are [force/rad] = [moment/length].
        damping : list of numbers, or rows of a matrix, optional
            Damping of each translation, then each rotation; or all rows of a symmetric matrix.
        preload : list of numbers, optional
            Force [force], then moment [force·length] on the second end where the frames coincide, along the axes of the
            first.

        Returns
        -------
        Force
        """
        item: Force = self._added(make_force(
            "bushing", name, (first, second), self.dimension, stiffness=stiffness, damping=damping, preload=preload
        ))  # fmt: skip
        return item

    def friction(
        self, name: str, coordinate: CoordinateLike, *, load: NumberLike = 1.0, coulomb: NumberLike = 0.0,
        static: NumberLike | None = None, stribeck: NumberLike | None = None, viscous: NumberLike = 0.0,
        smooth: NumberLike | None = None,
    ) -> Force:  # fmt: skip
        """Add a friction: dry and viscous friction along a coordinate.

        Parameters
        ----------
        name : str
            Of the force, unique over the whole model.
        coordinate : joint, expression or path
            What it acts along: a joint with one coordinate, or a path such as ``"O.angle"`` or ``"rod.tip.x"``.
        load : number or formula, optional
            Normal load whose size the coefficients multiply [force or moment].
        coulomb : number or formula, optional
            Coefficient of sliding friction.
        static : number or formula, optional
            Coefficient at rest; default `coulomb`.
        stribeck : number or formula, optional
            Rate at which it has fallen from static to sliding; default 10 `smooth`.
        viscous : number or formula, optional
            Viscous effort a rate [effort·time/coordinate].
        smooth : number or formula, optional
            Rate below which it is smoothed; default `stribeck`/10, else 0.01 a second.

        Returns
        -------
        Force
        """
        item: Force = self._added(make_force(
            "friction", name, coordinate, self.dimension, load=load, coulomb=coulomb, static=static, stribeck=stribeck,
            viscous=viscous, smooth=smooth
        ))  # fmt: skip
        return item

    def stop(
        self, name: str, coordinate: CoordinateLike, *, lower: NumberLike | None = None, upper: NumberLike | None = None,
        stiffness: NumberLike, damping: NumberLike = 0.0, smooth: NumberLike | None = None,
    ) -> Force:  # fmt: skip
        """Add a stop: elastic end stops of a coordinate.

        Parameters
        ----------
        name : str
            Of the force, unique over the whole model.
        coordinate : joint, expression or path
            What it acts along: a joint with one coordinate, or a path such as ``"O.angle"`` or ``"rod.tip.x"``.
        lower : number or formula, optional
            Lower limit of the coordinate.
        upper : number or formula, optional
            Upper limit of the coordinate.
        stiffness : number or formula
            Stiffness beyond a limit [effort/coordinate].
        damping : number or formula, optional
            Damping beyond a limit [effort·time/coordinate].
        smooth : number or formula, optional
            Depth over which the stop sets in; default 0.001 rad or 0.001 of the model's length.

        Returns
        -------
        Force
        """
        item: Force = self._added(make_force(
            "stop", name, coordinate, self.dimension, lower=lower, upper=upper, stiffness=stiffness, damping=damping,
            smooth=smooth
        ))  # fmt: skip
        return item
