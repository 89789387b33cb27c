"""What the games of a match begin with: random moves that decide nothing, or lines of a file."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from branchwise.arena.schedule.games import derived_seed
from branchwise.errors import ActionError, SettingsError
from branchwise.rules.playthrough import Playthrough

if TYPE_CHECKING:
    from branchwise.game import Game

DEFAULT_DEPTH = 4
PROOF_SIMULATIONS = 1000
TRIES = 200


class RandomOpenings:
    """Openings of so many uniformly random moves, after which the game is open.

    depth : moves of each; None: 4, or as many fewer as the game needs for an opening to be found at all.
    seed : the same gives the same openings.   decided : tells of a position that is not over whether it is
    decided nevertheless; None: `is_decided`.   known : openings by round that are known already, from the
    same seed, and are not looked for again.

    No two rounds reach the same position until no other can be found in 200 tries; from then on the openings
    come again in order. Raises `SettingsError` if there is none of the depth asked for.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> openings = RandomOpenings(ConnectFour, 2, seed=1)
    >>> openings[0] == RandomOpenings(ConnectFour, 2, seed=1)[0], openings[0] == openings[1]
    (True, False)
    """

    def __init__(
        self,
        game: type[Game],
        depth: int | None,
        seed: int,
        *,
        decided: Callable[[Game], bool] | None = None,
        known: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        self._game = game
        self._depth = depth
        self._seed = seed
        self._is_decided = is_decided if decided is None else decided
        self._known = dict(known or {})
        self._openings: list[tuple[int, ...]] = []
        self._reached: dict[Game, bool] = {}
        """Positions met, and whether they are of no use: decided, or reached by an opening already."""
        self._exhausted_at: int | None = None

    def __getitem__(self, round_number: int) -> tuple[int, ...]:
        while len(self._openings) <= round_number:
            self._openings.append(self._next())
        return self._openings[round_number]

    def _next(self) -> tuple[int, ...]:
        number = len(self._openings)
        known = self._known.get(number)
        if known is not None:
            self._depth = len(known) if self._depth is None else self._depth
            reached = self._game.from_actions(known)
            if self._exhausted_at is None and self._reached.get(reached):
                self._exhausted_at = number  # the first that had to come again
            self._reached[reached] = True
            return tuple(known)
        if self._exhausted_at is None:
            found = self._first() if number == 0 else self._found(number)
            if found is not None:
                return found
            self._exhausted_at = number
        return self._openings[number % self._exhausted_at]

    def _first(self) -> tuple[int, ...]:
        """Return the first opening; it settles the depth where none is asked for."""
        if self._depth is not None:
            found = self._found(0)
            if found is None:
                raise SettingsError(
                    f"no opening of {self._depth} moves leaves {self._game.name} undecided",
                    mend="give fewer moves, or openings in a file",
                )
            return found
        for depth in range(DEFAULT_DEPTH, 0, -1):
            self._depth = depth
            found = self._found(0)
            if found is not None:
                return found
        self._depth = 0
        return ()

    def _found(self, number: int) -> tuple[int, ...] | None:
        """Return an opening to a position not yet reached in which nothing is decided, if one is found."""
        if self._depth == 0:
            return () if number == 0 else None
        source = random.Random(derived_seed(self._seed, "opening", number))
        for _ in range(TRIES):
            game = Playthrough(self._game())
            for _ in range(self._depth or 0):
                if game.is_over:
                    break
                game.play(source.choice(game.state.legal_actions()))
            if game.is_over:
                continue
            state = game.state
            if state not in self._reached:
                self._reached[state] = self._is_decided(state)
                if not self._reached[state]:
                    self._reached[state] = True
                    return game.actions
        return None


class GivenOpenings:
    """Openings from a list, in order and then again from its first."""

    def __init__(self, openings: Sequence[Sequence[int]]) -> None:
        self._openings = [tuple(opening) for opening in openings]

    def __getitem__(self, round_number: int) -> tuple[int, ...]:
        return self._openings[round_number % len(self._openings)]


def is_decided(state: Game, *, at_once: bool = False) -> bool:
    """Whether a search of 1,000 simulations proves that somebody wins from here; a proven draw is open.

    The search is the same every time. Among three and more players only wins in one move are proven. For a
    player alone a position is decided where every move is proven to bring the same.
    at_once : whether to do it in plain Python where no code is on disk; the answer is the same.
    """
    from branchwise.search.planner import MCTS
    from branchwise.search.result import uninterrupted

    game = type(state)
    planner = MCTS(seed=0, memory_mb=64, compiled="loaded" if at_once else None)
    children = uninterrupted(planner.search(state, simulations=PROOF_SIMULATIONS)).children
    return settles([child.proven for child in children], game)


def settles(proven: Sequence[float | None], game: type[Game]) -> bool:
    """Whether nothing is open any more where this is proven of each move, None where nothing is.

    proven : of the best move first, for who is to move.
    """
    if game.num_players == 1:
        return None not in proven and len(set(proven)) == 1
    return proven[0] is not None and proven[0] != (game.min_return + game.max_return) / 2


def read_openings(file: str | Path, game: type[Game]) -> list[tuple[int, ...]]:
    """Return the openings in a text file: one a line, moves as people write them, split by blanks or commas.

    What follows a `#` is a comment, and empty lines are passed over. Raises `SettingsError` naming the line
    for moves that are not legal or end the game, and for a file that cannot be read or holds none.
    """
    try:
        text = Path(file).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read the openings in {file}: {error}") from error
    openings = []
    for number, line in zip(count(1), text.splitlines(), strict=False):
        moves = line.partition("#")[0].replace(",", " ").split()
        if not moves:
            continue
        try:
            openings.append(check_opening(moves, game))
        except ActionError as error:
            raise SettingsError(f"{file}, line {number}: {error.problem}", mend=error.mend) from None
    if not openings:
        raise SettingsError(f"{file} holds no openings", mend='write one a line, such as "d1 d2"')
    return openings


def check_opening(moves: Sequence[int | str], game: type[Game]) -> tuple[int, ...]:
    """Return the moves as action numbers; raises `ActionError` if one is illegal or ends the game."""
    opening = Playthrough(game(), moves)
    if opening.is_over:
        raise ActionError("the game is over after these moves", mend="leave the last one out")
    return opening.actions
