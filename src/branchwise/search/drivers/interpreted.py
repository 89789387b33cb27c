"""Running simulations for any state object, whose rules stay in Python.

The tree is handled by the same kernels as in the compiled search, one call a phase; with the same seed and
the same rules both build the same tree.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from struct import Struct
from typing import Any

import numpy as np
from numba import int64, uint64

from branchwise.compile.call import call, keep_on_disk
from branchwise.compile.randomness import Randomness
from branchwise.compile.watch import Limits, RulesInPython, current_limits
from branchwise.core.random import PLAYOUT_STREAM, fill_draws
from branchwise.core.status import (
    ACTION_OUT_OF_RANGE,
    BAD_PRIOR,
    DONE,
    EVALUATION_OUT_OF_BOUNDS,
    ILLEGAL_PLAYOUT_ACTION,
    NEVER_ENDS,
    NO_LEGAL_ACTION,
    PLAYER_OUT_OF_RANGE,
    RETURN_OUT_OF_BOUNDS,
    SCORE_IS_NO_NUMBER,
    TOO_MANY_ACTIONS,
    TREE_FULL,
    Status,
)
from branchwise.core.steps import (
    ALL_SOLVED,
    WITHOUT_SCORE,
    back_up,
    check_outcome,
    choose_move,
    draw,
    grow,
    link_child,
    note,
    see_child,
    select_path,
    step_into,
    weigh,
)
from branchwise.errors import GameError
from branchwise.rules.facts import binder, copied, legal_rule
from branchwise.rules.trail import Trail
from branchwise.search.recipe import Search

keep_on_disk()

_DRAWS = 4096
_KEYS = 2**64


class PythonDriver:
    """Simulations from one root state, played move by move through the state's own methods."""

    first_chunk = 1

    def __init__(self, state: Any, search: Search) -> None:
        self.search = search
        recipe = search.recipe
        self._object = search.native
        self._facts = recipe.facts
        self._drawn = np.zeros(_DRAWS, np.int64)
        self._draws: list[int] = []
        self._path_view = search.scratch.path_actions.data
        self._actions_view = search.scratch.actions.data
        self._returns_view = search.scratch.returns.data
        self._returns_format = Struct(f"{recipe.facts.num_players}d")
        self._proofs = recipe.proofs
        self._keeps_graph = recipe.settings.transpositions
        self._evaluates = recipe.keeps_heuristics
        self._looks_ahead = recipe.proofs or self._evaluates or self._keeps_graph
        self._weighs = recipe.keeps_priors and recipe.has_prior
        self._learns = recipe.keeps_amaf or recipe.learns_moves
        self._policy = recipe.policy
        self._cutoff = recipe.settings.cutoff
        self._playouts = recipe.settings.playouts
        self._random = Randomness(search.scratch.streams)
        self._play_out = self._choose_playout()
        self._count = 0
        self._faulty_moves: list[int] = []
        self._moves: tuple[int, ...] = ()
        self._played: list[int] = []
        self.set_root(state)
        self._load_kernels()

    def set_root(self, state: Any) -> None:
        """Begin simulations at `state` from now on."""
        self._clone = state.clone if hasattr(state, "clone") else state.copy
        self._apply = legal_rule(type(state))
        self._bind = binder(type(state))

    def run(self, simulations: int) -> Status:
        """Run so many simulations, fewer if the root is solved; returns DONE or the fault that ended them."""
        with RulesInPython():
            return self._run(simulations, current_limits())

    def _run(self, simulations: int, limits: Limits) -> Status:
        for _ in range(simulations):
            depth = self._select()
            if depth == ALL_SOLVED:
                break
            status = SCORE_IS_NO_NUMBER if depth == WITHOUT_SCORE else self._simulate(depth)
            if status:
                return Status(status)
            if limits.was_asked:
                break
        return Status.DONE

    def trail(self) -> Trail:
        """Return what is known of the simulation in which the rules raised."""
        return Trail(leaf=list(self._moves), path=list(self._moves), played=list(self._played))

    def path_to_fault(self) -> list[int]:
        """Return the actions before the fault that `run` reported."""
        return self._faulty_moves

    def _load_kernels(self) -> None:
        """Load or compile the kernels by calls that change nothing, so that no budget pays for it."""
        search = self._object
        native = search._numba_type_
        self.search.scratch.returns[:] = np.nan
        call(select_path, search)
        call(grow, search, 0, 0, 0)
        call(see_child, search, 0, 0, False)
        step_into.compile((native, int64, int64))
        call(back_up, search, 0, False)
        fill_draws(self.search.scratch.streams, PLAYOUT_STREAM, self._drawn[:0])
        if self._weighs:
            weigh.compile((native, int64))
        if self._keeps_graph:
            link_child.compile((native, int64, int64, uint64))
        if self._learns:
            note.compile((native, int64, int64, int64))
        if self._play_out != self._play_uniformly:
            choose_move.compile((native, int64, int64, int64))
            draw.compile((native, int64))
            call(check_outcome, search, False)

    def _simulate(self, depth: int) -> int:
        """Run the simulation whose path was selected, to the leaf at `depth`; returns a status."""
        expand = depth < 0
        if expand:
            depth = -1 - depth
        state = self._clone()
        apply_action = self._apply
        moves = _actions_format(depth).unpack_from(self._path_view)
        self._moves = moves
        self._played.clear()
        for action in moves:
            apply_action(state, action)
        over = state.is_terminal()
        if expand and not over:
            status = self._expand(state, depth)
            if not status:
                seen = 0
                if self._weighs:
                    status = self._weigh(state, depth)
                if self._looks_ahead and not status:
                    seen, status = self._look_one_move_ahead(state, depth)
                if status:
                    return self._fault(status, moves)
                action = self._step_into(depth, seen)
                if action == WITHOUT_SCORE:
                    return self._fault(SCORE_IS_NO_NUMBER, moves)
                moves += (action,)
                self._moves = moves
                apply_action(state, action)
                depth += 1
                over = state.is_terminal()
            elif status != TREE_FULL:
                return self._fault(status, moves)
        if over:
            status = self._note_returns(state)
            if self._learns and not status:
                status = check_outcome(self._object, False)
        else:
            status = self._play_out(state, depth)
        if not status:
            status = self._back_up(depth, over)
        return self._fault(status, moves) if status else status

    def _expand(self, state: Any, depth: int) -> int:
        """Give the leaf its children; returns a status."""
        legal = state.legal_actions()
        self._count = count = len(legal)
        if count > self.search.scratch.actions.size:
            return TOO_MANY_ACTIONS
        self._write_actions(legal)
        status: int = grow(self._object, depth, state.current_player(), count)
        return status

    def _write_actions(self, legal: Any) -> None:
        try:
            _actions_format(len(legal)).pack_into(self._actions_view, 0, *legal)
        except struct.error as error:
            raise GameError(
                f"{self._facts.name}.legal_actions gave {legal!r}, which are not whole numbers of 32 bits"
            ) from error

    def _weigh(self, state: Any, depth: int) -> int:
        """Take the new children's priors from the rules; returns a status."""
        tree, path = self.search.tree, self.search.scratch.path
        first = int(tree.nodes[path[depth]]["first"])
        for number, action in enumerate(_actions_format(self._count).unpack_from(self._actions_view)):
            try:
                tree.priors[first + number] = state.prior(action)
            except (TypeError, ValueError):
                return BAD_PRIOR
        status: int = weigh(self._object, depth)
        return status

    def _look_one_move_ahead(self, state: Any, depth: int) -> tuple[int, int]:
        """Note what the game says of the new children of the leaf, which `state` belongs to.

        Returns at how many the game is over, and a status.
        """
        settled = 0
        mover = state.current_player()
        for number, action in enumerate(_actions_format(self._count).unpack_from(self._actions_view)):
            trial = copied(state)
            self._apply(trial, action)
            over = trial.is_terminal()
            if over or self._evaluates:
                note_outcome = self._note_returns if over else self._note_evaluation
                status = note_outcome(trial) or see_child(self._object, depth, number, over)
                if status:
                    return settled, status
                settled += over
            if self._keeps_graph and not over:
                key = (hash((mover, trial)) % (_KEYS - 1)) + 1
                link_child(self._object, depth, number, np.uint64(key))
        return settled, DONE

    def _note_returns(self, state: Any) -> int:
        """Write the returns of a finished game to where kernels read them; returns a status."""
        try:
            self._returns_format.pack_into(self._returns_view, 0, *state.returns())
        except struct.error:
            return RETURN_OUT_OF_BOUNDS
        return DONE

    def _note_evaluation(self, state: Any) -> int:
        """Write the game's evaluation of a state to where kernels read it; returns a status."""
        try:
            self._returns_format.pack_into(self._returns_view, 0, *state.evaluate())
        except (struct.error, TypeError):
            return EVALUATION_OUT_OF_BOUNDS
        return DONE

    # --- the phases' kernels, one call each; see `core.steps` ---

    def _select(self) -> int:
        depth: int = select_path(self._object)
        return depth

    def _step_into(self, depth: int, settled: int) -> int:
        action: int = step_into(self._object, depth, settled)
        return action

    def _back_up(self, depth: int, over: bool) -> int:
        status: int = back_up(self._object, depth, over)
        return status

    # --- playouts: each plays `state` out, writes the outcome where kernels read it, returns a status ---

    def _choose_playout(self) -> Callable[[Any, int], int]:
        policy = self._policy
        simple = policy.policy == "uniform" and not self._learns and self._cutoff is None
        once: Callable[[Any, int], int] = self._play_by_policy
        if simple and not policy.urgent:
            once = self._play_uniformly
        if self._playouts == 1:
            return once

        def repeatedly(state: Any, depth: int) -> int:
            returns = self.search.scratch.returns
            total = np.zeros(returns.size)
            for left in range(self._playouts - 1, -1, -1):
                self._played.clear()
                status = once(copied(state) if left else state, depth)
                if status:
                    return status
                total += returns
            returns[:] = total / self._playouts
            return DONE

        return repeatedly

    def _play_uniformly(self, state: Any, depth: int) -> int:
        is_terminal, legal_actions = state.is_terminal, state.legal_actions
        apply_action = self._bind(state)
        left = self._facts.max_game_length
        draws = self._draws
        note_move = self._played.append
        while not is_terminal():
            legal = legal_actions()
            if not legal:
                return NO_LEGAL_ACTION
            if not left:
                return NEVER_ENDS
            left -= 1
            if not draws:
                self._draw()
            action = legal[draws.pop() * len(legal) >> 32]
            note_move(action)
            apply_action(action)
        return self._note_returns(state)

    def _play_by_policy(self, state: Any, depth: int) -> int:
        """Play by the search's policy; the kernels draw the numbers, in the order of the compiled search."""
        search, facts = self._object, self._facts
        apply_action = self._bind(state)
        evaluated = False
        moves = 0
        while not state.is_terminal():
            if moves == self._cutoff:
                evaluated = True
                break
            legal = list(state.legal_actions())
            if not legal:
                return NO_LEGAL_ACTION
            if len(legal) > self.search.scratch.actions.size:
                return TOO_MANY_ACTIONS
            if moves >= facts.max_game_length:
                return NEVER_ENDS
            player = state.current_player()
            if not 0 <= player < facts.num_players:
                return PLAYER_OUT_OF_RANGE
            if any(not 0 <= action < facts.num_actions for action in legal):
                return ACTION_OUT_OF_RANGE
            action = self._urgent_move(state, legal, player)
            if action is None:
                action = self._preferred_move(state, legal, player, depth + moves)
            if action not in legal:
                return ILLEGAL_PLAYOUT_ACTION
            if self._learns:
                note(search, depth + moves, player, action)
            self._played.append(action)
            apply_action(action)
            moves += 1
        status = self._note_evaluation(state) if evaluated else self._note_returns(state)
        return status or int(check_outcome(search, evaluated))

    def _preferred_move(self, state: Any, legal: list[int], player: int, place: int) -> int:
        if self._policy.policy == "game":
            uniform = self._policy.epsilon > 0 and self._random.share() < self._policy.epsilon
            if not uniform:
                return int(state.playout_action(self._random))
            return legal[self._random.below(len(legal))]
        self._write_actions(legal)
        action: int = choose_move(self._object, player, len(legal), place)
        return action

    def _urgent_move(self, state: Any, legal: list[int], player: int) -> int | None:
        """Return a move that cannot wait, as in `core.playout`; `legal` may be put in another order."""
        if not self._policy.urgent:
            return None
        for action in legal:
            trial = copied(state)
            self._apply(trial, action)
            if trial.is_terminal() and trial.returns()[player] >= self._facts.max_return:
                return action
        if self._policy.urgent == "decisive":
            return None
        safe = 0
        for i, action in enumerate(legal):
            trial = copied(state)
            self._apply(trial, action)
            if not self._can_win_at_once(trial, player):
                legal[i], legal[safe] = legal[safe], legal[i]
                safe += 1
        if safe in (0, len(legal)):
            return None
        place: int = draw(self._object, safe)
        return legal[place]

    def _can_win_at_once(self, state: Any, player: int) -> bool:
        """Whether it is another player's turn, and they have a winning move."""
        if state.is_terminal() or state.current_player() == player:
            return False
        other = state.current_player()
        for action in state.legal_actions():
            trial = copied(state)
            self._apply(trial, action)
            if trial.is_terminal() and trial.returns()[other] >= self._facts.max_return:
                return True
        return False

    def _draw(self) -> None:
        fill_draws(self.search.scratch.streams, PLAYOUT_STREAM, self._drawn)
        self._draws.extend(self._drawn[::-1].tolist())

    def _fault(self, status: int, moves: tuple[int, ...]) -> int:
        self._faulty_moves = list(moves)
        return status


@cache
def _actions_format(count: int) -> Struct:
    """Return the packed form of `count` actions, an int32 array."""
    return Struct(f"{count}i")
