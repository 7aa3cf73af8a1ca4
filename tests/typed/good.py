"""A model as a type checker must take it; `make types` reads it, nothing runs it."""

import numpy as np

import multibody as mb

m = mb.Model("slider-crank", dimension=2, gravity=(0, -9.81))
l2 = m.parameter("l2", 0.15)
p = m.parameter("p", (1.0, 2.0))
crank = m.body("crank", mass=1.0, inertia=np.float64(0.01), frames={"pin": (l2, 0)}, angle=30 * mb.deg)
rod = m.body("rod", mass="0.5*l2", inertia=0.5 * l2**2 / 12, com=(l2 / 2, 0), at=np.array([1.0, 2.0]))
O = m.revolute("O", m.ground, crank)
m.revolute("A", crank["pin"], rod, axis=(0, 0, 1))
S: mb.Joint = m.translational("S", "ground", rod, axis=[1, 0])
f: mb.Force = m.spring("f", m.ground, crank["pin"], stiffness=3, damping=l2, length="l2/2")
m.effort("motor", O, value=mb.sin(mb.t) * O.angle)
m.effort("other", O.angle, stiffness=1)
m.add(mb.Revolute("B", "ground", "rod", at=p + p))
m.add(mb.Spring("g", "ground", "rod", stiffness=1.0))
m.motion(O, 2 * mb.t)
m.initial({"O": 0.3}, guess={"S": l2})
state: mb.State = m.assemble({"O": 0.3})
states: list[mb.State] = m.assemble(branches=True)
run: mb.Run = m.run(1.0, initial={"O": 0.3, "O.rate": 1.0})
run2 = m.run(2.0, initial=run.final)
m.event("top", "O - 1", terminal=True, direction="rising")
run.plot("O", title="angle")
