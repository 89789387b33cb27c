"""The searches that `speed.py` compares: all use UCB1 with the same weight, and one random playout per leaf.

With returns in [-1, 1] each adds 2.0 sqrt(ln N / n) to the mean. That is c = 1.0 for Branchwise, uct_c = 2.0
for OpenSpiel, explorationConstant = sqrt(2) for `mcts`, and within 1 % of what mctspy has built in.
None of them proves positions: OpenSpiel gets solve=False. Branchwise reuses well-visited choices for several
simulations, as it does by default (`repeat` of `MCTS`); the others score all children in every simulation.
"""

from __future__ import annotations

import gc
import math
import os
import random
import re
import tempfile
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import mcts as mcts_package
import mctspy.games.examples.tictactoe as mctspy_tic_tac_toe
import mctspy.tree.nodes as mctspy_nodes
import mctspy.tree.search as mctspy_search
import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts as spiel_mcts

import branchwise as bw
from clock import now
from light_games import LIGHT_GAMES

C = 1.0
NO_MEMORY_LIMIT = -1
WITH_DICE = ("pig", "backgammon")
"""Games that only Branchwise and OpenSpiel's C++ search here. Backgammon begins after the first roll, 3-1."""
BOARD_GAMES = (
    "amazons",
    "breakthrough",
    "checkers(draw_after=40,men_count=False)",
    "chess",
    "chinese_checkers",
    "clobber",
    "dots_and_boxes",
    "dots_and_boxes(rows=5,columns=5)",
    "go",
    "havannah",
    "hex",
    "kalah",
    "lines_of_action",
    "nine_mens_morris",
    "othello",
    "quoridor",
    "y(size=19)",
)
"""The same, without dice."""
SPIEL_NAMES = {
    "checkers(draw_after=40,men_count=False)": "checkers",
    "dots_and_boxes(rows=5,columns=5)": "dots_and_boxes(num_rows=5,num_cols=5)",
    "go": "go(board_size=9)",
    "kalah": "mancala",
    "y(size=19)": "y(board_size=19)",
}
"""OpenSpiel's names of games where they differ."""


def start(game: str) -> bw.Game:
    """Return our start position, in which a player is to move."""
    return bw.load_game(game).from_actions("3-1" if game == "backgammon" else "")


def spiel_game(game: str) -> Any:
    """Return OpenSpiel's game that has the rules of `game`."""
    return pyspiel.load_game(SPIEL_NAMES.get(game, game))


def spiel_start(game: str) -> Any:
    """Return the start position of OpenSpiel's game."""
    state = spiel_game(game).new_initial_state()
    if game == "backgammon":
        rolls = {state.action_to_string(-1, roll): roll for roll, _ in state.chance_outcomes()}
        state.apply_action(next(roll for text, roll in rolls.items() if "X starts, (roll: 13)" in text))
    return state


class Contender:
    """A search of one game from its start position.

    A subclass has `prepare`, which returns a function; calling it runs the search and returns the tree.
    """

    name = ""
    native = False
    """Whether Python's memory accounting cannot see its tree."""

    def __init__(self, game: str) -> None:
        self.game = game

    def prepare(self, simulations: int, seed: int) -> Callable[[], Any]:
        raise NotImplementedError

    def visits(self, tree: Any) -> int:
        """Return the number of simulations through the root."""
        raise NotImplementedError

    def nodes(self, tree: Any) -> int:
        """Return the number of nodes in the tree."""
        raise NotImplementedError

    def seconds(self, simulations: int, seed: int) -> float:
        """Return the duration of a search; raises `AssertionError` unless it ran every simulation."""
        search = self.prepare(simulations, seed)
        gc.collect()
        started = now()
        tree = search()
        taken = now() - started
        ran = self.visits(tree)
        assert ran == simulations, f"{self.name} ran {ran} simulations, not {simulations}"
        return taken


class Branchwise(Contender):
    name = "Branchwise"
    native = True

    def prepare(self, simulations: int, seed: int) -> Callable[[], Any]:
        planner = bw.MCTS(c=C, playout="uniform", proofs=False, seed=seed)
        state = start(self.game)
        return lambda: planner.search(state, simulations=simulations)

    def visits(self, tree: Any) -> int:
        assert not tree.memory_full
        return int(tree.tree.root.visits)

    def nodes(self, tree: Any) -> int:
        return len(tree.tree)


class OpenSpielCpp(Contender):
    name = "OpenSpiel C++"
    native = True

    def bot(self, simulations: int, seed: int, verbose: bool = False) -> Any:
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        return pyspiel.MCTSBot(
            spiel_game(self.game),
            evaluator,
            2.0 * C,
            simulations,
            NO_MEMORY_LIMIT,
            False,  # solve
            seed,
            verbose,
        )

    def prepare(self, simulations: int, seed: int) -> Callable[[], Any]:
        bot = self.bot(simulations, seed)
        state = spiel_start(self.game)
        self._told = simulations, seed
        return lambda: bot.mcts_search(state)

    def visits(self, tree: Any) -> int:
        return int(tree.explore_count)

    def nodes(self, tree: Any) -> int:
        """Search again with the same seed and read the number that the bot prints."""
        bot = self.bot(*self._told, verbose=True)
        state = spiel_game(self.game).new_initial_state()
        found = re.search(r"tree size: (\d+) nodes", _stderr_during(lambda: bot.step(state)))
        assert found, "OpenSpiel says nothing of its tree any more"
        return int(found[1])


class OpenSpielPython(Contender):
    name = "OpenSpiel Python"

    def prepare(self, simulations: int, seed: int) -> Callable[[], Any]:
        generator = np.random.RandomState(seed)
        bot = spiel_mcts.MCTSBot(
            spiel_game(self.game),
            2.0 * C,
            simulations,
            spiel_mcts.RandomRolloutEvaluator(1, generator),
            solve=False,
            random_state=generator,
        )
        state = spiel_game(self.game).new_initial_state()
        return lambda: bot.mcts_search(state)

    def visits(self, tree: Any) -> int:
        return int(tree.explore_count)

    def nodes(self, tree: Any) -> int:
        return _count(tree, lambda node: node.children)


class Mctspy(Contender):
    """The package `mctspy` with light states; see `light_games`."""

    name = "mctspy"

    def prepare(self, simulations: int, seed: int) -> Callable[[], Any]:
        np.random.seed(seed)
        root = mctspy_nodes.TwoPlayersGameMonteCarloTreeSearchNode(self.root_state())
        search = mctspy_search.MonteCarloTreeSearch(root)

        def run() -> Any:
            search.best_action(simulations)
            return root

        return run

    def root_state(self) -> Any:
        return LIGHT_GAMES[self.game].initial()

    def visits(self, tree: Any) -> int:
        return int(tree.n)

    def nodes(self, tree: Any) -> int:
        return _count(tree, lambda node: node.children)


class MctspyOwnBoard(Mctspy):
    """mctspy with its own tic-tac-toe, a NumPy array."""

    name = "mctspy, own board"

    def root_state(self) -> Any:
        return mctspy_tic_tac_toe.TicTacToeGameState(np.zeros((3, 3)), next_to_move=1)


class Mcts(Contender):
    """The package `mcts`, with light states; it maximises the first player's reward at every node."""

    name = "mcts"

    def prepare(self, simulations: int, seed: int) -> Callable[[], Any]:
        random.seed(seed)
        search = mcts_package.mcts(iterationLimit=simulations, explorationConstant=math.sqrt(2.0) * C)
        state = LIGHT_GAMES[self.game].initial()

        def run() -> Any:
            search.search(state)
            return search.root

        return run

    def visits(self, tree: Any) -> int:
        return int(tree.numVisits)

    def nodes(self, tree: Any) -> int:
        return _count(tree, lambda node: list(node.children.values()))


def contenders(game: str) -> list[type[Contender]]:
    """Return the contenders that can search `game`, Branchwise first."""
    if game in WITH_DICE + BOARD_GAMES:
        return [Branchwise, OpenSpielCpp]
    found: list[type[Contender]] = [Branchwise, OpenSpielCpp, OpenSpielPython, Mctspy, Mcts]
    if game == "tic_tac_toe":
        found.insert(4, MctspyOwnBoard)
    return found


@dataclass(frozen=True)
class Memory:
    """The memory of a tree with a number of nodes."""

    nodes: int
    bytes: int
    how: str

    @property
    def bytes_per_node(self) -> float:
        return self.bytes / self.nodes


def measure_memory(contender: type[Contender], game: str, simulations: int) -> Memory:
    """Return the memory of one search tree, measured in a separate process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_memory_here, contender, game, simulations).result()


def _memory_here(contender: type[Contender], game: str, simulations: int) -> Memory:
    it = contender(game)
    it.prepare(200, 1)()
    search = it.prepare(simulations, 1)
    gc.collect()
    if it.native:
        before = _resident_bytes()
        tree = search()
        taken = _resident_bytes() - before
        return Memory(it.nodes(tree), taken, "growth of the process")
    tracemalloc.start()
    tree = search()
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return Memory(it.nodes(tree), taken, "tracemalloc")


def _resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _count(root: Any, children: Callable[[Any], list[Any]]) -> int:
    waiting, total = [root], 0
    while waiting:
        total += 1
        waiting += children(waiting.pop())
    return total


def _stderr_during(call: Callable[[], object]) -> str:
    """Return the text that a call writes to the error stream, including that of native code."""
    kept = os.dup(2)
    with tempfile.TemporaryFile("w+") as file:
        os.dup2(file.fileno(), 2)
        try:
            call()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return file.read()
