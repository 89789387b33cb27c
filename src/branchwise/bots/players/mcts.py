"""A bot that chooses by Monte Carlo Tree Search."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from branchwise.bots.base.bot import check_not_over, check_sees_all
from branchwise.bots.base.moves_between_states import moves_between
from branchwise.bots.base.planning import PlannerBot
from branchwise.common.errors import ActionError, SettingsError
from branchwise.game.kinds.continuous_actions import Plain, as_plain
from branchwise.rules.facts.facts import check_is_state, copied, draws_what_happens, random_action
from branchwise.rules.playthrough.joint_choice import JointChoice
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.search.planner import MCTS
from branchwise.search.results.joint_result import JointResult
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.clock import Clock
from branchwise.search.settings.move_limit import Limit, tightened

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game
    from branchwise.search.results.result import SearchResult
    from branchwise.search.run.background_search import RunningSearch

DEFAULT_SECONDS = 1.0
_LAST_MOMENT = 1e-3
_FOLLOWED_MOVES = 200
"""Number of moves since the last search after which none of its tree can be left."""


class MCTSBot(PlannerBot):
    """Plays the best action of a search, and keeps the tree below the position reached for the next.

    simulations, seconds, max_nodes : limits of a move as in `MCTS.search`; default one second.
    clock, increment : seconds on the bot's clock for a whole game, and seconds that each move adds, in place
    of limits; `Clock` allots them to moves.   temperature : from 0; above 0 the action is drawn by
    `SearchResult.policy`.   random_moves : the share of moves that are random instead of searched, 0 to 1; it
    makes a weaker player. Where all players move at once, the bot draws its action from the mean strategy of
    its player, or plays the most visited one with decoupled UCT.   reuse : whether the tree is kept from move
    to move.   settings : any of `MCTS`. progress : called with the result so far while the bot thinks.
    """

    name = "mcts"
    restricts = True
    takes_settings_of = MCTS

    def __init__(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        max_nodes: int | None = None,
        clock: float | None = None,
        increment: float = 0.0,
        temperature: float = 0.0,
        random_moves: float = 0.0,
        reuse: bool = True,
        seed: int | None = None,
        **settings: Any,
    ) -> None:
        has_own = any(limit is not None for limit in (simulations, seconds, max_nodes))
        if clock is not None:
            if has_own:
                raise SettingsError("a bot has either a clock or a limit for each move")
            Clock(clock, increment)
        elif increment:
            raise SettingsError("increment is given without clock")
        self._own = Budget(simulations, seconds, max_nodes) if has_own else None
        """The bot's own limits of a move."""
        self._remaining = self._clock = clock
        self._increment = increment
        self.keeps_proofs = not random_moves
        self._reuse = reuse
        planner = MCTS(**settings)
        shown = {
            "simulations": simulations,
            "seconds": None if seconds == DEFAULT_SECONDS else seconds,
            "max_nodes": max_nodes,
            "clock": clock,
            "increment": increment or None,
            **planner.settings.changed,
            **self._weaken(temperature, random_moves),
            "reuse": None if reuse else False,
        }
        super().__init__(planner, seed, shown)
        self._is_timed = not has_own or seconds is not None
        self.plays_uncompiled = not self._is_timed and planner.settings.can_begin_at_once
        self._root: Any = None
        self._played: int | None = None
        self._line: list[Plain] | None = None
        """The moves that led to the root, if they were given."""
        self._pondering: RunningSearch | None = None
        self.progress: Callable[[SearchResult], object] | None = None

    def check_game(self, game: type[Game]) -> None:
        check_sees_all(game, self.name)
        self._planner.check_game(game)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> Any:
        started = time.perf_counter()
        check_not_over(state)
        asked = None
        if isinstance(state, JointChoice):
            asked, state = state.player, state.state
        check_is_state(state)
        if self._clock is not None and limit is not None:
            shown = limit.clock_of(int(state.current_player()) if asked is None else asked)
            self._remaining, self._increment = shown or (self._remaining, self._increment)
        if self._is_random_move():
            among = () if limit is None else limit.among
            return self._random_move(state if asked is None else JointChoice(state, asked), started, among)
        self._go_to(state, moves)
        spent = time.perf_counter() - started
        limits = self._limits_within(limit)
        if self._remaining is not None:
            clock = Clock(max(self._remaining - spent, _LAST_MOMENT), self._increment)
            limits = {**limits, "clock": clock}
        if limits.get("seconds") is not None:
            limits = limits | {"seconds": max(limits["seconds"] - spent, _LAST_MOMENT)}
        self.result = None
        if limit is not None:
            limits = limits | limit.restriction
        self.result = self._planner.search(state, progress=self.progress, **limits)
        if asked is not None and isinstance(self.result, JointResult):
            action = self.result.drawn_action(asked, self._random)
            self._root = self._line = None
            self._keep_clock(started)
            return action
        action = self._drawn(self.result)
        self._root, self._played = copied(state), action
        self._keep_clock(started)
        return action

    def ponder(self, state: Any) -> None:
        """Think about `state`, in which another player is to move, until the next choice or `stop`.

        A bot without a time limit does not, so that its games can be repeated.
        """
        if not self._reuse or not self._is_timed or state.is_terminal():
            return
        self._go_to(state, None)
        self._root, self._played = copied(state), None
        self._pondering = self._planner.start(state)

    def _random_move(self, state: Any, started: float, among: Sequence[int]) -> Any:
        """Return a random legal action, one of `among` if there are any; the tree is dropped."""
        self._end_pondering()
        self._root, self._line, self.result = None, None, None
        action = self._random.choice(among) if among else random_action(state, self._random)
        self._keep_clock(started)
        return action

    def _keep_clock(self, started: float) -> None:
        if self._remaining is not None:
            spent = time.perf_counter() - started
            self._remaining = max(self._remaining - spent, 0.0) + self._increment

    def _end_pondering(self) -> None:
        if self._pondering is not None:
            self._pondering.stop()
            self._pondering = None

    def _go_to(self, state: Any, moves: Sequence[int] | None) -> None:
        """Let the planner keep the tree below `state`, ready to search it."""
        self._end_pondering()
        settings = self._planner.settings
        if self.impatient:
            self._planner.settings = settings.impatient
        path = None
        keeps = self._reuse and not draws_what_happens(state)
        if keeps and self._root is not None:
            path = self._path_from_root(state, moves)
            if path is None:
                path = moves_between(self._root, state, self._played)
        if moves is not None:
            self._line = list(map(as_plain, moves))
        else:
            self._line = None if self._line is None or path is None else [*self._line, *map(as_plain, path)]
        if path:
            for action in path:
                self._planner.advance(action)
        else:
            self._planner.forget()
        self._planner.seed = self._random.getrandbits(63)

    def _path_from_root(self, state: Any, moves: Sequence[int] | None) -> list[int] | None:
        """Return the part of `moves` that leads from the root to `state`; None if there is none."""
        known = self._line
        if moves is None or known is None or list(map(as_plain, moves[: len(known)])) != known:
            return None
        path = list(moves[len(known) :])
        if len(path) > _FOLLOWED_MOVES:
            return None
        try:
            reached = Playthrough(self._root, path).state
        except ActionError:
            return None
        return path if reached == state else None

    def _limits_within(self, limit: Limit | None) -> dict[str, Any]:
        """Return the limits of a search: the bot's own, tightened by `limit`."""
        budget = tightened(self._own, limit)
        if budget is not None:
            return asdict(budget)
        return {"seconds": DEFAULT_SECONDS} if self._clock is None else {}

    def new_game(self) -> None:
        """Forget the last game: its tree, and the time spent."""
        self._end_pondering()
        self._planner.forget()
        self._root = self._line = None
        self._remaining = self._clock

    def close(self) -> None:
        """End the search, and its processes if there are any."""
        self._end_pondering()
        self._planner.close()
