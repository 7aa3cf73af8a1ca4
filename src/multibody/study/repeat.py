"""One member of a study once more, with its whole result."""

from __future__ import annotations

from typing import Any

from multibody.errors import ModelError
from multibody.results.inverse import Inverse
from multibody.results.run import Run
from multibody.results.state import State
from multibody.results.statics import Equilibrium
from multibody.study.distributions import Floats
from multibody.study.members import OrdinaryMembers
from multibody.study.readings import ANALYSES


def repeated(members: Any, row: Floats) -> Run | Inverse | State | Equilibrium:
    """Return the result of a member, as the verb of its analysis returns it.

    Parameters
    ----------
    members : OrdinaryMembers or CompiledMembers
    row : array (varied,)
    """
    members = getattr(members, "ordinary", members)
    if not isinstance(members, OrdinaryMembers):
        raise ModelError("these members keep no results", where="study.repeat", hint="set the parameters and run the model")
    found: Any = ANALYSES[members.analysis].whole(members.varied(row), members.state, members.options)
    kinds: dict[str, Any] = {"run": Run, "kinematics": Run, "inverse": Inverse, "statics": Equilibrium, "assemble": State.of}
    made: Run | Inverse | State | Equilibrium = kinds[members.analysis](found)
    return made
