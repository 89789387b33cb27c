"""The players of `ablation.py`: searchers with little overhead per move, openings, pairs of games, speeds.

A call of `MCTS.search` takes a millisecond or more in addition to its simulations, mostly to report its
results. With a thousand simulations per move this would be at least half of the time, whatever the settings.
A `Searcher` avoids it: it keeps its memory, starts each search anew in it, and reads only the best action. It
plays the same moves as `MCTS(seed=...).search(...)`; `tests/benchmarks/test_ablation.py` checks that.
"""

from __future__ import annotations

import random
import statistics
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import branchwise as bw
from branchwise.bots.players.mcts import MCTSBot
from branchwise.core.tree.node_fields import reset
from branchwise.rules.facts.facts import game_facts
from branchwise.search.composition.search_object import new_scratch
from branchwise.search.results.result import Child
from branchwise.search.results.root_choice import in_order, lower_bound
from branchwise.search.results.summary import _read_root, result_of
from branchwise.search.run.run import Conduct, Run
from branchwise.search.session.search_session import Session
from branchwise.search.settings.budget import Budget
from branchwise.search.tree.view import SearchTree

REACH = 4
"""Speeds are measured with this multiple of a move's simulations, so that fixed costs count little."""


class Searcher:
    """Searches states of one game with given settings, each from scratch.

    most : maximum number of simulations in a search.
    """

    def __init__(self, game: type[bw.Game], settings: Mapping[str, Any], most: int) -> None:
        state = game()
        self._facts = game_facts(state)
        planner = bw.MCTS(**settings)
        self.settings = planner.settings
        self._session = Session(
            state, self._facts, planner.settings, Budget(most), 0, proofs=planner.settings.proofs
        )

    def search(self, state: bw.Game, simulations: int, seed: int) -> tuple[int, float]:
        """Search `state`; returns the number of simulations, and the processor seconds of this thread."""
        session = self._session
        session.state = state.copy()
        session.seed = seed
        session.runner.set_root(session.state)
        session.runner.guide(())
        search = session.runner.searches[0]
        reset(search.tree, self._facts.min_return, self._facts.max_return)
        search.scratch = new_scratch(session.composition, seed, 0)
        search.use(search.tree)
        run = Run(session, Conduct(Budget(simulations), threading.Event()), time.perf_counter())
        started = time.thread_time()
        run.finish()
        return run._done, time.thread_time() - started

    def best_action(self) -> int:
        """Return the best action of the last search."""
        session, facts = self._session, self._facts
        tree = SearchTree(session.trees[0], session.state, facts, session.seed, 0, 0.0, session.lease)
        children = []
        for action, seen in _read_root(tree._reader):
            if seen.is_proven:  # which proven move is best depends on the distance to the end
                whole = result_of(
                    session, simulations=0, moves=0, seconds=0.0, ended_by="", memory_full=False
                )
                return whole.best_action
            value = bound = None
            if seen.visits:
                value = seen.value
                bound = max(lower_bound(value, seen.visits, facts.min_return, facts.max_return), seen.lower)
            children.append(
                Child(action, seen.visits, value, bound, (action,), lower=seen.lower, upper=seen.upper)
            )
        choice = "halving" if self.settings.halving else self.settings.choice
        return in_order(children, choice, facts)[0].action

    def choose(self, state: bw.Game, simulations: int, seed: int) -> int:
        self.search(state, simulations, seed)
        return self.best_action()


class Keeper:
    """A player that keeps its tree from move to move, like bots."""

    def __init__(self, settings: Mapping[str, Any], simulations: int) -> None:
        self._bot = MCTSBot(simulations=simulations, **settings)

    def new_game(self, seed: int) -> None:
        self._bot.new_game()
        self._bot._random.seed(seed)

    def choose(self, state: bw.Game) -> int:
        return self._bot.choose(state)


class Fresh:
    """A player that starts every search from scratch."""

    def __init__(self, searcher: Searcher, simulations: int) -> None:
        self._searcher = searcher
        self._simulations = simulations
        self._random = random.Random()

    def new_game(self, seed: int) -> None:
        self._random.seed(seed)

    def choose(self, state: bw.Game) -> int:
        return self._searcher.choose(state, self._simulations, self._random.getrandbits(63))


Player = Keeper | Fresh


def opening(game: type[bw.Game], plies: Sequence[int], seed: str) -> bw.Game:
    """Return a position in which nobody can win in one move, after a number of random moves from `plies`."""
    generator = random.Random(seed)
    while True:
        state = game()
        for _ in range(generator.choice(plies)):
            if not state.is_terminal():
                state.apply_action(generator.choice(state.legal_actions()))
        if not state.is_terminal() and not any(_ends(state, action) for action in state.legal_actions()):
            return state


def _ends(state: bw.Game, action: int) -> bool:
    twin = state.copy()
    twin.apply_action(action)
    return twin.is_terminal()


def play(state: bw.Game, players: Sequence[Player], seeds: Sequence[int]) -> float:
    """Play to the end, with players[p] in seat p, and return the first seat's share, 0 to 1."""
    state = state.copy()
    for player, seed in zip(players, seeds, strict=True):
        player.new_game(seed)
    while not state.is_terminal():
        state.apply_action(players[state.current_player()].choose(state))
    return (state.returns()[0] - state.min_return) / (state.max_return - state.min_return)


def play_pair(state: bw.Game, one: Player, other: Player, seed: str) -> tuple[float, float]:
    """Play two games from `state` with seats exchanged, and return the shares of `one`."""
    generator = random.Random(seed)
    seeds = [generator.getrandbits(63) for _ in range(4)]
    first = play(state, (one, other), seeds[:2])
    second = play(state, (other, one), seeds[2:])
    return first, 1 - second


def positions(
    game: type[bw.Game], plies: Sequence[int], player: Player, count: int, seed: int
) -> Iterator[bw.Game]:
    """Yield `count` positions from a player's games against itself, two from each game."""
    found = 0
    number = 0
    while found < count:
        state = opening(game, plies, f"speed {seed} {number}")
        player.new_game(number)
        line = []
        while not state.is_terminal():
            line.append(state.copy())
            state.apply_action(player.choose(state))
        for place in (len(line) // 5, len(line) // 2):
            if found < count:
                found += 1
                yield line[place]
        number += 1


def speed_ratio(
    one: Searcher, other: Searcher, states: Sequence[bw.Game], simulations: int
) -> tuple[float, float, float]:
    """Return the speed of `one` relative to `other`, in simulations per second: median and quartiles.

    They take turns on each position, with REACH times the simulations of a move. Positions where either
    search ends early are left out, unless that happens at all of them.
    """
    asked = REACH * simulations
    ratios, early = [], []
    for number, state in enumerate(states):
        pace = {}
        done = []
        for searcher in (one, other) if number % 2 else (other, one):
            count, seconds = searcher.search(state, asked, number)
            pace[searcher] = count / max(seconds, 1e-7)
            done.append(count)
        (ratios if min(done) == asked else early).append(pace[one] / pace[other])
    low, middle, high = statistics.quantiles(ratios if len(ratios) > 1 else early, n=4)
    return middle, low, high
