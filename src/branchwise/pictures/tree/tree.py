"""Search trees as drawings: one description, drawn as text, DOT or SVG.

A search describes the part of its tree to show as a `TreeDrawing`; everything that shows trees draws from it.
Values and their colours are for the player who made the move. Blue is good and orange is bad; colour-blind
people can tell these two apart.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from branchwise.common.players import named

_SCALE = ((217, 95, 14), (244, 170, 104), (206, 212, 218), (116, 173, 222), (24, 100, 171))
"""Colours from the lowest return to the highest, in equal steps."""


@dataclass(frozen=True)
class DrawnNode:
    """One node to draw, with its numbers.

    parent : index of its parent in the drawing, -1 for the first.   depth : moves from the first.
    action, text : the move that leads here, None and "" at the root.   share : share of the parent's visits.
    value : mean return of `mover`, who made the move; None without visits and at the root.
    bounds, proven : for `mover`, at the root for the player to move.   player : the player to move, if known.
    on_line : whether the principal variation passes through it.
    by_chance : whether the move is an outcome of chance; its values are for the previous player.
    probability : of such an outcome, if known.   reward : of `mover` for the move, if rewards are paid on the
    way.
    more, more_visits, more_share : children left out, their visits, and their share of the node's visits.
    below : whether the drawing ends here but the tree does not.
    """

    index: int
    parent: int
    depth: int
    action: int | None
    text: str
    visits: int
    share: float
    value: float | None
    bounds: tuple[float, float]
    proven: float | None
    prior: float | None
    player: int | None
    mover: int | None
    terminal: bool
    on_line: bool
    by_chance: bool = False
    probability: float | None = None
    reward: float | None = None
    more: int = 0
    more_visits: int = 0
    more_share: float = 0.0
    below: bool = False


@dataclass(frozen=True)
class TreeDrawing:
    """The part of a tree to draw: nodes in order, each before its children.

    title : one line.   returns : the lowest and the highest return of the game, infinite where unknown.
    ends : values of the first and the last colour, if not those of `returns` or of the values drawn.
    """

    title: str
    nodes: tuple[DrawnNode, ...]
    returns: tuple[float, float]
    ends: tuple[float, float] | None = None

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each node, the indices of its children in `nodes`."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for index, node in enumerate(self.nodes):
            if node.parent >= 0:
                found[node.parent].append(index)
        return tuple(map(tuple, found))

    @property
    def has_priors(self) -> bool:
        return any(node.prior is not None for node in self.nodes)

    @property
    def is_line(self) -> bool:
        """Whether every node has at most one child in the drawing."""
        return all(len(found) <= 1 for found in self.children)

    def weight(self, node: DrawnNode) -> float:
        """Weight of the edge to `node`, from 0 to 1: its prior, or its share of visits."""
        heavy = node.share if node.prior is None else node.prior
        return min(max(heavy, 0.0), 1.0)

    def colour(self, value: float) -> str:
        """Return the colour of a value, such as "#ced4da"."""
        low, high = self.scale
        return scale_colour((value - low) / (high - low))

    @cached_property
    def scale(self) -> tuple[float, float]:
        """The values of the first and the last colour: the game's bounds, or those of the values drawn."""
        if self.ends is not None:
            return self.ends
        low, high = self.returns
        return (low, high) if math.isfinite(high - low) else span_of(node.value for node in self.nodes)


def span_of(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the least and the greatest of values, or ends around a single one.

    >>> span_of([2.0, None, -1.0]), span_of([3.0])
    ((-1.0, 2.0), (2.0, 4.0))
    """
    known = [value for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    return (low, high) if low < high else (low - 1.0, high + 1.0)


def scale_colour(share: float) -> str:
    """Return a colour between orange, at 0, and blue, at 1.

    >>> scale_colour(0.5), scale_colour(7)
    ('#ced4da', '#1864ab')
    """
    point = min(max(share, 0.0), 1.0) * (len(_SCALE) - 1)
    number = min(int(point), len(_SCALE) - 2)
    low, high = list(pairwise(_SCALE))[number]
    part = point - number
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(low, high, strict=True))


def clean(text: str) -> str:
    r"""Return `text` on one line, without characters that control terminals or break XML.

    >>> clean("two\nlines \x1b[2J")
    'two lines �[2J'
    """
    return "".join("�" if unicodedata.category(c) in ("Cc", "Cs") else c for c in " ".join(text.split()))


def outcome_text(number: int) -> str:
    """Return the name of a drawn outcome, by its number among its siblings, in order of drawing from 0.

    >>> outcome_text(0)
    '~1'
    """
    return f"~{number + 1}"


def signed(value: float | None) -> str:
    """Return a value as text with its sign, "" for None.

    >>> signed(0.25), signed(None)
    ('+0.250', '')
    """
    return "" if value is None else f"{value:+.3f}"


def cell_width(text: str) -> int:
    """Return a text's width in terminal columns; Chinese and other wide characters take two."""
    from rich.cells import cell_len

    return cell_len(text)


def bound_text(node: DrawnNode, returns: tuple[float, float]) -> str:
    """Return a node's proven bounds: "=+1", ">=+0", "<=+0", or "" if there are none."""
    lower, upper = node.bounds
    if node.proven is not None:
        return f"={node.proven:+g}"
    return " ".join(
        ([f">={lower:+g}"] if lower > returns[0] else []) + ([f"<={upper:+g}"] if upper < returns[1] else [])
    )


def tooltip(node: DrawnNode, returns: tuple[float, float]) -> str:
    """Return all numbers of a node, in several lines."""
    by = "" if node.mover is None else f", by player {node.mover}"
    share = f", {node.share:.1%}" if node.parent >= 0 else ""
    value, reward, bound = signed(node.value), signed(node.reward), bound_text(node, returns)
    to_move = "" if node.player is None else f"{named(node.player)} to move"
    lines = [
        f"{node.text or 'root'}{', by chance' if node.by_chance else by}",
        f"{node.visits:,} visits{share}",
        value and f"value {value}{f', for player {node.mover}' if node.by_chance else ''}",
        reward and f"reward {reward} for the move, which is part of the value",
        "" if node.probability is None else f"probability {node.probability:.1%}",
        "" if node.prior is None else f"prior {node.prior:.1%}",
        bound and f"proven {bound}{f', for player {node.player}' if node.mover is None else ''}",
        "game over" if node.terminal else to_move,
    ]
    return "\n".join(line for line in lines if line)
