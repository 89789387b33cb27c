"""How strong a network has become: games at equal simulations, and a match at equal time at the end."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from branchwise.arena.match import Match
from branchwise.arena.match_result import MatchResult
from branchwise.arena.runner import Progress as MatchProgress
from branchwise.arena.statistics.elo import EloDifference, elo_difference
from branchwise.arena.statistics.score import Score
from branchwise.game.rules_class import Game
from branchwise.search.planner import MCTS

MOVE_SECONDS = 0.01
_OPENING = 2


def duel(
    start: Game, players: tuple[MCTS, MCTS], simulations: int, *, games: int, seconds: float, seed: int
) -> EloDifference | None:
    """Return the lead of the first player after pairs of games, for about `seconds`; None without any.

    start : the state in which games begin, before two random moves.   simulations : per move.
    """
    end = time.perf_counter() + seconds
    pairs = []
    source = np.random.default_rng([abs(seed), games])
    for _ in range(games // 2):
        opening = start.copy()
        for _ in range(_OPENING):
            if not opening.is_terminal():
                opening.apply_action(int(source.choice(list(opening.legal_actions()))))
        if not opening.is_terminal():
            pairs.append(
                (_points(opening, players, simulations), 1.0 - _points(opening, players[::-1], simulations))
            )
        if time.perf_counter() >= end:
            break
    return elo_difference(Score.from_results(pairs=pairs)) if pairs else None


def _points(opening: Game, players: tuple[MCTS, MCTS], simulations: int) -> float:
    """Return the points of player 0 in a game from a state; players : who plays each side."""
    state = opening.copy()
    while not state.is_terminal():
        found = players[int(state.current_player())].search(state, simulations=simulations)
        state.apply_action(found.best_action)
    gain = float(state.returns()[0]) - (state.min_return + state.max_return) / 2.0
    return 0.5 if abs(gain) < 1e-9 else float(gain > 0)


def closing_match(
    game: str, file: Path, games: int, seed: int, threads: int, progress: MatchProgress | None
) -> MatchResult:
    """Play the network against the same search with playouts, `MOVE_SECONDS` a move."""
    bots = [f'mcts(network="{file.resolve()}",seconds={MOVE_SECONDS})', f"mcts(seconds={MOVE_SECONDS})"]
    return Match(game, bots, games=games, seed=seed, concurrency=threads).run(progress=progress)


def verdict(lead: EloDifference) -> str:
    """Return a sentence that says whether the training was worth it.

    >>> verdict(EloDifference(112.0, 80.0, 145.0))
    'Worth it: +112 [+80, +145] Elo against playouts at 10 ms a move.'
    """
    told = f"{lead} Elo against playouts at {MOVE_SECONDS * 1000:g} ms a move"
    if lead.low > 0:
        return f"Worth it: {told}."
    if lead.high < 0:
        return f"Not worth it: {told}. Evaluations take longer than they gain: train longer, or use playouts."
    return f"Not shown to be worth it: {told}. Train longer, or play more games to tell."
