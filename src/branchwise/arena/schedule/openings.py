"""The openings of a match: random moves that leave the game undecided, or lines of a file."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.arena.schedule.match_games import derived_seed
from branchwise.common.errors import ActionError, GameError, SettingsError
from branchwise.common.players import CHANCE
from branchwise.game.kinds.continuous_actions import Plain, as_plain, has_box
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import random_action
from branchwise.rules.facts.game_type import pays
from branchwise.rules.playthrough.playthrough import Playthrough

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game
    from branchwise.search.results.result import SearchResult

DEFAULT_DEPTH = 4
PROOF_SIMULATIONS = 1000
PATIENCE = 2.0
"""Seconds that searches of openings may take in plain Python, before compiling is worth its time."""
TRIES = 200


class RandomOpenings:
    """Openings of uniformly random moves that leave the game undecided.

    depth : moves of each, outcomes of chance not counted; None: 4, or fewer if no opening of that depth is
    found; with hidden information 0, so that bots know all that happened, and where players move at once.
    seed : the same seed gives the same openings.   decided : returns whether an unfinished position
    is decided; None: `is_decided`.   known : openings found earlier with the same seed, by round, which are
    used unchanged.

    Rounds reach different positions until 200 tries find no new one; then the openings repeat from the first.
    Raises `SettingsError` if there is no opening of the given depth.

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
        known: Mapping[int, Sequence[Plain]] | None = None,
    ) -> None:
        self._game = game
        self._depth = 0 if depth is None and (hides_information(game) or game._joint) else depth
        self._seed = seed
        self._is_decided = is_decided if decided is None else decided
        self._known = dict(known or {})
        self._openings: list[tuple[Plain, ...]] = []
        self._reached: dict[Game, bool] = {}
        """Positions reached, and whether they are unusable: decided, or reached by an earlier opening."""
        self._exhausted_at: int | None = None

    def __getitem__(self, round_number: int) -> tuple[Plain, ...]:
        while len(self._openings) <= round_number:
            self._openings.append(self._next())
        return self._openings[round_number]

    def likely_first(self) -> tuple[Plain, ...] | None:
        """Return the first opening if a search does not find it decided; None if it is unknown."""
        if 0 in self._known or self._depth == 0:
            return None
        return next((plain_line(game) for game in self._tries(0, self._depth or DEFAULT_DEPTH)), None)

    def _next(self) -> tuple[Plain, ...]:
        number = len(self._openings)
        known = self._known.get(number)
        if known is not None:
            opening = Playthrough(self._game(), known)
            self._depth = _decisions(opening) if self._depth is None else self._depth
            reached = opening.state
            if self._exhausted_at is None and self._reached.get(reached):
                self._exhausted_at = number  # the first that repeats
            self._reached[reached] = True
            return tuple(known)
        if self._exhausted_at is None:
            found = self._first() if number == 0 else self._found(number)
            if found is not None:
                return found
            self._exhausted_at = number
        return self._openings[number % self._exhausted_at]

    def _first(self) -> tuple[Plain, ...]:
        """Return the first opening. It also fixes the depth if none was given."""
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

    def _found(self, number: int) -> tuple[Plain, ...] | None:
        """Return an opening to a new position that is not decided; None if no try finds one."""
        if self._depth == 0:
            return () if number == 0 else None
        for game in self._tries(number, self._depth or 0):
            state = game.state
            if state not in self._reached:
                self._reached[state] = self._is_decided(state)
                if not self._reached[state]:
                    self._reached[state] = True
                    return plain_line(game)
        return None

    def _tries(self, number: int, depth: int) -> Iterator[Playthrough[Game]]:
        """Yield random beginnings of `depth` moves that do not end the game."""
        source = random.Random(derived_seed(self._seed, "opening", number))
        dice = Dice(derived_seed(self._seed, "dice of an opening", number))
        for _ in range(TRIES):
            game = Playthrough(self._game())
            left = depth
            while not game.is_over and (left or game.is_chance):
                if game.is_chance:
                    game.play(dice.roll(game.state))
                else:
                    game.play(random_action(game.state, source))
                    left -= 1
            if not game.is_over:
                yield game


class GivenOpenings:
    """Openings from a list, repeated from the first when they run out."""

    def __init__(self, openings: Sequence[Sequence[Plain]]) -> None:
        self._openings = [tuple(opening) for opening in openings]

    def __getitem__(self, round_number: int) -> tuple[Plain, ...]:
        return self._openings[round_number % len(self._openings)]


class Decided:
    """`is_decided` for one position after another.

    at_once : search in plain Python if no compiled code is on disk, and compile only if all these searches
    take more than `PATIENCE`; the answers are the same.
    """

    def __init__(self, *, at_once: bool) -> None:
        self._left = PATIENCE if at_once else None

    def __call__(self, state: Game) -> bool:
        if self._left is None:
            return is_decided(state)
        began = time.perf_counter()
        found = is_decided(state, self._left)
        self._left = max(self._left - (time.perf_counter() - began), 0.0)
        return found


def is_decided(state: Game, patience: float | None = None) -> bool:
    """Whether a search of 1,000 simulations proves a win for somebody; a proven draw counts as open.

    The search is deterministic. With three or more players, only wins in one move are proven. In one-player
    games a position is decided if every move is proven to have the same result. In a game of chance a proven
    value decides only if it is a win or a loss.
    With hidden information nothing is decided, because no player sees that it is, and where players move at
    once nothing is proven.
    patience : seconds to search in plain Python if no compiled code is on disk, before compiling; the answer
    is the same. None: compile at once.
    """
    if hides_information(type(state)) or state._joint:
        return False
    children = _searched(state, patience).children
    return settles([child.proven for child in children], type(state))


def _searched(state: Game, patience: float | None) -> SearchResult:
    """Return the result of the search of `is_decided`; rules that cannot be compiled stay in plain Python."""
    from branchwise.search.planner import MCTS
    from branchwise.search.results.result import uninterrupted

    def search(compiled: bool | str | None, seconds: float | None = None) -> SearchResult:
        planner = MCTS(seed=0, rollout=False, memory_mb=64, compiled=compiled)
        return uninterrupted(planner.search(state, simulations=PROOF_SIMULATIONS, seconds=seconds))

    if patience:
        result = search("loaded", patience)
        if result.ended_by != "seconds":
            return result
    try:
        return search(None if patience is None else "meanwhile")
    except GameError:  # broken rules raise it again
        return search(False)


def settles(proven: Sequence[float | None], game: type[Game]) -> bool:
    """Whether the proven values of the moves decide the game.

    proven : of each move, the best first, for the player to move; None if not proven.
    """
    if game.num_players == 1:
        return None not in proven and len(set(proven)) == 1
    if pays(game):
        return False
    if game.num_outcomes:
        return proven[0] in (game.min_return, game.max_return)
    return proven[0] is not None and proven[0] != (game.min_return + game.max_return) / 2


def _decisions(opening: Playthrough[Game]) -> int:
    return sum(state.current_player() != CHANCE for state, _ in opening.positions())


def read_openings(file: str | Path, game: type[Game]) -> list[tuple[Plain, ...]]:
    """Return the openings in a text file: one a line, moves in the game's notation, split by blanks or
    commas.

    Vectors and joint moves, which contain commas, are split by blanks. Text after `#` is a comment, and empty
    lines are skipped. Raises `SettingsError` with the line's number for moves that are illegal or end the
    game, and for a file that cannot be read or has no openings.
    """
    try:
        text = Path(file).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read the openings in {file}: {error}") from error
    openings = []
    for number, line in zip(count(1), text.splitlines(), strict=False):
        words = line.partition("#")[0]
        moves = (words if has_box(game) or game._joint else words.replace(",", " ")).split()
        if not moves:
            continue
        try:
            openings.append(check_opening(moves, game))
        except ActionError as error:
            raise SettingsError(f"{file}, line {number}: {error.problem}", mend=error.mend) from None
    if not openings:
        raise SettingsError(f"{file} has no openings", mend='write one a line, such as "d1 d2"')
    return openings


def check_opening(moves: Sequence[Any], game: type[Game]) -> tuple[Plain, ...]:
    """Return the moves as actions; raises `ActionError` if one is illegal or they end the game."""
    opening = Playthrough(game(), moves)
    if opening.is_over:
        raise ActionError("the game is over after these moves", mend="leave the last one out")
    return plain_line(opening)


def plain_line(played: Playthrough[Game]) -> tuple[Plain, ...]:
    """Return the moves of a game as records hold them."""
    return tuple(map(as_plain, played.actions))
