"""A search's findings as Leela Zero and KataGo write them, for windows that show what a program thinks.

Formats: https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from branchwise.engines.gtp.board import Board
from branchwise.engines.gtp.language import read_colour
from branchwise.errors import SettingsError
from branchwise.rules.playthrough import Playthrough
from branchwise.search.result import Child, SearchResult

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


@dataclass(frozen=True)
class Request:
    """The arguments of `lz-analyze` and its relatives.

    player : None for the player to move.   interval : seconds between two reports.   most : number of
    moves shown, None for all that were visited.

    >>> Request.read(["b", "50", "maxmoves", "3"])
    Request(player=0, interval=0.5, most=3)
    """

    player: int | None = None
    interval: float = DEFAULT_INTERVAL
    most: int | None = None

    @classmethod
    def read(cls, words: Sequence[str]) -> Request:
        rest = list(words)
        player, interval, most = None, DEFAULT_INTERVAL, None
        if rest and rest[0].lower() in ("b", "w", "black", "white"):
            player = read_colour(rest.pop(0))
        if rest and rest[0].isdecimal():
            interval = _centiseconds(rest.pop(0))
        while rest:
            name = rest.pop(0)
            if name in ("avoid", "allow"):
                raise SettingsError(f"the search cannot be kept from moves, so {name} is not possible")
            value = rest.pop(0) if rest else ""
            if name == "interval":
                interval = _centiseconds(value)
            elif name == "maxmoves" and value.isdecimal():
                most = int(value)
            elif name not in _IGNORED or not value:
                raise SettingsError(f'"{name} {value}" is not understood', mend="interval N, maxmoves N")
        return cls(player, interval, most)


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
