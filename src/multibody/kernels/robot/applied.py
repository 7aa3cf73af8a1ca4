"""What springs, dampers, efforts and loads of the model do to a tree, its energies, and the state of the bodies."""

from __future__ import annotations

from multibody.kernels.codes import KINETIC, POTENTIAL
from multibody.kernels.compile import inner_kernel, kernel
from multibody.kernels.declared import model_at, scratch_at, state_at
from multibody.kernels.forces import add_actions, elastic_energy
from multibody.kernels.tree.algebra import add_to, inner, load, rigid_times
from multibody.kernels.tree.bodies import write_poses, write_state, write_twists, write_wrenches
from multibody.kernels.tree.composite import carried_in
from multibody.kernels.tree.declared import columns_of, links_of, loads_of
from multibody.kernels.tree.frames import center_of, origin_of
from multibody.kernels.tree.motion import motions
from multibody.kernels.tree.sweep import rigid


@inner_kernel
def count_from(ref, turns, q):
    """Let angles of joints count their turns from the coordinates: `turns` has rows (function, place in q)."""
    for k in range(turns.shape[0]):
        ref[turns[k, 0]] = q[turns[k, 1]]


@inner_kernel
def apply_forces(d, model, state, scratch, t):
    """Write what laws and loads do to the links, about o, to their loads; frames and motions of the links are known."""
    force = scratch.tree.force
    write_poses(d, model, scratch)
    write_twists(d, model, scratch)
    for c in range(force.size):
        force[c] = 0.0
    add_actions(model, state, scratch, t, force)
    write_wrenches(d, model, scratch)


@inner_kernel
def _applied(d, model, state, scratch, t, q, v, out):
    tree, work = model.tree, scratch.tree
    motions(d, tree, work, q, v)
    apply_forces(d, model, state, scratch, t)
    for i in range(tree.links.size - 1, -1, -1):
        link, f = tree.links[i], load(d, loads_of(d, work)[i].x)
        for j in range(link.first, link.first + link.count):
            out[tree.columns[j].rate] = inner(d, load(d, columns_of(d, work)[j].B), f)
        if link.carrier >= 0:
            add_to(d, loads_of(d, work)[link.carrier].x, carried_in(d, tree, work, i, f))


@kernel
def applied_forces(d, model, state, scratch, t, turns, q, v, out):
    """Write the generalized forces (states, nv) of the model's own laws and loads at the time t."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    for k in range(q.shape[0]):
        count_from(state.ref, turns, q[k])
        _applied(d, model, state, scratch, t, q[k], v[k], out[k])


@inner_kernel
def _energies(d, model, state, scratch, q, v):
    """Return kinetic and potential energy."""
    tree, work = model.tree, scratch.tree
    kinetic, potential = 0.0, 0.0
    motions(d, tree, work, q, v)
    for i in range(tree.links.size):
        now = links_of(d, work)[i]
        y, K, c, o = load(d, now.motion), rigid(d, tree, work, i), center_of(d, now), origin_of(d, now)
        kinetic += 0.5 * inner(d, y, rigid_times(d, K, y))
        for k in range(len(c)):
            potential -= K[0] * model.numbers[model.gravity + k] * (o[k] + c[k])
    if model.laws.size > 0 or model.wrench_elements.size > 0:
        write_poses(d, model, scratch)
        potential += elastic_energy(model, state, scratch, 0.0, 0.0)
    return (kinetic, potential)


@kernel
def tree_energies(d, model, state, scratch, turns, q, v, out):
    """Write kinetic and potential energy (states, 2), the latter of gravity (zero at the ground's origin) and springs."""
    model, state, scratch = model_at(model), state_at(state), scratch_at(scratch)
    for k in range(q.shape[0]):
        count_from(state.ref, turns, q[k])
        out[k, KINETIC], out[k, POTENTIAL] = _energies(d, model, state, scratch, q[k], v[k])


@inner_kernel
def _bodies(d, model, scratch, q, v, y):
    motions(d, model.tree, scratch.tree, q, v)
    write_poses(d, model, scratch)
    write_twists(d, model, scratch)
    write_state(d, model, scratch, y)


@kernel
def body_states(d, model, scratch, q, v, Y):
    """Write the Cartesian positions and velocities of all bodies, one row a state."""
    model, scratch = model_at(model), scratch_at(scratch)
    for k in range(q.shape[0]):
        _bodies(d, model, scratch, q[k], v[k], Y[k])
