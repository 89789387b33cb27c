"""RAVE against UCT and GRAVE against RAVE, in the games and with the formulas of Cazenave.

    python benchmarks/rave.py --json rave.json
    python benchmarks/rave.py --on domineering --playouts 10000 --games 200 --json rave.json
    python benchmarks/rave.py --pairs ours_rave:ours_uct ours_grave:grave --json rave.json
    python benchmarks/rave.py --totals --json rave.json

Published: Cazenave, "Generalized Rapid Action Value Estimation", IJCAI 2015, with 500 games a match; scores
and formulas are also in the slides of his lectures. Both players have the same number of playouts a move, so
other work on the machine does not matter. They begin with the empty board, prove nothing, and search anew for
every move.

`uct`, `rave` and `grave` are `published_grave.py`, a compact search as published. `ours_uct`, `ours_rave` and
`ours_grave` are Branchwise's, with the same weights.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import published_grave
from branchwise.games.go import Go
from branchwise.games.stones import USEFUL
from kept_matches import Row, Rows, play, total, verdict

HERE = Path(__file__).resolve()
GAMES_OF_A_MATCH = 50
PUBLISHED = Path(published_grave.__file__).resolve()


class PlainGo(Go):
    """Go whose playouts are random, except that players do not fill their own eyes."""

    name = "plain_go"

    def playout_action(self, random):
        return self.draw_point(USEFUL, random)


class Game(NamedTuple):
    """A game, and the published scores of RAVE against UCT and of GRAVE against RAVE in per cent."""

    text: str
    scores: dict[str, float]
    playout: str = "uniform"


GAMES = {
    "atari_go": Game("atari_go(size=8)", {"rave:uct": 94.2, "grave:rave": 88.4}),
    "domineering": Game("domineering", {"rave:uct": 72.6, "grave:rave": 62.4}),
    "go": Game(f"{HERE}:PlainGo", {"rave:uct": 73.2, "grave:rave": 54.4}, playout="game"),
    "knightthrough": Game("breakthrough(knightthrough=True)", {"rave:uct": 56.2, "grave:rave": 67.2}),
}
PAIRS = ("rave:uct", "grave:rave")


def player(name: str, game: Game, options: argparse.Namespace) -> str:
    """Return a player as text."""
    whose, _, rule = name.rpartition("_")
    playout = f"playout={game.playout}"
    if whose != "ours":
        given = f"c={options.c},bias={options.bias},reference={options.reference}"
        return f"{PUBLISHED}:PublishedSearch(rule={rule},playouts={options.playouts},{given},{playout})"
    bias = f"bias={math.sqrt(options.bias / 4):.3g}"
    selection = {
        "uct": f"selection=ucb1,c={options.c}",
        "rave": f"selection='rave({bias})',c=0.0",
        "grave": f"selection='grave({bias},reference_visits={options.reference})',c=0.0",
    }[rule]
    plain = "proofs=False,repeat=1,reuse=False"
    return f"mcts({selection},simulations={options.playouts},{playout},{plain})"


def contest(name: str, pair: str, options: argparse.Namespace) -> Row:
    """Return the values that a match depends on."""
    found: Row = {"game": name, "pair": pair, "playouts": options.playouts}
    if "uct" in pair:
        found["c"] = options.c
    found["bias"] = options.bias
    if "grave" in pair:
        found["reference"] = options.reference
    return found


def show(of: Row, rows: Rows) -> None:
    """Print the total of a contest beside the published score."""
    published = GAMES[of["game"]].scores.get(of["pair"])
    more = "".join(f", {name}={of[name]:g}" for name in ("c", "bias", "reference") if name in of)
    print(
        f"{of['game']:<13} {of['pair']:<21} {of['playouts']:>6,} playouts{more}: "
        f"{verdict(total(rows.of(of)))}" + (f"; published {published} %" if published else ""),
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--on", nargs="+", default=list(GAMES), choices=list(GAMES), metavar="GAME")
    parser.add_argument("--pairs", nargs="+", default=PAIRS, help=f"of players ({' '.join(PAIRS)})")
    parser.add_argument("--playouts", type=int, default=1000, help="a move (1000)")
    parser.add_argument("--games", type=int, default=500, help="of each match (500)")
    parser.add_argument("--c", type=float, default=0.4, help="weight of exploration of UCT (0.4)")
    parser.add_argument("--bias", type=float, default=1e-5, help="of RAVE and GRAVE (1e-5)")
    parser.add_argument("--reference", type=int, default=50, help="visits of GRAVE's node for AMAF (50)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the results to FILE")
    parser.add_argument("--totals", action="store_true", help="only print the totals of FILE")
    options = parser.parse_args(arguments)
    rows = Rows(options.json)
    if options.totals:
        for of in rows.contests():
            show(of, rows)
        return
    unfinished = [(contest(name, pair, options), name) for name in options.on for pair in options.pairs]
    while unfinished:
        unfinished = [(of, name) for of, name in unfinished if rows.left(of, options.games)]
        for of, name in unfinished:
            both = [player(rule, GAMES[name], options) for rule in of["pair"].split(":")]
            games = min(GAMES_OF_A_MATCH, rows.left(of, options.games))
            seed = rows.next_seed(of)
            row = play(GAMES[name].text, both, games=games, seed=seed, openings_depth=0, proofs=False)
            rows.add({**of, **row})
            show(of, rows)


if __name__ == "__main__":
    main()
