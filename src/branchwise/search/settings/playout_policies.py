"""Playout policies by name."""

from __future__ import annotations

from dataclasses import dataclass

from branchwise.common.argument_checks import number
from branchwise.common.errors import SettingsError, nearest_name
from branchwise.common.name_and_options import parse_spec

URGENT = ("decisive", "anti_decisive")
POLICIES = {"uniform": 0.0, "mast": 0.4, "nst": 0.2, "last_good_reply": 0.0, "game": 0.0}
"""Policies, and the default of each one's `epsilon`."""


@dataclass(frozen=True)
class PlayoutPolicy:
    """How the moves of playouts are chosen.

    urgent : "decisive": take an immediate win; "anti_decisive": otherwise also prevent an immediate win of
    the next player; or "".   policy : how all other moves are chosen.   epsilon : the share of these that is
    drawn uniformly, 0 to 1.
    """

    urgent: str
    policy: str
    epsilon: float

    @property
    def learns(self) -> bool:
        """Whether the policy learns from the moves of earlier simulations."""
        return self.policy in ("mast", "nst", "last_good_reply")


def find_policy(text: str, where: str = "playout") -> PlayoutPolicy:
    """Return the policy of a text such as `uniform`, `decisive` or `decisive+mast(epsilon=0.2)`.

    Raises `UnknownNameError` for an unknown name or option, `SettingsError` for a value out of range.

    >>> find_policy("decisive+mast")
    PlayoutPolicy(urgent='decisive', policy='mast', epsilon=0.4)
    """
    urgent, policy, epsilon = "", "", 0.0
    for part in str(text).split("+"):
        name, options = parse_spec(part)
        if name not in URGENT and name not in POLICIES:
            raise nearest_name(f"playout policy ({where})", name, (*URGENT, *POLICIES))
        for option in options:
            if option != "epsilon" or name in URGENT or name == "uniform":
                raise nearest_name(f"option of {name}", option, ["epsilon"] if name in POLICIES else [])
        if name in URGENT and not urgent and not policy:
            urgent = name
        elif name in POLICIES and not policy:
            policy = name
            epsilon = options.get("epsilon", POLICIES[name])  # type: ignore[assignment]
            number("epsilon", epsilon, 0.0, 1.0)
        else:
            raise SettingsError(
                f'{where} = "{text}" cannot be read',
                mend=f"at most one of {', '.join(URGENT)}, then at most one of {', '.join(POLICIES)}",
            )
    return PlayoutPolicy(urgent, policy or "uniform", float(epsilon))
