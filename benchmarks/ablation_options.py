"""The options that `ablation.py` measures one by one, and the games on which it measures them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from branchwise.common.name_and_options import parse_spec

PLAIN = "c=0.7,playout=uniform,proofs=False,repeat=1"
"""Plain UCT: UCB1, its default weight, children scored anew in every simulation, uniform playouts, mean
backups, no proofs, a new tree for every move, the most visited action."""


@dataclass(frozen=True)
class Setting:
    """How a game is measured: simulations per move of plain UCT, and lengths of the random openings."""

    simulations: int
    plies: tuple[int, ...]


SETTINGS = {
    "connect_four": Setting(1000, (2, 3, 4, 5)),
    "mnk": Setting(1000, (2, 3, 4)),
    "ultimate_tic_tac_toe": Setting(500, (2, 3, 4, 5)),
    "sudo_tic_tac_toe": Setting(500, (2, 3, 4, 5)),
    "mnk_3x3_3": Setting(100, (0, 1, 2)),
    "mnk_5x5_4": Setting(1000, (1, 2, 3)),
    "mnk_9x9_5": Setting(1000, (2, 3, 4)),
}
MEASURED = 4
"""Number of settings, from the first, that are measured by default; the others are for tuning."""

OPTIONS = {
    "Proofs": ("proofs=True",),
    "Weight of exploration": ("c=0.35", "c=0.5", "c=1.0"),
    "Selection": (
        "selection=ucb1_tuned",
        "selection=puct",
        "selection=puct,c=2.0",
        "selection=rave",
        "selection=grave",
        "selection=grave(bias=0.5)",
        "selection=progressive_history",
        "selection=progressive_history(bias=4.0)",
        "selection=progressive_bias",
        "selection=thompson",
        "selection=thompson,c=0.5",
    ),
    "First play": ("first_play=parent", "first_play=0.8"),
    "Widening": ("widening=2.0",),
    "Playouts": (
        "playout=decisive",
        "playout=anti_decisive",
        "playout=mast",
        "playout=mast(epsilon=0.8)",
        "playout=nst",
        "playout=nst(epsilon=0.6)",
        "playout=last_good_reply",
        "playout=decisive+nst",
        "playouts=4",
        "cutoff=4",
        "cutoff=12",
    ),
    "Backups": (
        "backup=power",
        "backup=power,power=8.0",
        "backup=max",
        "implicit_minimax=0.2",
        "implicit_minimax=0.5",
    ),
    "Final choice": ("choice=value", "choice=secure"),
    "Root and tree": (
        "repeat=16",
        "max_depth=1",
        "halving=True",
        "transpositions=True",
        "early_stop=True",
        "reuse=True",
    ),
    "Defaults": ("proofs=True,repeat=16", "proofs=True,repeat=16,reuse=True"),
}
"""Options by kind, in the text form that bots and commands take."""

NEEDING_EVALUATE = ("cutoff", "implicit_minimax", "progressive_bias")


def kinds_of(options: list[str] | None) -> dict[str, str]:
    """Return the kind of each option, for the given ones or for all; unknown ones have the kind "Others"."""
    known = {option: kind for kind, of_kind in OPTIONS.items() for option in of_kind}
    return known if options is None else {option: known.get(option, "Others") for option in options}


def parsed(text: str) -> dict[str, Any]:
    """Return settings from their text form.

    >>> parsed("selection=grave(bias=0.5),c=0.4")
    {'selection': 'grave(bias=0.5)', 'c': 0.4}
    """
    return parse_spec(f"settings({text})")[1]


def settings_of(base: str, option: str) -> dict[str, Any]:
    """Return the settings of a player that has `option` on top of `base`.

    A selection rule brings its own exploration weight, because the base's c is for UCB1.

    >>> settings_of("c=0.7,proofs=False", "selection=rave")
    {'proofs': False, 'selection': 'rave'}
    """
    below, above = parsed(base), parsed(option)
    if "selection" in above:
        below.pop("c", None)
    return below | above


def needs_evaluate(option: str) -> bool:
    return any(word in option for word in NEEDING_EVALUATE)
