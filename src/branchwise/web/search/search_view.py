"""The view of a search on a page: its findings, and the watched part of its tree."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from branchwise.common.errors import BranchwiseError, SettingsError
from branchwise.game.rules_class import Game
from branchwise.web.game.position_messages import check_moves_in_turn
from branchwise.web.protocol import messages as m
from branchwise.web.search.line_messages import Lines, lines_of
from branchwise.web.search.result_messages import analysis_told, hint_from, values_of_players
from branchwise.web.search.searchers import Searcher
from branchwise.web.search.trees import tree_told

if TYPE_CHECKING:
    from branchwise.search.results.result import SearchResult

TREE_INTERVAL = 0.33
"""Minimum seconds between two messages with a tree; longer if making one takes over a twentieth of that."""
_TREE_SHARE = 20


def _has_tree(found: SearchResult) -> bool:
    """Whether the nodes of a search's tree can be shown: each is a position, reached by moves in turn."""
    return found.deals is None and not found.facts.joint


class SearchView:
    """The search that the page shows; say : sends messages to the page.

    The tree is read while it grows. Call `forget` before the searcher moves the tree's nodes because the game
    continues.
    """

    def __init__(self, say: Callable[[m.Told], object]) -> None:
        self._say = say
        self._random = random.Random()
        self._found: SearchResult | None = None
        self._lines: Lines | None = None
        self._branches: list[m.Branch] = []
        self._next_tree = 0.0
        self._last_sent = (-1, -1)
        self._findings: Callable[[], m.Analysis] | None = None
        self.ply = 0
        """Number of moves before the position searched."""
        self.searcher: Searcher | None = None
        """The owner of the tree."""

    @property
    def is_empty(self) -> bool:
        return self._found is None

    def forget(self) -> None:
        """Stop showing it."""
        self._found = self._lines = self._findings = self.searcher = None

    def lose(self, searcher: Searcher) -> None:
        """Stop showing findings of `searcher`, whose tree is gone."""
        if searcher is self.searcher:
            self.forget()

    def show(
        self,
        found: SearchResult,
        *,
        ply: int,
        who: str,
        searcher: Searcher,
        mirrored: bool,
        seconds_before: float,
    ) -> list[float] | None:
        """Send the findings, and the tree from time to time and at the end; return the players' values.

        mirrored : whether one player's gain is the other's loss.   seconds_before : time of earlier searches
        of the same position.
        """
        lines = self._lines
        if self._found is None or lines is None or self.ply != ply or self.searcher is not searcher:
            lines = lines_of(found)
        self._found, self._lines, self.ply, self.searcher = found, lines, ply, searcher
        values = values_of_players(found, mirrored=mirrored)
        self._findings = partial(
            analysis_told, found, lines, ply=ply, who=who, values=values, seconds_before=seconds_before
        )
        self.tell_again()
        if self._branches and _has_tree(found) and (time.monotonic() >= self._next_tree or found.ended_by):
            self._tell_tree()
        return values

    def tell_again(self) -> None:
        """Send the latest findings again."""
        if self._findings is not None:
            self._say(self._findings())

    def tell_hint(self, found: SearchResult, player: int, answers: int | None) -> None:
        """Send a hint for `player` from the search that is shown."""
        lines = self._lines or lines_of(found)
        action, value = hint_from(found, player, self._random)
        self._say(
            m.Hinted(
                id=answers,
                ply=self.ply,
                player=player,
                action=action,
                text=lines.text((), action),
                value=value,
            )
        )

    def watch(self, branches: list[m.Branch], answers: int | None) -> None:
        """Send these branches from now on."""
        self._branches = branches
        self._last_sent = (-1, -1)
        if branches and self._found is not None and _has_tree(self._found):
            self._tell_tree(answers)
        else:
            self._say(m.Tree(id=answers, ply=self.ply, nodes_in_all=0, nodes=[]))

    def tree(self) -> tuple[SearchResult, Lines]:
        """Return the search whose tree is shown, and the lines from its root. Raises if there is none."""
        if self._found is None or self._lines is None:
            raise SettingsError(
                "there is no tree to show", mend="start an analysis, or let the bot think first"
            )
        if self._found.deals is not None:
            raise SettingsError(
                "this search is of what a player knows, and no node of its tree is a position",
                mend="look at the table of the search",
            )
        if isinstance(self._found.state, Game):
            check_moves_in_turn(type(self._found.state), "the tree")
        return self._found, self._lines

    def _tell_tree(self, answers: int | None = None) -> None:
        found, lines = self.tree()
        started = time.monotonic()
        try:
            state = (id(found.live_tree.reader.tree.nodes), found.live_tree.root.visits)
            if answers is None and state == self._last_sent:
                return
            told = tree_told(found, lines, self._branches, ply=self.ply, answers=answers)
        except BranchwiseError:  # its nodes have moved
            self.forget()
            self._say(m.Tree(id=answers, ply=self.ply, nodes_in_all=0, nodes=[]))
            return
        self._last_sent = state
        spent = time.monotonic() - started
        self._next_tree = started + max(TREE_INTERVAL, _TREE_SHARE * spent)
        self._say(told)
