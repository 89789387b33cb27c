"""All histories of a small game by compiled rules, and best responses over them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.queries.player_views import visible_bits
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.stopping.time_slices import run_in_slices
from branchwise.core.exact.reachable_states import NO_ROOM, UNFINISHED
from branchwise.core.information_sets.best_response import add_up, count_decisions, respond
from branchwise.core.information_sets.history_list import LOOKED, USED, Histories, list_histories
from branchwise.core.machine.kernel_status import DONE, Status
from branchwise.game.kinds.continuous_actions import refuse
from branchwise.game.rules_class import Game

keep_on_disk()

MOST_HISTORIES = 20_000_000
"""Maximum number of histories, which take some GB."""
_FIRST = 1024
_NO_TIME = -3


class ListedHistories:
    """All histories of `game`, as arrays; see `core.histories.Histories`.

    Raises `GameError` for rules that do not compile or break their contract, and for a game that is too
    large.

    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> len(ListedHistories(KuhnPoker))
    58
    """

    def __init__(
        self, game: type[Game], most: int = MOST_HISTORIES, stop: Callable[[], bool] | None = None
    ) -> None:
        refuse(game, "cannot be listed")
        self.game = game
        self._native = compiled_type(game)
        self._make_room(_FIRST)
        self._states.records[0] = game().to_record()
        while True:
            status = run_in_slices(
                lambda count: self._list(count, stop),
                lambda error: self._fault(f"raised {type(error).__name__}: {error}"),
            )
            used = int(self._histories.facts[USED])
            if status == DONE:
                break
            if status == _NO_TIME:
                raise TimeoutError(int(self._histories.facts[USED]))
            if status != NO_ROOM:
                raise self._fault(f"break a rule: {Status(status).name.lower().replace('_', ' ')}")
            if used > most:
                raise GameError(
                    f"{game.name} has more than {most:,} histories, too many to list",
                    mend="choose options that make it smaller",
                )
            self._make_room(2 * len(self._histories.players))
        shown = self._histories._asdict()
        for name, array in shown.items():
            if len(array) == len(self._histories.players):
                shown[name] = array[:used]
        self.arrays = Histories(**shown)
        """The histories; do not change them."""

    def __len__(self) -> int:
        return len(self.arrays.players)

    def _list(self, count: int, stop: Callable[[], bool] | None) -> int:
        status = int(call(list_histories, self._states, self._histories, count))
        return _NO_TIME if stop is not None and status == UNFINISHED and stop() else status

    def is_current(self) -> bool:
        """Whether the rules have not changed since."""
        return compiled_type(self.game) is self._native

    def state(self, node: int) -> Game:
        """Return the state after history number `node`."""
        return self.game.from_record(self._states.records[node])

    def actions(self, node: int) -> list[int]:
        """Return the actions and outcomes of history number `node`, from the start."""
        line = []
        while node > 0:
            line.append(int(self.arrays.actions[node]))
            node = int(self.arrays.parents[node])
        return line[::-1]

    def expected(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each player's expected return; weights : [N], the probability of the step into each node."""
        values = np.zeros((len(self), self.game.num_players))
        call(add_up, self.arrays, weights, values)
        found: NDArray[np.float64] = values[0]
        return found

    def best_response(
        self,
        player: int,
        weights: NDArray[np.float64],
        sets: NDArray[np.int32],
        starts: NDArray[np.int64],
    ) -> tuple[float, NDArray[np.int32]]:
        """Return the value of a best response of `player`, and the number of the best child in each set.

        weights, sets, starts : as in `core.information_sets.best_response.respond`.
        """
        nodes = self.arrays
        size = len(self)
        decisions = np.zeros(size, np.int32)
        call(count_decisions, nodes, player, decisions)
        order = np.lexsort((-np.arange(size), -decisions)).astype(np.int32)
        best = np.zeros(len(starts) - 1, np.int32)
        values, reach, gains = np.zeros(size), np.zeros(size), np.zeros(int(starts[-1]))
        call(respond, nodes, player, weights, sets, starts, order, decisions, reach, gains, best, values)
        return float(values[0]), best

    def _fault(self, what: str) -> GameError:
        self.arrays = self._histories
        line = " ".join(map(str, self.actions(int(self._histories.facts[LOOKED])))) or "no move"
        return GameError(
            f"the rules of {self.game.name} {what}",
            after=f"the actions {line}",
            mend="check the rules: branchwise check",
        )

    def _make_room(self, size: int) -> None:
        """Move everything to larger arrays."""
        game, players = self.game, self.game.num_players
        choices = max(game.num_actions, game.num_outcomes)
        size += choices
        old, records = getattr(self, "_histories", None), getattr(self, "_states", None)
        self._states = NativeRecords(self._native, size)
        fresh = Histories(
            facts=np.zeros(2, np.int64),
            players=np.zeros(size, np.int8),
            parents=np.zeros(size, np.int32),
            actions=np.zeros(size, np.int32),
            chances=np.zeros(size),
            first=np.zeros(size, np.int32),
            counts=np.zeros(size, np.int32),
            known=np.zeros((size, players), np.uint64),
            views=np.zeros((size, players), np.uint64),
            returns=np.zeros((size, players)),
            masks=visible_bits(game),
            moves=np.zeros(choices, np.int32),
            odds=np.zeros(choices),
            numbers=np.zeros(players),
        )
        self._histories = fresh
        if old is not None and records is not None:
            self._states.records[: len(records.records)] = records.records
            for name, array in old._asdict().items():
                getattr(fresh, name)[: len(array)] = array
