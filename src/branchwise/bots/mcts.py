"""A bot that chooses by Monte Carlo Tree Search."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from branchwise.bots.bot import Bot, seeded
from branchwise.search.budget import Budget
from branchwise.search.planner import DEFAULT_C, MCTS

if TYPE_CHECKING:
    from branchwise.search.result import SearchResult

DEFAULT_SECONDS = 1.0


class MCTSBot(Bot):
    """Searches every position anew and plays the action with most visits.

    Limits as in `MCTS.search`; without any, one second a move. Other options as in `MCTS`.
    progress : called with the result so far while the bot thinks.
    """

    name = "mcts"

    def __init__(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        max_nodes: int | None = None,
        c: float = DEFAULT_C,
        first_play: float | None = None,
        max_depth: int | None = None,
        playout: str | None = None,
        proofs: bool = True,
        memory_mb: float = 1024,
        compiled: bool | None = None,
        seed: int | None = None,
    ) -> None:
        if simulations is None and seconds is None and max_nodes is None:
            seconds = DEFAULT_SECONDS
        self._budget = Budget(simulations, seconds, max_nodes)
        self._random = seeded(seed)
        self._planner = MCTS(
            c=c,
            first_play=first_play,
            max_depth=max_depth,
            playout=playout,
            proofs=proofs,
            memory_mb=memory_mb,
            compiled=compiled,
        )
        given = {
            "c": (c, DEFAULT_C),
            "playout": (playout, None),
            "proofs": (proofs, True),
            "memory_mb": (memory_mb, 1024),
        }
        self._options: dict[str, object] = {
            "simulations": simulations,
            "seconds": seconds,
            "max_nodes": max_nodes,
            **{name: value for name, (value, default) in given.items() if value != default},
            "first_play": first_play,
            "max_depth": max_depth,
            "compiled": compiled,
            "seed": seed,
        }
        self.progress: Callable[[SearchResult], object] | None = None

    def choose(self, state: Any) -> int:
        self._planner.seed = self._random.getrandbits(63)
        self.result = self._planner.search(
            state,
            simulations=self._budget.simulations,
            seconds=self._budget.seconds,
            max_nodes=self._budget.max_nodes,
            progress=self.progress,
        )
        return self.result.best_action

    def stop(self) -> None:
        self._planner.stop()

    def options(self) -> dict[str, object]:
        return self._options
