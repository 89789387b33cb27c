"""A position to search or to show as the player to move sees it; outcomes of chance may be drawn for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from branchwise.game.kinds.game_kinds import is_partially_observed
from branchwise.game.kinds.hidden_information import blanked, hides_information
from branchwise.game.kinds.random_numbers import Draws, Random
from branchwise.game.rules_class import Game
from branchwise.rules.playthrough.moves_seen import SeenMoves
from branchwise.rules.playthrough.playthrough import Playthrough

DRAWN = "?"
"""Among given moves: the outcomes of chance that are due there."""


@dataclass(frozen=True)
class Position:
    """A position of a game.

    played : the game up to here.   drawn : the plies of the outcomes that were drawn.   sees_all : whether
    what is hidden is searched and shown, too.
    """

    played: Playthrough[Any]
    drawn: tuple[int, ...] = ()
    sees_all: bool = False

    @property
    def state(self) -> Game:
        """The position itself; do not change it."""
        state: Game = self.played.state
        return state

    @property
    def viewer(self) -> int | None:
        """The player to move, whose view is searched and shown in a game with hidden information.

        None if all is shown: in other games, and when the game is over.
        """
        return self.played.player if self._hides else None

    @property
    def searched(self) -> Any:
        """What is searched: the state, or what the player to move knows."""
        if not self._hides:
            return self.state
        # when the game is over, the search says so
        return self.played.information_state(0 if self.viewer is None else self.viewer)

    @property
    def shown(self) -> Game:
        """The position as the viewer sees it."""
        return self._seen(self.state)

    @property
    def shown_before(self) -> Game | None:
        """The position before the last move, as the viewer sees it."""
        before = self.played.before
        return None if before is None else self._seen(before)

    def outcomes(
        self, viewer: int | None = None, *, each_try: Callable[[], object] | None = None
    ) -> list[str]:
        """Return the outcomes that were drawn, as a player saw them, without those of which nothing was seen.

        viewer : the player; None: as in `viewer`.   each_try : as in `SeenMoves`.
        """
        viewer = self.viewer if viewer is None else viewer
        if viewer is None or not self.drawn:
            moves = self.played.moves if self.drawn else ()
            return [moves[ply].text for ply in self.drawn]
        seen = SeenMoves(viewer, each_try=each_try)
        seen.update(self.played)
        counts = seen.counts
        return [seen.moves[counts[ply]].text for ply in self.drawn if counts[ply + 1] > counts[ply]]

    @property
    def _hides(self) -> bool:
        game = type(self.state)
        if self.sees_all or self.played.is_joint or is_partially_observed(game):
            return False
        return hides_information(game)

    def _seen(self, state: Game) -> Game:
        return state if self.viewer is None else blanked(state, self.viewer)


def position_after(
    start: Game,
    moves: Sequence[Any],
    random: Draws,
    *,
    to_decision: bool = True,
    sees_all: bool = False,
    each_move: Callable[[], object] | None = None,
) -> Position:
    """Return the position after `moves` from `start`.

    A question mark among the moves stands for all outcomes of chance up to the next choice of a player.
    random : source of all random numbers; those of an outcome do not depend on what was drawn before it, so
    that other outcomes can be given in place of earlier ones.   to_decision : whether outcomes are drawn at
    the end, too, so that a player is to move.   sees_all : as in `Position`.   each_move : as in
    `Playthrough`.

    Raises `ActionError` with the number of the first move that is not legal.

    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> position = position_after(KuhnPoker(), ["?", "bet"], Random(1))
    >>> position.played.text, position.viewer, position.outcomes()
    ('J Q bet', 1, ['?', 'Q'])
    """
    dice = random.counter
    played = Playthrough(start, each_move=each_move, random=random)
    drawn: list[int] = []
    for number, move in enumerate(moves, start=1):
        if move == DRAWN and played.is_chance:
            drawn += drawn_to_decision(played, dice)
        else:
            played.play_numbered(number, move)
    if to_decision:
        drawn += drawn_to_decision(played, dice)
    return Position(played, tuple(drawn), sees_all)


def drawn_to_decision(played: Playthrough[Any], dice: int) -> list[int]:
    """Draw the outcomes of chance that are due, and return their plies.

    dice : each outcome follows from this number and from its ply, whatever was drawn before.
    """
    drawn = []
    while played.is_chance:
        drawn.append(played.ply)
        played.draw(Random(dice + played.ply))
    return drawn
