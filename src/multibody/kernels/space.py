"""Configuration spaces as objects: what formulations ask of the coordinates that they are written in.

A formulation is one text for all coordinates: it takes a :class:`Space` as its first argument and asks it,
``space.factor(model, state, scratch)``. Which functions these are is known when a kernel is compiled, so that nothing is tested
when it runs and no version contains another. A further kind of coordinates is a further object; the others are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from multibody.kernels.objects import Kernel, KernelObject


@dataclass(frozen=True, eq=False)
class Space(KernelObject):
    """A kind of coordinates: y = (q, v, w) with coordinates q, their rates v and the work w. Every function is a kernel.

    Attributes
    ----------
    name : str
    sizes : (model)
        Numbers of coordinates and of rates.
    normalize : (model, q)
        Make the quaternions in q unit.
    set_poses : (model, state, scratch, t, q)
        Write the poses.
    set_state : (model, state, scratch, t, y, bodies)
        Write poses and twists; with ``NO_BODIES`` (``kernels/modes.py``) only what the equations of motion need.
    displace : (model, q, x, k, out)
        Write q ⊕ k x.
    rows_at_pose : (model, state, scratch, t, values, gradients)
        Write Φ of all rows to ``by_row`` where `values` is ``VALUES``, Φ_q to ``J`` where `gradients` is ``GRADIENTS``, at the
        poses.
    rows_at_state : (model, state, scratch, t)
        Write Φ_q of all rows to ``J`` and γ to ``by_row``, at the poses and twists.
    velocity_gaps : (model, state, scratch, t, v)
        Write ν − Φ_q v of all rows to ``by_row``; poses and Φ_q are known.
    applied : (model, state, scratch, t)
        Write the applied forces; return the power of those without a potential.
    driving_power : (model, state, scratch, t)
        Power of motions and constraints that depend on time, for v̇ and λ in the scratch; ``by_row`` is overwritten.
    factor : (model, state, scratch)
        Factor the equations of motion with the rows in ``J``; smallest pivot ratio, ≤ 0 where there is no solution.
    solve : (model, state, scratch)
        Write v̇ to ``a`` and λ of the chosen rows to ``multipliers``.
    correct : (model, state, scratch)
        Write the smallest change x (in the metric of the masses) with Φ_q x = ``by_row`` to ``a``.
    write_rates : (model, scratch, y, power, dy)
        Write ẏ, v̇ from ``a``.
    entry : (model, scratch, k, c)
        Column and value of the c-th entry of row k in ``J``.
    entry_count : (model, k)
        Number of entries of row k in ``J``.
    count_independent : (model, active)
        Let the error test count the positions whose rates it counts; a quaternion with any of its rotations.
    remember : (model, state, scratch)
        Keep what the rows are like in regular positions; called at accepted states, whose factors are known.
    turned : (model, state, q)
        Whether coordinates moved so far since the last accepted state that counted angles could lose a turn.
    settled : (state, q)
        Keep the coordinates of an accepted state.
    """

    sizes: Kernel
    normalize: Kernel
    set_poses: Kernel
    set_state: Kernel
    displace: Kernel
    rows_at_pose: Kernel
    rows_at_state: Kernel
    velocity_gaps: Kernel
    applied: Kernel
    driving_power: Kernel
    factor: Kernel
    solve: Kernel
    correct: Kernel
    write_rates: Kernel
    entry: Kernel
    entry_count: Kernel
    count_independent: Kernel
    remember: Kernel
    turned: Kernel
    settled: Kernel
