"""What a page is shown of a search: its findings, and the part of its tree that is watched."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from branchwise.errors import BranchwiseError
from branchwise.web import messages as m
from branchwise.web.findings import analysis_told, values_of_players
from branchwise.web.lines import Lines
from branchwise.web.searchers import Searcher
from branchwise.web.trees import tree_told

if TYPE_CHECKING:
    from branchwise.search.result import SearchResult

TREE_INTERVAL = 0.33
"""Seconds between two pictures of a tree, more where making one takes more than a twentieth of it."""
_TREE_SHARE = 20


class SearchView:
    """The search that was told of last; say : tells the page.

    The tree is read as it grows. Before the searcher moves its nodes, because the game goes on,
    `forget` has to be called.
    """

    def __init__(self, say: Callable[[m.Told], object]) -> None:
        self._say = say
        self._found: SearchResult | None = None
        self._lines: Lines | None = None
        self._branches: list[m.Branch] = []
        self._next_tree = 0.0
        self._told_of = (-1, -1)
        self._who = ""
        self._values: list[float] | None = None
        self._mirrored = False
        self._seconds_before = 0.0
        self.ply = 0
        """Of the position that was searched."""
        self.searcher: Searcher | None = None
        """Whose tree it is."""

    @property
    def is_empty(self) -> bool:
        return self._found is None

    def forget(self) -> None:
        """Show nothing more of it."""
        self._found = self._lines = self.searcher = None

    def lose(self, searcher: Searcher) -> None:
        """Show nothing more of what `searcher` has found: its tree is gone."""
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
        """Tell of what was found, and of the tree from time to time and in the end; returns players' values.

        mirrored : whether one player's gain is the other's loss.   seconds_before : that earlier searches of
        the same position took.
        """
        if self._found is None or self._lines is None or self.ply != ply or self.searcher is not searcher:
            self._lines = Lines(found.state)
        self._found, self.ply, self.searcher = found, ply, searcher
        self._who, self._seconds_before, self._mirrored = who, seconds_before, mirrored
        self._values = values_of_players(found, mirrored=mirrored)
        self.tell_again()
        if self._branches and (time.monotonic() >= self._next_tree or found.ended_by):
            self._tell_tree()
        return self._values

    def tell_again(self) -> None:
        """Tell what was found last."""
        if self._found is not None and self._lines is not None:
            self._say(
                analysis_told(
                    self._found,
                    self._lines,
                    ply=self.ply,
                    who=self._who,
                    values=self._values,
                    seconds_before=self._seconds_before,
                )
            )

    def tell_hint(self, found: SearchResult, answers: int | None) -> None:
        """Tell what to play, by a search that is shown."""
        lines = self._lines or Lines(found.state)
        action = int(found.best_action)
        value = found.children[0].value
        self._say(m.Hinted(id=answers, ply=self.ply, action=action, text=lines.text((), action), value=value))

    def watch(self, branches: list[m.Branch], answers: int | None) -> None:
        """Tell of these branches from now on."""
        self._branches = branches
        self._told_of = (-1, -1)
        if branches and self._found is not None:
            self._tell_tree(answers)
        else:
            self._say(m.Tree(id=answers, ply=self.ply, nodes_in_all=0, mirrored=False, nodes=[]))

    def tree(self) -> tuple[SearchResult, Lines]:
        """Return the search whose tree is shown, and the lines from its root. Raises where there is none."""
        if self._found is None or self._lines is None:
            raise BranchwiseError(
                "there is no tree to be shown", mend="begin an analysis, or let the bot think first"
            )
        return self._found, self._lines

    def _tell_tree(self, answers: int | None = None) -> None:
        found, lines = self.tree()
        started = time.monotonic()
        try:
            state = (id(found.tree.reader.tree.nodes), found.tree.root.visits)
            if answers is None and state == self._told_of:
                return
            told = tree_told(
                found, lines, self._branches, ply=self.ply, mirrored=self._mirrored, answers=answers
            )
        except BranchwiseError:  # its nodes have been moved
            self.forget()
            self._say(m.Tree(id=answers, ply=self.ply, nodes_in_all=0, mirrored=False, nodes=[]))
            return
        self._told_of = state
        spent = time.monotonic() - started
        self._next_tree = started + max(TREE_INTERVAL, _TREE_SHARE * spent)
        self._say(told)
