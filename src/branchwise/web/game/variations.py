"""Lines of a page's game: the one that is played, and variations, which it replaced."""

from __future__ import annotations

from dataclasses import dataclass

from branchwise.game.kinds.game_kinds import is_simulator
from branchwise.game.rules_class import Game
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.web.protocol.messages import MoveTold, Variation

_LONGEST_VARIATION = 8
"""Number of moves sent of a variation."""


@dataclass(frozen=True)
class Line:
    """A game with all of its moves, and the searches' values before them."""

    game: Playthrough[Game]
    moves: list[MoveTold]
    values: dict[int, list[float]]

    def shared(self, other: Line) -> int:
        """Return the length of the common start of two games."""
        pairs = enumerate(zip(self.moves, other.moves, strict=False))
        same = next(
            (n for n, (a, b) in pairs if a.action != b.action), min(len(self.moves), len(other.moves))
        )
        if not is_simulator(type(self.game.start)):
            return same
        return next((n for n in range(same) if not self._same_at(other, n + 1)), same)

    def _same_at(self, other: Line, ply: int) -> bool:
        return bool(self.game.state_at(ply) == other.game.state_at(ply))

    def begins(self, whole: Line) -> bool:
        """Whether it is the start of another game, or equal to it."""
        return self.shared(whole) == len(self.moves)


def variation_told(line: Line, now: Line) -> Variation:
    """Return the message about a line that is not played now."""
    shared = line.shared(now)
    behind = line.moves[shared:]
    return Variation(ply=shared, count=len(behind), text=[move.text for move in behind[:_LONGEST_VARIATION]])
