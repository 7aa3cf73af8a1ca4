"""Robots written by hand for tests: nothing of them is aligned, and none is anybody's product."""

from __future__ import annotations

import numpy as np


def numbers(values: object) -> str:
    return " ".join(repr(float(v)) for v in np.atleast_1d(np.asarray(values)))


def possible_inertia(generator: np.random.Generator) -> np.ndarray:
    """Return the inertia of a box of random edges, turned in no way."""
    x, y, z = generator.uniform(0.05, 0.3, 3) ** 2
    return np.array([y + z, x + z, x + y])


def link(name: str, generator: np.random.Generator, more: str = "") -> str:
    """Return a link whose center of mass and inertia axes are in general position."""
    xx, yy, zz = possible_inertia(generator).tolist()
    return f"""  <link name="{name}">
    <inertial>
      <origin xyz="{numbers(generator.normal(size=3) * 0.1)}" rpy="{numbers(generator.uniform(-3, 3, 3))}"/>
      <mass value="{generator.uniform(0.5, 3.0)!r}"/>
      <inertia ixx="{xx!r}" ixy="0" ixz="0" iyy="{yy!r}" iyz="0" izz="{zz!r}"/>
    </inertial>{more}
  </link>"""


def joint(name: str, kind: str, parent: str, child: str, generator: np.random.Generator, more: str = "") -> str:
    """Return a joint at a place and along an axis in general position, its axis not of unit length."""
    axis = "" if kind in ("fixed", "floating") else f'<axis xyz="{numbers(generator.normal(size=3) * 2.0)}"/>'
    return f"""  <joint name="{name}" type="{kind}">
    <origin xyz="{numbers(generator.normal(size=3) * 0.3)}" rpy="{numbers(generator.uniform(-3, 3, 3))}"/>
    <parent link="{parent}"/> <child link="{child}"/> {axis} {more}
  </joint>"""


def tree(kinds: list[str], seed: int = 0) -> str:
    """Return a URDF whose k-th joint of these kinds hangs on one of the links before it."""
    generator = np.random.default_rng(seed)
    parts = [link("base", generator)]
    for k, kind in enumerate(kinds):
        parent = "base" if k == 0 else f"link{int(generator.integers(max(0, k - 3), k))}"
        limit = '<limit effort="10" velocity="1"/>' if kind in ("revolute", "prismatic") else ""
        parts += [link(f"link{k}", generator), joint(f"joint{k}", kind, parent, f"link{k}", generator, limit)]
    return "\n".join(['<robot name="tree">', *parts, "</robot>", ""])
