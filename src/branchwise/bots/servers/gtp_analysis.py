"""A search's findings as Leela Zero and KataGo write them, for windows that show what a program thinks.

Formats: https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from branchwise.common.errors import SettingsError
from branchwise.engines.gtp.board import Board
from branchwise.engines.gtp.language import read_colour
from branchwise.game.rules_class import Game
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.search.results.result import Child, SearchResult
from branchwise.search.settings.settings import MAX_DEPTH

DEFAULT_INTERVAL = 0.5
_LEAST_INTERVAL = 0.05
_IGNORED = (
    "minmoves",
    "ownership",
    "ownershipStdev",
    "movesOwnership",
    "pvVisits",
    "pvEdgeVisits",
    "rootInfo",
)
"""Settings that ask for more than a search knows; programs that send them do without."""


class Restriction(NamedTuple):
    """Moves that a player is not to consider, or the only ones to consider.

    allows : whether all other moves are left out.   depth : moves from the root within which it holds.
    """

    allows: bool
    player: int
    points: tuple[str, ...]
    depth: int


@dataclass(frozen=True)
class Request:
    """The arguments of `lz-analyze` and its relatives.

    player : None for the player to move.   interval : seconds between two reports.   most : number of
    moves shown, None for all that were visited.   restrictions : by `avoid` and `allow`.

    >>> Request.read(["b", "50", "maxmoves", "3"])
    Request(player=0, interval=0.5, most=3, restrictions=())
    """

    player: int | None = None
    interval: float = DEFAULT_INTERVAL
    most: int | None = None
    restrictions: tuple[Restriction, ...] = ()

    @classmethod
    def read(cls, words: Sequence[str]) -> Request:
        rest = list(words)
        player, interval, most = None, DEFAULT_INTERVAL, None
        restrictions: list[Restriction] = []
        if rest and rest[0].lower() in ("b", "w", "black", "white"):
            player = read_colour(rest.pop(0))
        if rest and rest[0].isdecimal():
            interval = _centiseconds(rest.pop(0))
        while rest:
            name = rest.pop(0)
            if name in ("avoid", "allow"):
                restrictions.append(_restriction(name, rest[:3]))
                del rest[:3]
                continue
            value = rest.pop(0) if rest else ""
            if name == "interval":
                interval = _centiseconds(value)
            elif name == "maxmoves" and value.isdecimal():
                most = int(value)
            elif name not in _IGNORED or not value:
                raise SettingsError(f'"{name} {value}" is not understood', mend="interval N, maxmoves N")
        if len(restrictions) > 1 and any(one.allows for one in restrictions):
            raise SettingsError("allow stands alone: neither a second allow nor avoid may come with it")
        return cls(player, interval, most, tuple(restrictions))

    def avoided(self, board: Board, state: Game) -> tuple[tuple[int, int, int], ...]:
        """Return what is not to be considered in `state` and after it, as `Limit.avoid` has it."""
        found = {}
        for one in self.restrictions:
            named = {board.action_anywhere(state, point) for point in one.points}
            left_out = set(range(state.num_actions)) - named if one.allows else named
            found.update(dict.fromkeys(((one.player, action) for action in left_out), one.depth))
        return tuple((player, action, depth) for (player, action), depth in found.items())


UNRESTRICTED = Request()


def _restriction(name: str, words: Sequence[str]) -> Restriction:
    """Read a colour, points with commas between them, and a depth."""
    if len(words) < 3 or not words[2].isdecimal() or int(words[2][:9]) < 1:
        raise SettingsError(
            f"{name} must be followed by a colour, points and a depth", mend=f"{name} b D4,Q16 1"
        )
    depth = min(int(words[2][:9]), MAX_DEPTH)
    return Restriction(name == "allow", read_colour(words[0]), tuple(words[1].split(",")), depth)


def _centiseconds(text: str) -> float:
    if not text.isdecimal():
        raise SettingsError(f'"{text}" is no number of hundredths of a second')
    return max(int(text[:9]) / 100, _LEAST_INTERVAL)


def lz_line(result: SearchResult, board: Board, most: int | None = None) -> str:
    """Return the moves that were visited, best first, in the format of Leela Zero.

    Values and their lower bounds are from 0 to 10,000, for the player to move.
    """
    return " ".join(
        f"info move {pv[0]} visits {child.visits} winrate {round(10_000 * value)}"
        f"{'' if child.prior is None else f' prior {round(10_000 * child.prior)}'}"
        f" lcb {round(10_000 * low)} order {order} pv {' '.join(pv)}"
        for order, (child, value, low, pv) in enumerate(_moves(result, board, most))
    )


def kata_line(result: SearchResult, board: Board, most: int | None = None) -> str:
    """Return the same in the format of KataGo: values from 0 to 1, and utilities from -1 to 1.

    A search knows no scores, so there are none.
    """
    return " ".join(
        f"info move {pv[0]} visits {child.visits} utility {2 * value - 1:.6g} winrate {value:.6g}"
        f"{'' if child.prior is None else f' prior {child.prior:.6g}'}"
        f" lcb {low:.6g} utilityLcb {2 * low - 1:.6g} order {order} pv {' '.join(pv)}"
        for order, (child, value, low, pv) in enumerate(_moves(result, board, most))
    )


def _moves(
    result: SearchResult, board: Board, most: int | None
) -> list[tuple[Child, float, float, tuple[str, ...]]]:
    """Return visited children with their value and its lower bound from 0 to 1, and their line as points."""
    facts = result.facts

    def share(value: float) -> float:
        return min(max((value - facts.no_gain) / facts.span, 0.0), 1.0)

    found = []
    for child in result.children[:most]:
        if not child.visits or child.value is None:
            continue
        low = child.value if child.lower_bound is None else child.lower_bound
        played = Playthrough(result.state, child.line)
        pv = tuple(board.point(before, action) for before, action in played.positions())
        found.append((child, share(child.value), share(low), pv))
    return found
