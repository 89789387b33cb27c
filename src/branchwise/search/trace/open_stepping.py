"""Running simulations in an open loop one at a time, with a report of each phase.

Unlike in a closed loop, the state is played along during selection: each choice is examined as soon as it is
made, with this simulation's state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from branchwise.core.numbers.random_streams import SELECT_STREAM
from branchwise.core.tree.node_fields import ROOT
from branchwise.pictures.simulation_report import Choice, Expansion, Move, NewChild, Selection
from branchwise.rules.facts.facts import copied
from branchwise.search.trace.stepping import SimulationPath, Stepper, Watched, move_at, shown_text


class OpenStepper(Stepper):
    """A `Stepper` for a search whose nodes stand for decisions only."""

    state: Any

    def _watch_tree(self) -> dict[str, Callable[..., Any]]:
        self._moves: dict[int, Move] = {}
        texts: Any = self.texts
        self._survey.look_openly(ROOT, [])
        self._begin_path, self._pass_chance = texts.begin_path, texts.pass_chance
        watching: dict[str, Callable[..., Any]] = {
            "begin_path": self._watch_begin,
            "pass_chance": self._watch_chance,
        }
        if self.search.composition.has_box:
            return {**watching, "decide": partial(self._watch_choice_in_box, texts.decide)}
        return {**watching, **self._watch_choices(texts)}

    def _watch_choices(self, texts: Any) -> dict[str, Callable[..., Any]]:
        """Return replacements, by name, for the phases that choose among numbered actions."""
        return {"choose_legal": partial(self._watch_choice, texts.choose_legal)}

    def _watch_begin(self, texts: Any) -> None:
        self._begin_path(texts)
        self.way = SimulationPath([copied(self.root.state)])
        self._choices: list[Choice] = []
        self._added: tuple[NewChild, ...] = ()
        self._grown = 0
        """How many of the last choices led to nodes that this simulation added."""
        self._is_new = self._is_full = False

    def _watch_choice(
        self, choose: Callable[..., int], texts: Any, depth: int, player: int, count: int
    ) -> int:
        before, known = self.search.scratch.streams[SELECT_STREAM], set(self._children(self.way))
        legal = set(self.search.scratch.actions[:count].tolist())
        found = choose(texts, depth, player, count)
        self._note_choice(found, depth, player, known, before, legal.__contains__)
        return found

    def _watch_choice_in_box(
        self, choose: Callable[..., int], texts: Any, state: Any, depth: int, player: int
    ) -> int:
        before, known = self.search.scratch.streams[SELECT_STREAM], set(self._children(self.way))
        found = choose(texts, state, depth, player)
        low, high = self.search.scratch.low, self.search.scratch.high

        def is_inside(action: Any) -> bool:
            return bool((low <= action).all() and (action <= high).all())

        self._note_choice(found, depth, player, known, before, is_inside)
        return found

    def _note_choice(
        self,
        found: int,
        depth: int,
        player: int,
        known: set[int],
        drawn_from: Any,
        is_legal: Callable[[Any], bool],
    ) -> None:
        """Record a choice.

        found : as `core.descents.open_loop.choose_legal` returns it.   known : children that existed before
        it. drawn_from : the counter of the random stream for selection before it.   is_legal : of an action,
        now.
        """
        if found < 0:
            self._is_full = True
            return
        streams = self.search.scratch.streams
        self._is_new = bool(found & 1)
        after, streams[SELECT_STREAM] = streams[SELECT_STREAM], drawn_from
        self._choices.append(self._choice_made(depth, player, is_legal, known))
        streams[SELECT_STREAM] = after
        self._grown = int(bool(self._added))

    def _choice_made(self, depth: int, player: int, may_be: Callable[[Any], bool], known: set[int]) -> Choice:
        """Return the choice just made; may_be : whether an action is legal.   known : children before."""
        way, survey, reader = self.way, self._survey, self._reader
        node, children = way.nodes[-1], self._children(way)
        choosers, available = self.search.tree.choosers, self.search.tree.available
        actions = reader.moves(children)
        is_legal = [
            may_be(action) and int(choosers[c]) == player for c, action in zip(children, actions, strict=True)
        ]
        survey.look_openly(node, is_legal)
        chosen = children.index(int(self.search.visit.levels[depth + 1]["edge"]))
        siblings = []
        for place, child in enumerate(children):
            if is_legal[place]:
                self._moves[child] = move_at(way.state, actions[place])
            move = self._move_seen(child)
            sibling = survey.sibling(place, child, move, chosen=place == chosen)
            fate = sibling.fate if is_legal[place] else "not legal"
            siblings.append(replace(sibling, fate=fate, available=int(available[child])))
        self._added = tuple(
            NewChild(child, siblings[place].move, None, None)
            for place, child in enumerate(children)
            if child not in known
        )
        return Choice(
            node,
            way.line(),
            player,
            reader.visits_of(node),
            tuple(siblings),
            chosen,
            "untried" if self._is_new else "score",
            player,
            survey.spread,
            str(way.state),
        )

    def _move_seen(self, child: int) -> Move:
        """Return the move to a child, named as it was when it was last legal, or as at the root."""
        if child not in self._moves:
            action = self._reader.move_of(child)
            try:
                text = shown_text(self.way.states[0], action)
            except Exception:  # the rules may have no name for it there
                text = str(action)
            self._moves[child] = Move(int(self.search.tree.choosers[child]), action, text)
        return self._moves[child]

    def _watch_chance(self, texts: Any, state: Any, depth: int) -> int:
        before = copied(state.state)
        watched = state.watched = Watched()
        passed: int = self._pass_chance(texts, state, depth)
        state.watched = None
        self._note_chance(before, tuple(watched.moves), copied(state.state))
        return passed

    def _note_chance(self, before: Any, drawn: tuple[Move, ...], reached: Any) -> None:
        """Report what chance drew after the last move; before, reached : the states before and after it."""
        choice = self._choices[-1] = replace(self._choices[-1], drawn=drawn)
        chosen = choice.siblings[choice.chosen]
        self.way.go(chosen.node, chosen.move, reached)

    def _watch_game(self, texts: Any, state: Any, depth: int) -> int:
        self._report_path()
        return super()._watch_game(texts, state, depth)

    def _watch_back_up(self, texts: Any, depth: int, over: bool) -> int:
        if self._selection is None:
            self._report_path()
        return super()._watch_back_up(texts, depth, over)

    def _report_path(self) -> None:
        """Assemble selection and expansion: added nodes belong to expansion."""
        way = self.way
        at = len(self._choices) - self._grown
        chosen, grown = self._choices[:at], self._choices[at:]
        leaf, line = way.nodes[at], way.line(at)
        visits = self._reader.visits_of(leaf)
        self._selection = Selection(tuple(chosen), leaf, line, visits, str(way.states[at]))
        node, whole, board = way.nodes[-1], way.line(), str(way.state)
        first, second = (*grown, None, None)[:2]
        self._expansion = Expansion(self._added, self._without(), first, (), node, whole, board, second)

    def _without(self) -> str:
        """Return why no node was added; "" if one was."""
        if self._added:
            return ""
        if self._is_new:
            return "first visit"
        if self.way.state.is_terminal():
            return "game over"
        if self._is_at_horizon():
            return "horizon"
        return "memory" if self._is_full else "depth"
