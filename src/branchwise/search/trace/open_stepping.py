"""Simulations in an open loop, one at a time, and what each of their phases did.

The path is not selected ahead of the state, as in the closed loop: each choice is looked at when it was made,
with the state that this simulation has there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from branchwise.core.random import SELECT_STREAM
from branchwise.core.tree import ROOT
from branchwise.rules.facts import copied
from branchwise.search.trace.stepping import Stepper, Watched, Way, move_at, shown_text
from branchwise.simulation import Choice, Expansion, Move, NewChild, Selection


class OpenStepper(Stepper):
    """The same as `Stepper` for a search whose nodes stand for decisions alone."""

    state: Any

    def _watch_tree(self) -> dict[str, Callable[..., Any]]:
        self._moves: dict[int, Move] = {}
        texts: Any = self.texts
        self._survey.look_openly(ROOT, [])
        self._begin_path, self._choose_legal = texts.begin_path, texts.choose_legal
        self._pass_chance = texts.pass_chance
        return {
            "begin_path": self._watch_begin,
            "choose_legal": self._watch_choice,
            "pass_chance": self._watch_chance,
        }

    def _watch_begin(self, texts: Any) -> None:
        self._begin_path(texts)
        self.way = Way([copied(self.root.state)])
        self._choices: list[Choice] = []
        self._added: tuple[NewChild, ...] = ()
        self._is_new = self._is_full = False

    def _watch_choice(self, texts: Any, depth: int, player: int, count: int) -> int:
        streams, way = self.search.scratch.streams, self.way
        before = streams[SELECT_STREAM]
        known = set(self._children(way))
        legal = set(self.search.scratch.actions[:count].tolist())
        found: int = self._choose_legal(texts, depth, player, count)
        self._note_choice(found, depth, player, known, before, legal.__contains__)
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
        """Write down what was chosen.

        found : as `core.open_loop.choose_legal` returns it.   known : children there were before.
        drawn_from : where random numbers for choices stood before.   is_legal : of an action, this time.
        """
        if found < 0:
            self._is_full = True
            return
        streams = self.search.scratch.streams
        self._is_new = bool(found & 1)
        after, streams[SELECT_STREAM] = streams[SELECT_STREAM], drawn_from
        self._choices.append(self._told_choice(depth, player, is_legal, known))
        streams[SELECT_STREAM] = after

    def _told_choice(self, depth: int, player: int, may_be: Callable[[Any], bool], known: set[int]) -> Choice:
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
        """Return the move to a child, as it was called when it was legal last, or is at the root."""
        if child not in self._moves:
            action = self._reader.move_of(child)
            try:
                text = shown_text(self.way.states[0], action)
            except Exception:  # the rules may not know a name for it there
                text = str(action)
            self._moves[child] = Move(int(self.search.tree.choosers[child]), action, text)
        return self._moves[child]

    def _watch_chance(self, texts: Any, state: Any, depth: int) -> int:
        watched = state.watched = Watched()
        status: int = self._pass_chance(texts, state, depth)
        state.watched = None
        choice = self._choices[-1] = replace(self._choices[-1], drawn=tuple(watched.moves))
        chosen = choice.siblings[choice.chosen]
        self.way.go(chosen.node, chosen.move, copied(state.state))
        return status

    def _watch_game(self, texts: Any, state: Any, depth: int) -> int:
        self._tell_path()
        return super()._watch_game(texts, state, depth)

    def _watch_back_up(self, texts: Any, depth: int, over: bool) -> int:
        if self._selection is None:
            self._tell_path()
        return super()._watch_back_up(texts, depth, over)

    def _tell_path(self) -> None:
        """Put together selection and expansion: what was added belongs to the latter."""
        way, choices = self.way, self._choices
        last = choices[-1] if self._added else None
        chosen = choices[:-1] if self._added else choices
        at = len(chosen)
        leaf, line = way.nodes[at], way.line(at)
        visits = self._reader.visits_of(leaf)
        self._selection = Selection(tuple(chosen), leaf, line, visits, str(way.states[at]))
        node, whole, board = way.nodes[-1], way.line(), str(way.state)
        self._expansion = Expansion(self._added, self._without(), last, (), node, whole, board)

    def _without(self) -> str:
        """Return why nothing was added; "" if something was."""
        if self._added:
            return ""
        if self._is_new:
            return "first visit"
        if self.way.state.is_terminal():
            return "game over"
        if self._is_at_horizon():
            return "horizon"
        return "memory" if self._is_full else "depth"


class BoxStepper(OpenStepper):
    """The same for continuous actions, of which a node may get one more at any visit: see `core.boxes`."""

    def _watch_tree(self) -> dict[str, Callable[..., Any]]:
        texts: Any = self.texts
        self._moves = {}
        self._survey.look_openly(ROOT, [])
        self._begin_path, self._choose_in_box = texts.begin_path, texts.choose_in_box
        self._pass_chance = texts.pass_chance
        return {
            "begin_path": self._watch_begin,
            "choose_in_box": self._watch_choice_in_box,
            "pass_chance": self._watch_chance,
        }

    def _watch_choice_in_box(self, texts: Any, state: Any, depth: int, player: int) -> int:
        before, known = self.search.scratch.streams[SELECT_STREAM], set(self._children(self.way))
        found: int = self._choose_in_box(texts, state, depth, player)
        low, high = self.search.scratch.low, self.search.scratch.high

        def is_inside(action: Any) -> bool:
            return bool((low <= action).all() and (action <= high).all())

        self._note_choice(found, depth, player, known, before, is_inside)
        return found


def stepper_for(state: Any, search: Any) -> Stepper:
    """Return what runs simulations of `search` from `state` one at a time."""
    kind: type[Stepper] = OpenStepper if search.composition.is_open else Stepper
    return (BoxStepper if search.composition.has_box and kind is OpenStepper else kind)(state, search)
