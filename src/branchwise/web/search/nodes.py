"""All data of one node of a tree, on request of a page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from branchwise.web.game.position_messages import (
    Drawn,
    after,
    drawn,
    paid_so_far,
    player_to_move,
    returns_of,
)
from branchwise.web.protocol.action_codes import sent
from branchwise.web.protocol.error_messages import refused
from branchwise.web.protocol.messages import AskNode, NodeTold, Term, Told
from branchwise.web.protocol.rule_threads import RuleThreads, begin_task, in_thread
from branchwise.web.search.line_messages import Lines

if TYPE_CHECKING:
    from branchwise.search.results.result import SearchResult


_MANY_BOARDS = "The position after these moves is drawn anew in each simulation."


class NodeDesk:
    """Answers questions about nodes; the first answer may wait until the code for scores is loaded."""

    def __init__(self, rule_threads: RuleThreads) -> None:
        self._threads = rule_threads
        self._is_ready: set[int] = set()
        self._readying = asyncio.Lock()

    def ask(self, found: SearchResult, lines: Lines, said: AskNode, say: Callable[[Told], object]) -> None:
        """Send the answer, or the error, by `say`."""
        begin_task(self._answer(found, lines, said, say))

    async def _answer(
        self, found: SearchResult, lines: Lines, said: AskNode, say: Callable[[Told], object]
    ) -> None:
        try:
            search = found.live_tree.search
            kind = id(search.composition.native) if search is not None else 0
            async with self._readying:
                if kind not in self._is_ready:
                    await in_thread(found.live_tree.scores)
                    self._is_ready.add(kind)
            say(await self._threads.do(node_told, found, lines, said))
        except Exception as error:
            say(refused(error, about="ask_node", answers=said.id))


def node_told(found: SearchResult, lines: Lines, said: AskNode) -> NodeTold:
    """Return the message about a node. Raises `ActionError` for a path that is not in the tree."""
    node = found.live_tree.find(said.path)
    path = tuple(said.path)
    state = lines.state(path)
    many = lines.is_open and bool(path)
    played = None if many else after(lines.state(()), path)
    shown = Drawn(None, None, _MANY_BOARDS)
    if not many:
        shown = drawn(state, lines.state(path[:-1]), path[-1]) if path else drawn(state)
    player: int | None = node.player if many else player_to_move(state)
    search = found.live_tree.search
    assert search is not None
    return NodeTold(
        id=said.id,
        path=said.path,
        **shown._asdict(),
        visits=node.visits,
        player=player,
        returns=None if many else returns_of(state),
        paid=None if played is None else paid_so_far(played),
        rule=search.composition.rule.name,
        c=search.composition.rule.c,
        terms=[
            Term(
                action=sent(child.move.action),
                text=child.move.text,
                visits=child.visits,
                value=child.value if child.bounds[0] < child.bounds[1] else child.bounds[0],
                exploration=child.exploration,
                score=child.score,
                prior=child.prior,
                proven=child.bounds[0] if child.bounds[0] >= child.bounds[1] else None,
                probability=child.probability,
            )
            for child in sorted(found.live_tree.scores(said.path), key=lambda child: -child.visits)
        ],
    )
