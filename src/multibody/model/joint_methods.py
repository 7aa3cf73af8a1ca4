"""The methods of a model that add joints, one a kind; written by ``write_methods.py`` from the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multibody.arguments import answered
from multibody.model.joints import Joint, make_joint
from multibody.model.values import ArrayLike, EndLike, NumberLike, VectorLike


@answered
class JointMethods:
    """Adds joints: ``model.fixed(...)`` and so on."""

    _section = "joints"
    dimension: int

    def _added(self, item: Any) -> Any:
        raise NotImplementedError

    def fixed(self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None) -> Joint:
        """Add a fixed joint: no relative motion.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("fixed", name, first, second, self.dimension, at))
        return item

    def revolute(
        self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike | None = None,
    ) -> Joint:  # fmt: skip
        """Add a revolute joint: turns about one axis.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].
        axis : vector, optional
            Axis of rotation, same components in both frames; default z.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("revolute", name, first, second, self.dimension, at, axis=axis))
        return item

    def translational(
        self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike,
    ) -> Joint:  # fmt: skip
        """Add a translational joint: slides along one axis.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].
        axis : vector
            Direction of sliding, same components in both frames.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("translational", name, first, second, self.dimension, at, axis=axis))
        return item

    def cylindrical(
        self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike | None = None,
    ) -> Joint:  # fmt: skip
        """Add a cylindrical joint: turns about and slides along one axis.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].
        axis : vector, optional
            Axis of rotation, same components in both frames; default z.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("cylindrical", name, first, second, self.dimension, at, axis=axis))
        return item

    def screw(
        self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike | None = None,
        lead: NumberLike,
    ) -> Joint:  # fmt: skip
        """Add a screw joint: advances by `lead` a turn.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].
        axis : vector, optional
            Axis of rotation, same components in both frames; default z.
        lead : number or formula
            Advance a turn, right-handed positive [length].

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("screw", name, first, second, self.dimension, at, axis=axis, lead=lead))
        return item

    def universal(
        self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None,
        axes: Sequence[VectorLike] | ArrayLike,
    ) -> Joint:  # fmt: skip
        """Add a universal joint: two perpendicular axes that meet (Hooke).

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].
        axes : pair of vectors
            First axis (on the first body), second one; perpendicular.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("universal", name, first, second, self.dimension, at, axes=axes))
        return item

    def spherical(self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None) -> Joint:
        """Add a spherical joint: turns freely about a point.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("spherical", name, first, second, self.dimension, at))
        return item

    def planar(
        self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike | None = None,
    ) -> Joint:  # fmt: skip
        """Add a planar joint: slides in a plane and turns about its normal.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].
        axis : vector, optional
            Axis of rotation, same components in both frames; default z.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("planar", name, first, second, self.dimension, at, axis=axis))
        return item

    def free(self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None) -> Joint:
        """Add a free joint: all relative motion.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("free", name, first, second, self.dimension, at))
        return item

    def distance(
        self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, length: NumberLike,
    ) -> Joint:  # fmt: skip
        """Add a distance joint: keeps two points at a distance (a massless rod).

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].
        length : number or formula
            Distance of the two points [length].

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("distance", name, first, second, self.dimension, at, length=length))
        return item

    def point_on_line(
        self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike,
    ) -> Joint:  # fmt: skip
        """Add a point_on_line joint: keeps a point of the second body on a line of the first.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].
        axis : vector
            The line, the normal or the direction, in the first end's frame.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("point_on_line", name, first, second, self.dimension, at, axis=axis))
        return item

    def point_on_plane(
        self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike,
    ) -> Joint:  # fmt: skip
        """Add a point_on_plane joint: keeps a point of the second body on a plane of the first.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].
        axis : vector
            The line, the normal or the direction, in the first end's frame.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("point_on_plane", name, first, second, self.dimension, at, axis=axis))
        return item

    def parallel(
        self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike | None = None,
    ) -> Joint:  # fmt: skip
        """Add a parallel joint: keeps a direction of both bodies parallel.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].
        axis : vector, optional
            The direction, same components in both frames; default z.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("parallel", name, first, second, self.dimension, at, axis=axis))
        return item

    def gear(
        self, name: str, first: EndLike, second: EndLike, *, carrier: EndLike = "ground",
        teeth: Sequence[NumberLike] | ArrayLike | None = None, radii: Sequence[NumberLike] | ArrayLike | None = None,
        internal: bool = False, axes: Sequence[VectorLike] | ArrayLike | None = None, phase: NumberLike = 0.0,
    ) -> Joint:  # fmt: skip
        """Add a gear joint: two wheels on a carrier that roll on each other.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        carrier : body, frame or path, optional
            The body that holds both axes.
        teeth : list of numbers, optional
            Numbers of teeth [first, second].
        radii : list of numbers, optional
            Pitch radii [first, second] [length].
        internal : bool, optional
            Whether one wheel runs inside the other.
        axes : pair of vectors, optional
            Axes of the wheels in the carrier as drawn; default z.
        phase : number or formula, optional
            Value of a·∠first + b·∠second.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint(
            "gear", name, first, second, self.dimension, carrier=carrier, teeth=teeth, radii=radii, internal=internal,
            axes=axes, phase=phase
        ))  # fmt: skip
        return item

    def rack(
        self, name: str, first: EndLike, second: EndLike, *, radius: NumberLike, axis: VectorLike,
        carrier: EndLike = "ground", turn: VectorLike | None = None,
    ) -> Joint:  # fmt: skip
        """Add a rack joint: a pinion that rolls along a rack.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        radius : number or formula
            Pitch radius of the pinion, negative for the other side [length].
        axis : vector
            Direction of the rack.
        carrier : body, frame or path, optional
            The body that both move on.
        turn : vector, optional
            Axis of the pinion; default z.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint(
            "rack", name, first, second, self.dimension, radius=radius, axis=axis, carrier=carrier, turn=turn
        ))  # fmt: skip
        return item

    def cam(
        self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, profile: NumberLike,
        roller: NumberLike | None = None, flat: VectorLike | None = None,
    ) -> Joint:  # fmt: skip
        """Add a cam joint: a profile of the first body that a follower of the second touches.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].
        profile : number or formula
            Surface radius as a function of phi [length].
        roller : number or formula, optional
            Radius of a roller follower [length].
        flat : vector, optional
            Face normal of a flat follower, in the follower's frame, away from the cam.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint(
            "cam", name, first, second, self.dimension, at, profile=profile, roller=roller, flat=flat
        ))  # fmt: skip
        return item

    def coupler(self, name: str, expression: NumberLike) -> Joint:
        """Add a coupler joint: an expression of coordinates and time that stays zero.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        expression : number or formula
            Stays zero.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("coupler", name, "", "", self.dimension, expression=expression))
        return item

    def prismatic(
        self, name: str, first: EndLike, second: EndLike, *, at: VectorLike | None = None, axis: VectorLike,
    ) -> Joint:  # fmt: skip
        """Add a translational joint: slides along one axis.

        Parameters
        ----------
        name : str
            Of the joint, unique over the whole model.
        first : body, frame or path
            The end that is measured from: a body, a frame of one (``crank["pin"]``) or its path ``"crank.pin"``.
        second : body, frame or path
            The end that is measured.
        at : vector, optional
            Point in ground, as drawn, for a joint made in place; ends are then bodies, not frames [length].
        axis : vector
            Direction of sliding, same components in both frames.

        Returns
        -------
        Joint
        """
        item: Joint = self._added(make_joint("translational", name, first, second, self.dimension, at, axis=axis))
        return item
