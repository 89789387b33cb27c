"""A bot that searches to a fixed depth: minimax with alpha-beta pruning, expectimax with chance."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

from branchwise.bots.base.bot import Bot, check_not_over, seeded
from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import GameError, RuleLeftError, SettingsError
from branchwise.common.players import CHANCE
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.stopping.time_limits import Limits, RulesInPython, limited
from branchwise.core.exact.minimax import TOLERANCE, UNFINISHED, examine, new_stack
from branchwise.core.machine.kernel_status import Status
from branchwise.game.kinds.continuous_actions import refuse
from branchwise.game.rules_class import Game
from branchwise.rules.checking.before_compiling import vet
from branchwise.rules.checking.diagnosis import RULE_ERRORS, fault_error, raised_error
from branchwise.rules.facts.dice import possible_outcomes
from branchwise.rules.facts.facts import (
    GameFacts,
    apply_legal,
    check_is_listed,
    check_searchable,
    copied,
    game_facts,
)
from branchwise.rules.facts.game_type import declared_sum, game_type, proofs_hold
from branchwise.search.settings.move_limit import Limit

keep_on_disk()

MAX_DEPTH = 200
DEFAULT_DEPTH = 6
_SLICE_NODES = 50_000


class MinimaxBot(Bot):
    """Plays the action with the best minimax value, for two-player zero-sum games.

    Raises `SettingsError` where it meets returns that do not add up to the same as in other games.

    depth : moves to look ahead, outcomes of chance included, 1 to 200; None: 6. The value at that depth is
    the game's `evaluate` for player 0, or without it the middle between the worst and the best return. A node
    of chance has the mean of the outcomes' values, and is not pruned by the moves before it. Among equally
    good actions the choice is random.

    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> bot = MinimaxBot(depth=5)
    >>> state = TicTacToe.from_actions(["a1", "b2", "a2"])
    >>> state.action_to_string(bot.choose(state)), bot.value
    ('a3', 0.0)
    """

    name = "minimax"

    value: float | None = None
    """Value of the last action, for the player who chose it."""

    def __init__(self, *, depth: int | None = None, seed: int | None = None) -> None:
        whole_number("depth", depth, 1, MAX_DEPTH, optional=True)
        self._has_own = depth is not None
        self._own_depth = DEFAULT_DEPTH if depth is None else depth
        self._seed = seed
        self._random = seeded(seed)
        self._stopped = threading.Event()

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        facts = game_facts(state)
        check_not_over(state)
        check_searchable(state, facts)
        _check_kind(state, facts)
        if isinstance(state, Game):
            vet(type(state))
        depth = self._depth_within(limit)
        self._stopped.clear()
        try:
            with limited(Limits(stop=self._stopped)), RulesInPython():
                return self._choose(state, facts, depth)
        except RuleLeftError as error:
            raise raised_error(state, facts, error) from error

    def check_game(self, game: type[Game]) -> None:
        start = game()
        _check_kind(start, game_facts(start))

    def _choose(self, state: Any, facts: GameFacts, depth: int) -> int:
        legal = [int(action) for action in state.legal_actions()]
        self._random.shuffle(legal)
        first = state.current_player() == 0
        best_action = legal[0]
        alpha, beta = float("-inf"), float("inf")
        for action in legal:
            child = copied(state)
            apply_legal(child, action)
            value = self._value(child, facts, depth, alpha, beta)
            if value is None:
                break
            if value > alpha if first else value < beta:
                best_action = action
                alpha, beta = (value, beta) if first else (alpha, value)
        found = alpha if first else beta
        self.value = (
            None if math.isinf(found) else found if first else facts.max_return + facts.min_return - found
        )
        return best_action

    def _depth_within(self, limit: Limit | None) -> int:
        """Return how far to look ahead; other limits have no effect, except `stop`."""
        if limit is None or limit.depth is None:
            return self._own_depth
        return min(limit.depth, self._own_depth if self._has_own else MAX_DEPTH)

    def stop(self) -> None:
        self._stopped.set()

    def options(self) -> dict[str, object]:
        return {"depth": self._own_depth, "seed": self._seed}

    def _value(self, state: Any, facts: GameFacts, depth: int, alpha: float, beta: float) -> float | None:
        """Return the value for player 0 after one move, or None if the bot was stopped."""
        if not isinstance(state, Game):
            return self._plain_value(state, facts, depth - 1, alpha, beta)
        depth -= 1
        states = NativeRecords(compiled_type(type(state)), depth + 1)
        states.records[0] = state.to_record()
        stack = new_stack(depth, facts.num_actions, facts.num_outcomes, alpha, beta)
        while not self._stopped.is_set():
            try:
                status = call(examine, states, stack, depth, _SLICE_NODES)
            except RULE_ERRORS as error:
                raise raised_error(state, facts, error) from error
            if status == Status.DONE:
                return float(stack.best[0])
            if status == Status.NOT_CONSTANT_SUM and declared_sum(state, facts) is None:
                raise _not_opposed(facts)
            if status != UNFINISHED:
                raise fault_error(state, facts, Status(status), [])
        return None

    def _plain_value(
        self, state: Any, facts: GameFacts, depth: int, alpha: float, beta: float
    ) -> float | None:
        """The same in plain Python, for states whose rules are not compiled."""
        if self._stopped.is_set():
            return None
        if state.is_terminal():
            first, second = (float(number) for number in state.returns())
            if abs(first + second - facts.sum_of_two) > TOLERANCE * facts.span:
                raise _not_opposed(facts)
            return first
        if depth == 0:
            evaluate = getattr(state, "evaluate", None)
            middle = (facts.min_return + facts.max_return) / 2
            return middle if evaluate is None else float(evaluate()[0])
        player = state.current_player()
        if player == CHANCE and facts.num_outcomes:
            return self._plain_mean(state, facts, depth)
        if player not in (0, 1):
            raise GameError(f"{facts.name}.current_player gave {player}, which minimax cannot plan for")
        best = float("-inf") if player == 0 else float("inf")
        for action in state.legal_actions():
            child = copied(state)
            apply_legal(child, action)
            value = self._plain_value(child, facts, depth - 1, alpha, beta)
            if value is None:
                return None
            if player == 0:
                best = max(best, value)
                alpha = max(alpha, value)
            else:
                best = min(best, value)
                beta = min(beta, value)
            if alpha >= beta:
                break
        return best

    def _plain_mean(self, state: Any, facts: GameFacts, depth: int) -> float | None:
        """Return the mean value of the outcomes of chance, or None if the bot was stopped."""
        mean = 0.0
        for outcome, probability in possible_outcomes(state):
            child = copied(state)
            apply_legal(child, outcome)
            value = self._plain_value(child, facts, depth - 1, float("-inf"), float("inf"))
            if value is None:
                return None
            mean += probability * value
        return mean


def _check_kind(state: Any, facts: GameFacts) -> None:
    """Raise an error for a kind of game that minimax does not play."""
    refuse(state, "cannot be listed, so there is no minimax")
    if facts.num_players != 2:
        plural = "" if facts.num_players == 1 else "s"
        raise SettingsError(
            f"minimax plays two-player games, but {facts.name} has {facts.num_players} player{plural}",
            mend="use mcts",
        )
    check_is_listed(state, "minimax")
    if facts.pays:
        raise SettingsError(
            f"minimax needs returns at the end, but {facts.name} pays rewards on the way", mend="use mcts"
        )
    if not proofs_hold(state, facts):
        raise SettingsError(
            f"minimax plays zero-sum games, but {facts.name} has another utility: {game_type(state).utility}",
            mend="use mcts",
        )


def _not_opposed(facts: GameFacts) -> SettingsError:
    """Return the error for a game without a declared utility whose returns have no constant sum."""
    return SettingsError(
        f"minimax plays zero-sum games, but two players' returns of {facts.name} do not always add up to "
        f"{facts.sum_of_two:g}",
        mend="use mcts",
    )
