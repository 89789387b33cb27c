"""The figures that come with Branchwise, from an article on MCTS for Connect Four and from a lecture.

The settings are those of the article: UCB1 with weight 0.5, uniform random games, the most visited move, no
proofs, and a new tree for every move; flat Monte Carlo gives each move the same number of games.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Unpack

from branchwise.arena.match_conditions import PlayOptions
from branchwise.arena.tuning.sweep import Sweep, SweepResult
from branchwise.common.errors import nearest_name
from branchwise.figures.exploration import exploration
from branchwise.figures.style import Drawing
from branchwise.figures.sweeps import drawing_of, kind_for

PLAIN = "c=0.5,playout=uniform,proofs=False,reuse=False"
TREE = f"mcts(simulations={{x}},{PLAIN})"


@dataclass(frozen=True)
class MeasuredFigure:
    """A figure of the results of a sweep.

    about : description in one line.   game, bot, against, vary, games : arguments of its `Sweep`.   kind :
    one of `sweeps.KINDS`.   names : names of the bots in title and legend.   labels : labels of the axes.
    """

    about: str
    game: str
    bot: str
    against: str
    vary: tuple[str, ...]
    games: int
    kind: str
    names: tuple[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)

    def sweep(
        self,
        *,
        game: str | None = None,
        vary: tuple[str, ...] = (),
        games: int | None = None,
        **options: Unpack[PlayOptions],
    ) -> Sweep:
        """Return the sweep to play; game, vary and games replace the figure's own, if given."""
        sweep = Sweep(
            game or self.game,
            self.bot,
            vary=vary or self.vary,
            against=self.against,
            games=self.games if games is None else games,
            **options,
        )
        kind_for(sweep.axes, self.kind)
        return sweep

    def drawing(self, result: SweepResult) -> Drawing:
        """Return the figure of the results."""
        bot, against = self.names
        title = f"{result.game}: {bot} against {against}, {result.games:,} games each"
        return drawing_of(result, self.kind, title=title, labels=dict(self.labels), bot=bot, against=against)


@dataclass(frozen=True)
class ComputedFigure:
    """A figure of a formula; about : description in one line."""

    about: str
    visits: int

    def drawing(self) -> Drawing:
        """Return the figure."""
        return exploration(self.visits)


FIGURES: dict[str, MeasuredFigure | ComputedFigure] = {
    "mcts-against-random": MeasuredFigure(
        "MCTS with growing budgets against random moves",
        game="connect_four",
        bot=TREE,
        against="random",
        vary=("x=4,8,16,32,64,128,256,512",),
        games=100,
        kind="stacks",
        names=("MCTS-x", "random"),
        labels={"x": "x, simulations a move"},
    ),
    "mcts-against-mcts-512": MeasuredFigure(
        "MCTS with growing budgets against MCTS with 512 simulations per move",
        game="connect_four",
        bot=TREE,
        against=TREE.replace("{x}", "512"),
        vary=("x=16,32,64,128,256,512,1024,2048,4096",),
        games=100,
        kind="stacks",
        names=("MCTS-x", "MCTS-512"),
        labels={"x": "x, simulations a move"},
    ),
    "flat-against-mcts": MeasuredFigure(
        "flat Monte Carlo against MCTS, both with the same growing time",
        game="connect_four",
        bot="flat(seconds={x},allocation=uniform)",
        against=f"mcts(seconds={{x}},{PLAIN})",
        vary=("x=0.001,0.002,0.004,0.008,0.016",),
        games=100,
        kind="stacks",
        names=("flat-x", "MCTS-x"),
        labels={"x": "x, seconds a move of either"},
    ),
    "exploration-10": ComputedFigure("the exploration term of UCB1, for 1 to 10 visits", 10),
    "exploration-100": ComputedFigure("the exploration term of UCB1, for 1 to 100 visits", 100),
    "iterations-and-c": MeasuredFigure(
        "MCTS with growing budgets and weights of exploration against MCTS with 512 simulations per move",
        game="connect_four",
        bot=f"mcts(c={{c}},simulations={{n}},{PLAIN.partition(',')[2]})",
        against=TREE.replace("{x}", "512"),
        vary=("c=0.25:2:8", "n=100,1000,10000"),
        games=40,
        kind="map",
        names=("MCTS", "MCTS-512"),
        labels={"c": "c, weight of exploration", "n": "n, simulations a move"},
    ),
}


def find_figure(name: str) -> MeasuredFigure | ComputedFigure:
    """Return a figure by its name; raises `UnknownNameError`, with the nearest name, for an unknown one.

    >>> find_figure("exploration-10").about
    'the exploration term of UCB1, for 1 to 10 visits'
    """
    if name not in FIGURES:
        raise nearest_name("figure", name, FIGURES)
    return FIGURES[name]
