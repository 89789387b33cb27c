"""The step-by-step search of a page."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from branchwise.common.errors import SettingsError
from branchwise.game.rules_class import Game
from branchwise.web.game.position_messages import picture
from branchwise.web.protocol.action_codes import Sent, sent
from branchwise.web.protocol.error_messages import overtaken, refused
from branchwise.web.protocol.messages import BeginSteps, MakeSteps, StepsBegun, StepsMade, Told, TreeNode
from branchwise.web.protocol.rule_threads import RuleThreads, begin_task, in_thread
from branchwise.web.search.line_messages import Lines
from branchwise.web.search.searchers import planner_settings
from branchwise.web.search.tree_memory import Grant, Memory
from branchwise.web.search.trees import ShownNodes

if TYPE_CHECKING:
    from branchwise.pictures.simulation_report import Simulation
    from branchwise.search.trace.step_search import StepSearch
    from branchwise.search.trace.stepping import Seen

    Step = tuple[Simulation, Seen | None]

MOST_NODES = 400
"""Maximum number sent at a time."""
_MEMORY_MB = 8.0


class StepDesk:
    """A step-by-step search; say : sends answers. Steps run in a thread, in the order of requests."""

    def __init__(self, memory: Memory, rule_threads: RuleThreads, say: Callable[[Told], object]) -> None:
        self._memory = memory
        self._threads = rule_threads
        self._say = say
        self._grant: Grant | None = None
        self._steps: StepSearch | None = None
        self._lines: Lines | None = None
        self._over = False
        self._order = asyncio.Lock()
        self._asked: list[BeginSteps | MakeSteps] = []
        """The requests not answered yet."""

    def begin(self, state: Game, ply: int, said: BeginSteps) -> None:
        """Start a search of `state` and send its settings."""
        twin = state.copy()
        self._do(said, lambda: self._begin(twin, ply, said))

    def make(self, said: MakeSteps) -> None:
        """Run simulations and send their steps."""
        self._do(said, lambda: self._make(said))

    def stop(self) -> None:
        """Drop the remaining requests, and answer each of them."""
        asked, self._asked = self._asked, []
        for said in asked:
            self._say(overtaken(_kind(said), said.id))

    def drop(self) -> None:
        """Keep nothing."""
        self.stop()
        if self._grant is not None:
            self._grant.give_back()
        self._forget()

    def _forget(self) -> None:
        self._grant = self._steps = self._lines = None

    def _do(self, said: BeginSteps | MakeSteps, work: Callable[[], Awaitable[Told | None]]) -> None:
        self._asked.append(said)
        begin_task(self._in_order(said, work))

    async def _in_order(
        self, said: BeginSteps | MakeSteps, work: Callable[[], Awaitable[Told | None]]
    ) -> None:
        async with self._order:
            if not self._is_wanted(said):
                return
            answer: Told | None
            try:
                answer = await work()
            except Exception as error:
                answer = refused(error, about=_kind(said), answers=said.id)
            if answer is not None and self._is_wanted(said):
                self._asked = [other for other in self._asked if other is not said]
                self._say(answer)

    def _is_wanted(self, said: BeginSteps | MakeSteps) -> bool:
        return any(other is said for other in self._asked)

    async def _begin(self, state: Game, ply: int, said: BeginSteps) -> Told | None:
        settings = await self._threads.do(planner_settings, said.settings, type(state))
        if self._grant is None:
            self._grant = self._memory.grant(self._forget, _MEMORY_MB)
            self._grant.rest()
        memory_mb = self._grant.tree_mb
        steps = await in_thread(_new_steps, state, {**settings, "memory_mb": memory_mb})
        if not self._is_wanted(said):
            return None
        self._steps, self._lines, self._over = steps, Lines(state), False
        composition = steps.composition
        playout = "+".join(word for word in (composition.policy.urgent, composition.policy.policy) if word)
        return StepsBegun(
            id=said.id,
            ply=ply,
            rule=composition.rule.name,
            c=composition.rule.c,
            playout=playout,
            cutoff=composition.cutoff,
            seed=steps.seed,
            stretches=composition.stretches,
            is_open=composition.is_open,
            horizon=composition.facts.horizon,
        )

    async def _make(self, said: MakeSteps) -> Told:
        steps, lines = self._steps, self._lines
        if steps is None or lines is None:
            raise SettingsError("there is no step-by-step search", mend="start one with begin_steps")
        done: list[Step] = []
        if not self._over:
            done = await in_thread(_run, steps, said.count)
            self._over = len(done) < said.count
        return await self._threads.do(_steps_message, steps, lines, done, said.id, over=self._over)


def _kind(said: BeginSteps | MakeSteps) -> str:
    return str(type(said).__struct_config__.tag)


def _new_steps(state: Game, settings: dict[str, Any]) -> StepSearch:
    from branchwise.search.settings.settings import Settings
    from branchwise.search.trace.step_search import StepSearch

    return StepSearch(state, Settings(**settings))


def _run(steps: StepSearch, count: int) -> list[Step]:
    """Run simulations; in an open loop, return each with its states, which its moves do not determine."""
    done: list[Step] = []
    for _ in range(count):
        simulation = steps.step()
        if simulation is None:
            break
        seen = steps.seen(len(simulation.selection.choices)) if steps.composition.is_open else None
        done.append((simulation, seen))
    return done


def _steps_message(
    steps: StepSearch, lines: Lines, done: list[Step], answers: int | None, *, over: bool
) -> StepsMade:
    return StepsMade(
        id=answers,
        simulations=[simulation_told(simulation, seen) for simulation, seen in done],
        nodes=nodes_told(steps, lines),
        over=over,
    )


def simulation_told(simulation: Simulation, seen: Seen | None = None) -> dict[str, Any]:
    """Return a simulation as plain values, with `line_actions` beside each `line`.

    seen : its states, if it is sent with pictures of them.
    """
    moves = [sent(choice.siblings[choice.chosen].move.action) for choice in simulation.choices]
    told = simulation.to_dict()
    _add_actions(told, moves)
    if seen is not None:
        node = seen.node[0]
        told["pictures"] = {
            "leaf": picture(*seen.leaf),
            "node": picture(*seen.node),
            "end": picture(seen.played[-1], node) if seen.played else picture(*seen.node),
        }
    return told


def _add_actions(part: Any, moves: list[Sent]) -> None:
    """Add `line_actions` beside each `line`, and write vectors as they are sent.

    All lines of a simulation are prefixes of its path.
    """
    if isinstance(part, dict):
        if "line" in part:
            part["line_actions"] = moves[: len(part["line"])]
        if isinstance(part.get("action"), list):
            part["action"] = sent(part["action"])
        for value in part.values():
            _add_actions(value, moves)
    elif isinstance(part, list | tuple):
        for value in part:
            _add_actions(value, moves)


def nodes_told(steps: StepSearch, lines: Lines) -> list[TreeNode]:
    """Return the tree, level by level; of a large tree the nodes with the most visits."""
    import numpy as np

    shown = ShownNodes(steps.tree, lines)
    while shown.level and len(shown.nodes) < MOST_NODES:
        children, owners = shown.reader.children(np.array([index for _, index in shown.level]))
        room = MOST_NODES - len(shown.nodes)
        kept = np.sort(np.argsort(-shown.reader.visits(children), kind="stable")[:room])
        parents = [shown.level[owner][0] for owner in owners[kept].tolist()]
        shown.add(children[kept], parents)
        for row in parents:
            shown.nodes[row].more -= 1
    return shown.nodes
