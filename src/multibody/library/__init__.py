"""The library: mechanisms of the literature as ready models, each a function whose arguments are its parameters.

``find("slider-crank")(l2=0.2)`` builds a model; ``names()`` lists what there is and ``describe(name)`` says it in a
line. The modules with the mechanisms are imported only when one of these is called.
"""

from multibody.library._registry import describe, example, find, names

__all__ = ["describe", "example", "find", "names"]
