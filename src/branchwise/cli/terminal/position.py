"""The position that a command is asked about, in which outcomes of chance may have been drawn by the seed."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from branchwise.cli.terminal.options import move_list

if TYPE_CHECKING:
    from branchwise.cli.terminal.screen import Screen
    from branchwise.game.rules_class import Game
    from branchwise.rules.playthrough.position import Position

_SEEDS = 10**6


@dataclass(frozen=True)
class Asked:
    """What a command is asked about.

    position : reached by the moves given, and by outcomes of chance.   moves : as given.   seed : of all
    random draws; as given, or a new one.
    """

    position: Position
    moves: tuple[str, ...]
    seed: int

    @property
    def state(self) -> Game:
        """The position's state; do not change it."""
        return self.position.state

    @property
    def drawn(self) -> str | None:
        """The outcomes that were drawn, in words, as the player to move saw them; None if there are none."""
        position = self.position
        if not position.drawn:
            return None
        runs = [(text, len(list(run))) for text, run in groupby(position.outcomes())]
        texts = ", ".join(text if count == 1 else f"{text} ({count} times)" for text, count in runs)
        view = "" if position.viewer is None else f", as player {position.viewer} saw it"
        return f"chance, drawn by --seed {self.seed}{view}: {texts or 'nothing'}"

    def show_drawn(self, screen: Screen) -> None:
        """Show what was drawn, if anything was."""
        if self.drawn is not None:
            screen.show(self.drawn, "")

    def to_dict(self) -> dict[str, Any]:
        """Return the moves given and, if any were drawn, the outcomes, as values for JSON."""
        drawn = {"drawn": self.position.outcomes(), "drawn_by": self.seed} if self.position.drawn else {}
        return {"moves": list(self.moves), **drawn}


def asked_about(
    game: type[Game], moves: str, seed: int | None = None, *, to_decision: bool = True, sees_all: bool = False
) -> Asked:
    """Return the position after `moves` from the start of a game.

    seed : of all random draws, including a random start; None: a new one. The other arguments and errors are
    those of `position_after`.

    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> asked_about(KuhnPoker, "? bet", 1).drawn
    'chance, drawn by --seed 1, as player 1 saw it: ?, Q'
    """
    from branchwise.game.kinds.random_numbers import Random
    from branchwise.rules.playthrough.position import position_after

    given = move_list(moves, game)
    chosen = secrets.randbelow(_SEEDS) if seed is None else seed
    world = Random(chosen)
    start = game.new_initial_state(world)
    position = position_after(start, given, world, to_decision=to_decision, sees_all=sees_all)
    return Asked(position, tuple(given), chosen)
