"""Reviewing a finished game: a deeper search of every position shows what each move gave away."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from branchwise.arena.playback import played_again
from branchwise.arena.record import GameRecord, MoveRecord
from branchwise.boxes import same_action
from branchwise.core.child_indices import children_of_one
from branchwise.core.tree import ROOT
from branchwise.players import CHANCE
from branchwise.rules.facts import draws_what_happens, game_facts
from branchwise.rules.type import proofs_hold
from branchwise.search.budget import Budget
from branchwise.search.choice import in_order
from branchwise.search.planner import MCTS
from branchwise.search.result import Child, SearchResult, uninterrupted
from branchwise.search.run import NotConstantSumError, Run
from branchwise.search.session import Session
from branchwise.search.settings import Settings

if TYPE_CHECKING:
    from branchwise.game import Game

DEFAULT_SIMULATIONS = 20_000


@dataclass(frozen=True)
class MoveReview:
    """One move under a deeper search; values are for the player who made it.

    best : the action that the search prefers; the move itself if none is better.   played : the search's
    result for the move.   better : its result for the best other action, None if there was no choice.
    """

    move: MoveRecord
    state: Game
    played: Child
    better: Child | None

    @property
    def best(self) -> Any:
        best = self.better if self.better is not None and self.lost > 0 else self.played
        return best.action

    @property
    def lost(self) -> float:
        """Value of the best move minus that of the move played; 0 if the move played was best."""
        if self.better is None or self.better.value is None or self.played.value is None:
            return 0.0
        return max(0.0, self.better.value - self.played.value)


def review(
    game: type[Game], record: GameRecord, *, simulations: int = DEFAULT_SIMULATIONS, seed: int = 0
) -> Iterator[MoveReview]:
    """Yield a review of each move of a player after the opening, in order.

    simulations : for each position, at least 2. The first half starts with the move that was played, so that
    its value is known as well as any other. The search distributes the other half. If another move is proven
    best before the first half is spent, half as many simulations search the position after the move played.
    """
    budget = Budget(simulations=max(2, simulations))
    share = max(2, simulations) // 2
    played_through = played_again(game, record)
    for move in record.moves:
        if move.is_chance:
            continue
        state = played_through.state_at(move.ply)
        result = _searched(state, move.action, budget, seed)
        others = [c for c in result.children if c.visits and not same_action(c.action, move.action)]
        better = in_order(others, "visits", result.facts)[0] if others else None
        played = _child_of(result, move.action)
        if played.proven is None and played.visits < share - 1:
            played = _searched_alone(state, played, Budget(simulations=share), seed)
        yield MoveReview(move, state, played, better)


def ranked(reviews: list[MoveReview]) -> list[MoveReview]:
    """Return the moves that lost something, the worst first."""
    return sorted((j for j in reviews if j.lost > 0), key=lambda j: (-j.lost, j.move.ply))


class _Focus:
    """Makes a share of the simulations start with one action, a number in the tree."""

    def __init__(self, session: Session, action: int, share: int) -> None:
        self._session = session
        self._action = action
        self._share = share

    def choose(self, size: int, done: int, elapsed: float) -> int:
        team, nodes = self._session.runner, self._session.trees[0].nodes
        root = nodes[ROOT]
        team.guide((self._action,))
        if root["first"] < 0:
            return 1
        if done >= self._share:
            team.guide(())
            return size
        block = nodes[children_of_one(nodes, ROOT)]
        child = int((block["action"] == self._action).argmax())
        if block[child]["lower"] >= block[child]["upper"]:
            team.guide(())
            return size
        return min(size, self._share - done)


def _child_of(result: SearchResult, action: Any) -> Child:
    return next(child for child in result.children if same_action(child.action, action))


def _searched(state: Game, action: Any, budget: Budget, seed: int, *, proofs: bool = True) -> SearchResult:
    facts = game_facts(state)
    proofs = proofs and proofs_hold(state, facts) and not draws_what_happens(state)
    proofs = proofs and not facts.dimensions
    while True:
        session = Session(state, facts, Settings(), budget, seed, proofs=proofs)
        assert budget.simulations is not None
        if facts.dimensions:  # the search begins with this vector as the first child
            session.runner.searches[0].scratch.vector[:] = action
        first = 0 if facts.dimensions else int(action)
        focus = _Focus(session, first, max(1, budget.simulations // 2))
        stop, started = threading.Event(), time.perf_counter()
        try:
            return uninterrupted(Run(session, budget, stop, None, None, started, focus).to_end())
        except NotConstantSumError:
            proofs = False


def _searched_alone(state: Game, played: Child, budget: Budget, seed: int) -> Child:
    """Return the result for a move after a search that a proof of another move does not end."""
    game = type(state)
    after, player = state.copy(), state.current_player()
    told_from_there = game.num_players <= 2 and proofs_hold(game, game) and not draws_what_happens(state)
    if told_from_there:
        after.apply_action(played.action)
        told_from_there = after.current_player() != CHANCE
    if not told_from_there:
        result = _searched(state, played.action, budget, seed, proofs=False)
        return _child_of(result, played.action)
    result = uninterrupted(MCTS(seed=seed).search(after, simulations=budget.simulations))
    best, facts = result.children[0], result.facts

    def for_player(value: float | None) -> float | None:
        same = value is None or result.player == player
        return value if same else facts.min_return + facts.max_return - (value or 0.0)

    proven = for_player(best.proven)
    return replace(
        played,
        visits=sum(child.visits for child in result.children),
        value=for_player(best.value),
        proven=proven,
        lower=played.lower if proven is None else proven,
        upper=played.upper if proven is None else proven,
        line=(played.action, *best.line),
    )
