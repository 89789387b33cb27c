"""Preparing a search tree for drawing: the nodes that pass a filter, with moves in the game's notation.

Each move is named by the state in which it is made, reached by playing from the root's state. Without such a
state, or if the tree is not of its game, moves are shown by number. `pictures.tree.tree` draws the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import ActionError, GameError
from branchwise.common.players import CHANCE
from branchwise.core.tree.node_fields import ROOT
from branchwise.game.kinds.continuous_actions import as_vector, has_texts, short_text
from branchwise.pictures.tree.tree import DrawnNode, TreeDrawing, clean, outcome_text
from branchwise.rules.facts.facts import GameFacts, action_text, apply_legal, copied, reward_of
from branchwise.search.tree.node_reader import NO_NODE, Filter, Reader, WalkedNode

_OFFERED = 30


class Position:
    """A position in the tree, with its state if that is known.

    is_open : whether chance is drawn during the descent; the state is then the root's at every node.
    is_drawn : whether, in that case, actions are followed by nodes of chance.   by_chance : whether this is
    such a node.
    """

    def __init__(
        self,
        state: Any,
        *,
        is_open: bool = False,
        is_drawn: bool = False,
        by_chance: bool = False,
        given: object = None,
    ) -> None:
        self._state = state
        self._is_open = is_open
        self._is_drawn = is_drawn
        self._by_chance = by_chance
        self._given = given
        """What the rules returned for the last move."""

    @cached_property
    def is_over(self) -> bool:
        """Whether the game is known to be over here."""
        if self._is_open:
            return False
        try:
            return self._state is not None and bool(self._state.is_terminal())
        except Exception:
            return False

    @cached_property
    def _legal(self) -> frozenset[int]:
        try:
            return (
                frozenset() if self._state is None or self.is_over else frozenset(self._state.legal_actions())
            )
        except Exception:
            return frozenset()

    def text(self, action: Any) -> str:
        """Return an action in the game's notation, or its number if that is not known.

        Drawn outcomes have no names: they are numbered from 1 in the order of drawing.
        """
        if self._by_chance:
            return outcome_text(action)
        try:
            known = self._state is not None and (self._is_open or action in self._legal)
            if isinstance(action, np.ndarray) and not has_texts(self._state):
                return short_text(action)
            return clean(action_text(self._state, action)) if known else str(action)
        except Exception:
            return str(action)

    def after(self, action: Any) -> Position:
        """Return the position that an action leads to."""
        if self._is_open:
            to_chance = self._is_drawn and not self._by_chance
            return Position(self._state, is_open=True, is_drawn=self._is_drawn, by_chance=to_chance)
        if action not in self._legal:
            return Position(None)
        try:
            state = copied(self._state)
            given = apply_legal(state, action)
        except Exception:
            return Position(None)
        return Position(state, given=given)

    def reward(self, player: int | None, facts: GameFacts | None) -> float | None:
        """Return a player's reward for the move that led here from another position; None if unknown."""
        if player is None or self._state is None or self._is_open or facts is None or not facts.pays:
            return None
        try:
            return reward_of(self._state, self._given, facts)[player]
        except GameError:
            return None


@dataclass(frozen=True)
class Start:
    """The node where a drawing begins: its mover, its position, and the moves to it from the root.

    path : the nodes from the root to the node, both included.
    """

    node: int
    mover: int | None
    moves: tuple[str, ...]
    position: Position
    path: tuple[int, ...]


def reach(reader: Reader, position: Position, moves: Iterable[int | str] | str) -> Start:
    """Return the start of a drawing after `moves` from the root; position : of the root.

    moves : numbers or texts of actions, or one string of texts separated by blanks. Raises `ActionError` for
    a move that is not in the tree.
    """
    node, mover = ROOT, None
    path = [ROOT]
    played: list[str] = []
    for move in moves.split() if isinstance(moves, str) else moves:
        children = reader.ranked(node)
        actions = reader.moves(children.tolist())
        texts = [position.text(action) for action in actions]
        found = _matching(move, actions, texts)
        after = " ".join(played) or "the root"
        if not actions:
            raise ActionError(f'"{move}" cannot be shown: the tree ends here', after=after)
        if found is None:
            shown = " ".join(texts[:_OFFERED]) + (
                f" and {len(texts) - _OFFERED} more" if texts[_OFFERED:] else ""
            )
            raise ActionError(
                f'"{move}" is not in the tree here', after=after, mend=f"moves in it are {shown}"
            )
        mover = reader.mover_into(int(children[found]), mover, int(reader.record(node)["player"]))
        node = int(children[found])
        path.append(node)
        played.append(texts[found])
        position = position.after(actions[found])
    return Start(node, mover, tuple(played), position, tuple(path))


def _matching(move: Any, actions: list[Any], texts: list[str]) -> int | None:
    """Return the index of a move among those given, by its text or else by its number; None if absent."""
    if actions and isinstance(actions[0], np.ndarray):
        return _matching_vector(move, actions, texts)
    if not isinstance(move, str):
        return actions.index(move) if move in actions else None
    lowered = [text.lower() for text in texts]
    wanted = move.strip().lower()
    if wanted in lowered:
        return lowered.index(wanted)
    return _matching(int(wanted), actions, texts) if wanted.isdecimal() else None


def _matching_vector(move: Any, actions: list[NDArray[np.float64]], texts: list[str]) -> int | None:
    """Return the index of a continuous action, given as numbers or as one of the texts; None if absent."""
    if isinstance(move, str) and move in texts:
        return texts.index(move)
    wanted = as_vector(move)
    if wanted is None:
        return None
    found = (place for place, action in enumerate(actions) if np.array_equal(action, wanted))
    return next(found, None)


def positions(reader: Reader, start: Start, walk: Iterable[WalkedNode]) -> Iterator[tuple[str, Position]]:
    """Yield the text of the move to each node of a walk, and the node's position."""
    path = [start.position]
    for walked in walk:
        text = start.moves[-1] if start.moves else ""
        if walked.depth:
            action = reader.move_of(walked.node)
            before = path[walked.depth - 1]
            text = before.text(action)
            path[walked.depth :] = [before.after(action)]
        yield text, path[walked.depth]


def draw(reader: Reader, start: Start, wanted: Filter, title: str, facts: GameFacts | None) -> TreeDrawing:
    """Return the drawing of the nodes that are `wanted` below `start`; facts : of the game, if known."""
    returns = (-1.0, 1.0) if facts is None else (facts.min_return, facts.max_return)
    line = list(reader.line(start.node))
    on_line = {start.node, *line}
    walk = list(reader.walk(start.node, wanted, line))
    rows: list[int] = []  # rows of the ancestors, by depth
    drawn: list[DrawnNode] = []
    for row, (walked, (text, position)) in enumerate(zip(walk, positions(reader, start, walk), strict=True)):
        rows[walked.depth :] = [row]
        above = drawn[rows[walked.depth - 1]] if walked.depth else None
        node = walked.node
        record, visits = reader.record(node), reader.visits_of(node)
        lower, upper = reader.bounds_of(node)
        expanded = reader.first_of(node) != NO_NODE
        proven = lower if lower >= upper else None
        by_chance = above is not None and above.player == CHANCE
        mover = start.mover if above is None else _mover_into(reader, node, above)
        drawn.append(
            DrawnNode(
                index=node,
                parent=rows[walked.depth - 1] if above else -1,
                depth=walked.depth,
                action=None if node == ROOT else reader.move_of(node),
                text=text,
                visits=visits,
                share=visits / max(int(reader.record(above.index)["visits"]), 1) if above else 1.0,
                value=reader.value_of(node),
                bounds=(lower, upper),
                proven=proven,
                prior=None if reader.priors is None or node == ROOT else float(reader.priors[node]),
                player=int(record["player"]) if expanded else None,
                mover=mover,
                by_chance=by_chance,
                probability=_probability(reader, node) if by_chance else None,
                reward=None if node == ROOT else position.reward(mover, facts),
                terminal=position.is_over or (proven is not None and not expanded),
                on_line=node in on_line,
            )
        )
    return TreeDrawing(title, _with_those_left_out(reader, drawn, wanted), returns)


def _probability(reader: Reader, outcome: int) -> float | None:
    return None if reader.probabilities is None else float(reader.probabilities[outcome])


def _mover_into(reader: Reader, node: int, above: DrawnNode) -> int | None:
    """Return the player whose value a child of a drawn node has."""
    return None if above.player is None else reader.mover_into(node, above.mover, above.player)


def _with_those_left_out(reader: Reader, drawn: list[DrawnNode], wanted: Filter) -> tuple[DrawnNode, ...]:
    """Return the nodes with their numbers of children that are not drawn."""
    shown, visits = [0] * len(drawn), [0] * len(drawn)
    for node in drawn[1:]:
        shown[node.parent] += 1
        visits[node.parent] += node.visits
    found = []
    opened: set[int] = set()
    for row, node in enumerate(drawn):
        children, _ = reader.children(np.array([node.index]))
        left_out = int(reader.visits(children).sum(dtype=np.int64)) - visits[row]
        if not children.size:
            found.append(node)
        elif node.depth == wanted.deepest or int(children[0]) in opened:
            found.append(replace(node, below=left_out > 0))
        else:
            opened.add(int(children[0]))
            more = children.size - shown[row] if shown[row] or left_out else 0
            share = left_out / max(int(reader.record(node.index)["visits"]), 1)
            found.append(replace(node, more=more, more_visits=left_out, more_share=share))
    return tuple(found)
