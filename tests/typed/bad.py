"""One fault a line, each of which a type checker must see: a comment that silences nothing is a fault itself."""

import multibody as mb

m = mb.Model("a")
m.revolute("A", "ground", "b", axs=(0, 0, 1))  # type: ignore
m.revolute("A")  # type: ignore
m.translational("S", "ground", "b")  # type: ignore
m.revolut("A", "ground", "b")  # type: ignore
m.revolute("A", 3, "b")  # type: ignore
m.spring("f", "ground", "b", stifness=3)  # type: ignore
m.effort("f", "A", value=None, rate=3)  # type: ignore
m.body("b", mas=3)  # type: ignore
m.body("b", rpi=(0, 0, 1))  # type: ignore
m.body("b", mass=None, quaternion=3j)  # type: ignore
mb.Spring("f", "ground", "b", stifness=3)  # type: ignore
mb.Revolut("A", "ground", "b")  # type: ignore
m.run(1, formulaton="kane")  # type: ignore
m.run(1, initial=3)  # type: ignore
m.event("e", "A", terminl=True)  # type: ignore
m.stop("s", "A", lower=0)  # type: ignore
