"""How fast settings search, relative to the defaults: for games in which both take the same time for a move.

Speeds are in processor time of one thread, and both searches take turns at each position, so that other work
on the machine hardly changes their ratio.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

from branchwise.common.errors import MatchError
from branchwise.common.players import CHANCE
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import random_action
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.search.planner import MCTS
from branchwise.search.results.result import uninterrupted

POSITIONS = 8
LEAST_SECONDS = 0.02
"""Searches are at least this long, so that what a search costs besides its simulations counts little."""
MOST_RATIO = 8.0
"""Ratios are limited to this factor either way."""
_FIRST = 64
_TRIES = 100


class Speeds:
    """Measures settings of a game.

    seconds : of a move; longer than `LEAST_SECONDS`, searches take this time.   seed : of the positions.
    The first search with settings compiles them, which does not count.
    """

    def __init__(self, game: type[Game], seconds: float, seed: int) -> None:
        self._states = positions(game, POSITIONS, seed)
        self._seconds = seconds
        self._plain = MCTS(seed=1)
        self._count = 0

    def of_defaults(self) -> float:
        """Return how many simulations a second the defaults make."""
        asked = self._asked()
        found = [_paced(self._plain, state, asked) for state in self._states]
        return statistics.median(_whole(found, asked))

    def ratio(self, settings: Mapping[str, Any]) -> float:
        """Return the speed of settings relative to the defaults, in simulations per second.

        Positions where either search ends early, because it solves them, are left out if there are others.
        """
        planner = MCTS(**settings, seed=1)
        asked = self._asked()
        _paced(planner, self._states[0], _FIRST)
        found = []
        for number, state in enumerate(self._states):
            if number % 2:
                mine, plain = _paced(planner, state, asked), _paced(self._plain, state, asked)
            else:
                plain, mine = _paced(self._plain, state, asked), _paced(planner, state, asked)
            found.append((mine[0] / plain[0], min(mine[1], plain[1])))
        return min(max(statistics.median(_whole(found, asked)), 1 / MOST_RATIO), MOST_RATIO)

    def _asked(self) -> int:
        """Return the number of simulations for which the defaults take long enough to be measured."""
        if not self._count:
            _paced(self._plain, self._states[0], _FIRST)
            found = [_paced(self._plain, state, _FIRST) for state in self._states]
            pace = statistics.median(_whole(found, _FIRST))
            self._count = max(_FIRST, round(pace * max(LEAST_SECONDS, self._seconds)))
        return self._count


def positions(game: type[Game], count: int, seed: int) -> list[Game]:
    """Return positions of random games in which a player is to move: half early, half in the middle.

    Raises `MatchError` if random games have too few of them.
    """
    source, dice = random.Random(seed), Dice(seed)
    found: list[Game] = []
    world = Random(source.getrandbits(63))
    for _ in range(_TRIES * count):
        played: Playthrough[Game] = Playthrough(game.new_initial_state(world), random=world)
        line = []
        while not played.is_over:
            if played.is_chance:
                played.play(dice.roll(played.state))
            else:
                line.append(played.state.copy())
                played.play(random_action(played.state, source))
        open_to_choice = [state for state in line if state.current_player() != CHANCE]
        if open_to_choice:
            found.append(open_to_choice[len(open_to_choice) // (8 if len(found) % 2 else 3)])
        if len(found) == count:
            return found
    raise MatchError(f"random games of {game.name} are over before a player moves")


def _paced(planner: MCTS, state: Game, simulations: int) -> tuple[float, int]:
    """Return the simulations per second of processor time in one search, and how many it made."""
    planner.forget()
    started = time.thread_time()
    done = uninterrupted(planner.search(state, simulations=simulations)).simulations
    return max(done, 1) / max(time.thread_time() - started, 1e-6), done


def _whole(found: Sequence[tuple[float, int]], asked: int) -> list[float]:
    """Return the figures of searches that made all simulations; of all searches if none did."""
    return [figure for figure, done in found if done >= asked] or [figure for figure, _ in found]
