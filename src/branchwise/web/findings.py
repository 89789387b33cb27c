"""The findings of a search, as messages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from branchwise.web.actions import sent
from branchwise.web.lines import Lines
from branchwise.web.messages import Analysis, ChildTold

if TYPE_CHECKING:
    from branchwise.search.result import SearchResult

LONGEST_LINE = 16
"""Number of moves sent of a line."""
_MOST_LINES = 24
"""Number of children sent with their lines; others are sent with their moves only."""
_MOST_CHILDREN = 500
_NOTHING = "no deal"
"""The end of a search that found no state, and so has no tree."""


def analysis_told(
    result: SearchResult,
    lines: Lines,
    *,
    ply: int,
    who: str,
    values: list[float] | None,
    seconds_before: float,
    answers: int | None = None,
) -> Analysis:
    """Return the message about a search.

    lines : lines from its root.   values : see `values_of_players`.   seconds_before : time of earlier
    searches of the same position.
    """
    rate = result.simulations_per_second
    return Analysis(
        id=answers,
        ply=ply,
        who=who,
        player=result.player,
        simulations=sum(child.visits for child in result.children),  # the root's own visits keep growing
        seconds=seconds_before + result.seconds,
        rate=rate if math.isfinite(rate) else 0.0,
        depth=len(moves_of(result, result.principal_variation)),
        nodes=0 if result.ended_by == _NOTHING else result.nodes,
        memory_bytes=0 if result.ended_by == _NOTHING else result.live_tree.num_bytes,
        memory_full=result.memory_full,
        ended_by=result.ended_by,
        value=finite(result.children[0].value),
        values=values,
        children=children_told(result, lines),
    )


def children_told(result: SearchResult, lines: Lines) -> list[ChildTold]:
    """Return the actions at the root, best first."""
    total = max(sum(child.visits for child in result.children), 1)
    facts = result.facts
    told = []
    for index, child in enumerate(result.children[:_MOST_CHILDREN]):
        most = LONGEST_LINE if index < _MOST_LINES else 1
        line = [sent(action) for action in moves_of(result, child.line)[:most]]
        texts = lines.texts(line)
        told.append(
            ChildTold(
                action=line[0],
                text=texts[0],
                visits=child.visits,
                share=child.visits / total,
                value=finite(child.value),
                lower=finite(child.lower_bound),
                prior=finite(child.prior),
                proven=finite(child.proven),
                at_least=finite(max(child.lower, facts.min_return)),
                at_most=finite(min(child.upper, facts.max_return)),
                moves_to_end=child.moves_to_end,
                line=line,
                line_text=texts,
            )
        )
    return told


def moves_of(result: SearchResult, line: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the moves of a line; in a search of what a player knows, every other entry is what was seen."""
    return line if result.deals is None else line[::2]


def values_of_players(result: SearchResult, *, mirrored: bool) -> list[float] | None:
    """Return the value for each player, or None if the search does not know it.

    mirrored : one player's gain is the other's loss. Otherwise the value for a player who is not to move is
    the value of that player's first move in the expected line.
    """
    facts = result.facts
    values: dict[int, float] = {}
    best = finite(result.children[0].value)
    if best is None:
        return None
    values[result.player] = best
    if mirrored and facts.num_players == 2:
        values[1 - result.player] = facts.sum_of_two - best
    elif facts.num_players > 1:
        for node in result.live_tree.root.line():
            if node.mover is not None and node.value is not None:
                values.setdefault(node.mover, node.value)
    if len(values) < facts.num_players:
        return None
    return [values[player] for player in range(facts.num_players)]


def finite(value: float | None) -> float | None:
    """Return a finite number as it is, and None for any other."""
    return None if value is None or not math.isfinite(value) else float(value)
