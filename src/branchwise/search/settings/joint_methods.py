"""How players choose where all move at once, by name."""

from __future__ import annotations

from dataclasses import dataclass

from branchwise.common.argument_checks import number
from branchwise.common.errors import nearest_name
from branchwise.common.name_and_options import parse_spec

METHODS = {"decoupled_uct": 0.0, "exp3": 0.1, "regret_matching": 0.2}
"""Methods, and the default of each one's `gamma`."""


@dataclass(frozen=True)
class JointMethod:
    """How players choose at joint nodes.

    name : one of METHODS.   gamma : the share of choices that are uniform, 0 to 1.
    """

    name: str
    gamma: float

    @property
    def is_mixed(self) -> bool:
        """Whether players draw their actions, so that the mean of their strategies is kept."""
        return self.name != "decoupled_uct"


def find_method(text: str) -> JointMethod:
    """Return the method of a text such as `exp3` or `regret_matching(gamma=0.1)`.

    Raises `UnknownNameError` for an unknown name or option, `SettingsError` for a value out of range.

    >>> find_method("regret_matching(gamma=0.1)")
    JointMethod(name='regret_matching', gamma=0.1)
    """
    name, options = parse_spec(str(text))
    if name not in METHODS:
        raise nearest_name("method for joint nodes (joint)", name, METHODS)
    known = [] if name == "decoupled_uct" else ["gamma"]
    for option in options:
        if option not in known:
            raise nearest_name(f"option of {name}", option, known)
    gamma = options.get("gamma", METHODS[name])
    number("gamma", gamma, 0.0, 1.0, above=name == "exp3")
    return JointMethod(name, float(gamma))  # type: ignore[arg-type]
