"""The findings of a search, as messages."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

from branchwise.web.protocol.action_codes import Sent, sent
from branchwise.web.protocol.messages import Analysis, ChildTold, ChoiceTold, Matrix, finite
from branchwise.web.search.line_messages import Lines

if TYPE_CHECKING:
    from branchwise.search.results.joint_result import JointResult
    from branchwise.search.results.result import SearchResult

LONGEST_LINE = 16
"""Number of moves sent of a line."""
_MOST_LINES = 24
"""Number of children sent with their lines; others are sent with their moves only."""
_MOST_CHILDREN = 500
_MOST_PAIRS = 225
"""Most pairs of actions of two players that are sent as a matrix."""
NOTHING = "no deal"
"""The end of a search that found no state, and so has no tree."""


def analysis_told(
    result: SearchResult,
    lines: Lines,
    *,
    ply: int,
    who: str,
    values: list[float] | None,
    seconds_before: float,
) -> Analysis:
    """Return the message about a search.

    lines : lines from its root.   values : see `values_of_players`.   seconds_before : time of earlier
    searches of the same position.
    """
    rate = result.simulations_per_second
    joint = joint_result(result)
    return Analysis(
        ply=ply,
        who=who,
        player=result.player,
        simulations=_simulations(result),
        seconds=seconds_before + result.seconds,
        rate=rate if math.isfinite(rate) else 0.0,
        depth=len(result.moves_of(result.principal_variation)),
        nodes=0 if result.ended_by == NOTHING else result.nodes,
        memory_bytes=0 if result.ended_by == NOTHING else result.live_tree.num_bytes,
        memory_full=result.memory_full,
        ended_by=result.ended_by,
        value=None if joint is not None else finite(result.children[0].value),
        values=values,
        children=children_told(result, lines),
        judged=_judged(result),
        strategies=strategies_told(joint, lines),
        matrix=matrix_told(joint, lines),
    )


def _judged(result: SearchResult) -> float | None:
    """Return the value that a network gave the root, for the player to move; None without a network."""
    search = None if result.ended_by == NOTHING else result.live_tree.search
    if search is None or search.composition.network is None:
        return None
    value, _ = search.composition.network.evaluate(result.state)
    low, high = result.facts.min_return, result.facts.max_return
    return finite((low + high + (high - low) * value) / 2.0)


def joint_result(result: SearchResult) -> JointResult | None:
    """Return the result of a search where all players move at once; None for any other."""
    from branchwise.search.results.joint_result import JointResult  # loads Numba, as the search has

    return result if isinstance(result, JointResult) else None


def hint_from(result: SearchResult, player: int, source: random.Random) -> tuple[Sent, float | None]:
    """Return an action for `player`, and its value; of a mean strategy the action is drawn."""
    joint = joint_result(result)
    if joint is None:
        return sent(result.best_action), result.children[0].value
    action = joint.drawn_action(player, source)
    values = {child.action: child.value for child in joint.marginals[player]}
    return action, finite(values[action])


def _simulations(result: SearchResult) -> int:
    """Return the simulations that the figures beside are of; the root's own visits keep growing."""
    joint = joint_result(result)
    if joint is None:
        return sum(child.visits for child in result.children)
    return max(sum(child.visits for child in of_one) for of_one in joint.marginals)


def strategies_told(result: JointResult | None, lines: Lines) -> list[list[ChoiceTold]]:
    """Return the actions of each player, the most probable first; nothing for any other search."""
    if result is None:
        return []
    return [
        [
            ChoiceTold(
                action=child.action,
                text=lines.text((), child.action),
                probability=policy[child.action],
                visits=child.visits,
                value=finite(child.value),
            )
            for child in of_one[:_MOST_CHILDREN]
        ]
        for of_one, policy in zip(result.marginals, result.policies, strict=True)
    ]


def matrix_told(result: JointResult | None, lines: Lines) -> Matrix | None:
    """Return what pairs of actions bring the first player; None unless two players choose from few."""
    if result is None or result.facts.num_players != 2 or not all(result.policies):
        return None
    rows, columns = ([lines.text((), action) for action in policy] for policy in result.policies)
    if len(rows) * len(columns) > _MOST_PAIRS:
        return None
    values = [[finite(value) for value in row] for row in result.matrix().tolist()]
    return Matrix(rows=rows, columns=columns, values=values)


def children_told(result: SearchResult, lines: Lines) -> list[ChildTold]:
    """Return the actions at the root, best first."""
    total = max(sum(child.visits for child in result.children), 1)
    facts = result.facts
    told = []
    for index, child in enumerate(result.children[:_MOST_CHILDREN]):
        most = LONGEST_LINE if index < _MOST_LINES else 1
        line = [sent(action) for action in result.moves_of(child.line)[:most]]
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


def values_of_players(result: SearchResult, *, mirrored: bool) -> list[float] | None:
    """Return the value for each player, or None if the search does not know it.

    mirrored : one player's gain is the other's loss. Otherwise the value for a player who is not to move is
    the value of that player's first move in the expected line.
    """
    joint = joint_result(result)
    if joint is not None:
        known = [finite(value) for value in joint.values]
        return None if None in known else [value for value in known if value is not None]
    facts = result.facts
    values: dict[int, float] = {}
    best = finite(result.children[0].value)
    if best is None:
        return None
    values[result.player] = best
    if mirrored and facts.num_players == 2:
        values[1 - result.player] = facts.sum_of_two - best
    elif facts.num_players > 1 and not facts.joint:
        for node in result.live_tree.root.line():
            if node.mover is not None and node.value is not None:
                values.setdefault(node.mover, node.value)
    if len(values) < facts.num_players:
        return None
    return [values[player] for player in range(facts.num_players)]
