"""Reviewing a finished game: a deeper search of every position shows what each move gave away."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from branchwise.arena.records.playback import played_again
from branchwise.arena.records.record import GameRecord, MoveRecord
from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.core.tree.child_indices import children_of_one
from branchwise.core.tree.node_fields import ROOT
from branchwise.game.kinds.continuous_actions import same_action
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.rules.facts.facts import draws_what_happens, game_facts
from branchwise.rules.facts.game_type import proofs_hold
from branchwise.rules.knowledge.information import InformationState
from branchwise.rules.playthrough.choices_collected import made_choice
from branchwise.search.planner import MCTS
from branchwise.search.results.joint_result import JointResult
from branchwise.search.results.result import Child, SearchResult, uninterrupted
from branchwise.search.results.root_choice import in_order
from branchwise.search.run.information_set import InformationSetSearch
from branchwise.search.run.run import Conduct, NotConstantSumError, Run
from branchwise.search.session.search_session import Session
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.settings import Settings

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game

DEFAULT_SIMULATIONS = 20_000
JOINT_METHOD = "regret_matching"
_SHOWN_LINE = 6


@dataclass(frozen=True)
class MoveReview:
    """One player's action in a move under a deeper search; values are for that player.

    move : as recorded.   player : who chose the action.   state : what is searched: the state, or what the
    player knew.   best : the action that the search prefers; the one played if none is better.   played : the
    search's result for it.   better : its result for the best other action, None if there was no choice.
    line : the expected play from `better` on, as words.
    """

    move: MoveRecord
    player: int
    state: Game | InformationState
    played: Child
    better: Child | None
    line: str = ""

    @property
    def best(self) -> Any:
        best = self.better if self.better is not None and self.lost > 0 else self.played
        return best.action

    @property
    def lost(self) -> float:
        """Value of the best action minus that of the one played; 0 if the one played was best."""
        if self.better is None or self.better.value is None or self.played.value is None:
            return 0.0
        return max(0.0, self.better.value - self.played.value)


def decisions(record: GameRecord) -> int:
    """Return how many actions of players a game has after the opening."""
    return sum(len(_choosers(move)) for move in record.moves)


def review(
    game: type[Game], record: GameRecord, *, simulations: int = DEFAULT_SIMULATIONS, seed: int = 0
) -> Iterator[MoveReview]:
    """Yield a review of each action of a player after the opening, in order.

    simulations : for each position, at least 2. The first half starts with the move that was played, so that
    its value is known as well as that of the best; then the selection rule distributes the other half. If
    another move is proven best before the first half is spent, half as many simulations search the position
    after the move played.

    With hidden information a search is of what the player knew. Where all players moved at once, one search
    finds mean strategies, and an action is compared with the most probable other one of the same player.
    """
    budget = Budget(simulations=max(2, simulations))
    share = max(2, simulations) // 2
    played_through = played_again(game, record)
    for move in record.moves:
        if move.is_chance:
            continue
        if move.seat == SIMULTANEOUS:
            yield from _reviews_together(played_through.state_at(move.ply), move, budget, seed)
            continue
        state: Any
        if hides_information(game):
            state = played_through.information_state(move.seat, move.ply)
        else:
            state = played_through.state_at(move.ply)
        result = _searched(state, move.action, budget, seed)
        others = [c for c in result.children if c.visits and not same_action(c.action, move.action)]
        better = in_order(others, "visits", result.facts)[0] if others else None
        played = _child_of(result, move.action)
        hidden = isinstance(state, InformationState)
        if not hidden and played.proven is None and played.visits < share - 1:
            played = _searched_alone(state, played, Budget(simulations=share), seed)
        yield MoveReview(move, move.seat, state, played, better, _line(result, better))


def _reviews_together(state: Game, move: MoveRecord, budget: Budget, seed: int) -> Iterator[MoveReview]:
    """Yield a review of each player's action in a joint move."""
    result = uninterrupted(MCTS(joint=JOINT_METHOD, seed=seed).search(state, simulations=budget.simulations))
    assert isinstance(result, JointResult)
    actions = cast(tuple[int, ...], move.action)
    for player in _choosers(move):
        children = result.marginals[player]
        played = next(child for child in children if child.action == actions[player])
        better = next((child for child in children if child.visits and child is not played), None)
        yield MoveReview(move, player, state, played, better, _line(result, better))


def _choosers(move: MoveRecord) -> list[int]:
    """Return the players who chose an action of a move."""
    if move.is_chance:
        return []
    if move.seat != SIMULTANEOUS:
        return [move.seat]
    actions = cast(tuple[int, ...], move.action)
    return [player for player in range(len(actions)) if made_choice(actions, player)]


def _line(result: SearchResult, child: Child | None) -> str:
    """Return the first moves of the line of a child as words."""
    if child is None:
        return ""
    between = 2 if result.is_drawn else 1
    return result.line_text(child.line, _SHOWN_LINE * between)


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
        known = block["action"] == self._action
        if not known.any():
            return 1
        child = int(known.argmax())
        if block[child]["lower"] >= block[child]["upper"]:
            team.guide(())
            return size
        return min(size, self._share - done)


def _child_of(result: SearchResult, action: Any) -> Child:
    return next(child for child in result.children if same_action(child.action, action))


def _searched(
    state: Game | InformationState, action: Any, budget: Budget, seed: int, *, proofs: bool = True
) -> SearchResult:
    if isinstance(state, InformationState):
        search = InformationSetSearch(state, Settings(halving=True, seed=seed))
        return search.run(budget, lambda session, _: _focused(session, budget, action))
    facts = game_facts(state)
    proofs = proofs and proofs_hold(state, facts) and not draws_what_happens(state)
    proofs = proofs and not facts.dimensions
    while True:
        session = Session(state, facts, Settings(), budget, seed, proofs=proofs)
        assert budget.simulations is not None
        if facts.dimensions:  # the search begins with this vector as the first child
            session.runner.searches[0].scratch.vector[:] = action
        try:
            return _focused(session, budget, 0 if facts.dimensions else int(action))
        except NotConstantSumError:
            proofs = False


def _focused(session: Session, budget: Budget, action: int) -> SearchResult:
    """Run a search of which the first half begins with `action`."""
    assert budget.simulations is not None
    focus = _Focus(session, action, max(1, budget.simulations // 2))
    conduct = Conduct(budget, threading.Event())
    return uninterrupted(Run(session, conduct, time.perf_counter(), focus).to_end())


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
