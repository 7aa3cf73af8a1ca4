"""The library: mechanisms of the literature as ready models, each a function whose arguments are its parameters.

``find("slider-crank")(l2=0.2)`` builds a model; ``names()`` lists what there is and ``describe(name)`` says it in a
line. The modules with the mechanisms are imported only when one of these is called. ``recipes()`` lists the models that come
as files, each with a page of the documentation; they are found by name in the same way.
"""

from multibody.library._registry import describe, example, find, names
from multibody.library.recipe_files import recipes

__all__ = ["describe", "example", "find", "names", "recipes"]
