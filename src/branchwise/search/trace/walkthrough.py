"""A walk-through: some simulations of a search, phase by phase, as text, pictures or a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from branchwise.pictures.simulation_report import Simulation
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.tree.view import SearchTree

if TYPE_CHECKING:
    from branchwise.pictures.walkthrough.walkthrough import Lecture
    from branchwise.search.session.search_session import Session
    from branchwise.search.trace.stepping import Seen, Stepper
from branchwise.search.trace.walkthrough_drawing import draw_walkthrough


@dataclass(frozen=True)
class Walkthrough:
    """Some simulations of one search, explained phase by phase, as `MCTS.walkthrough` returns them.

    state : the root's.   simulations : in order; their `to_dict` has all that is shown. selection, c : the
    selection rule and its weight of exploration, for returns scaled to 0 to 1. playout : the playout policy.
    proofs : whether proven values are passed up. seed : reproduces the simulations.   tree : the search's,
    after the last of them. seen : the states of each simulation, for pictures.   is_open : whether nodes
    stand for decisions only. is_drawn : whether each state that a move led to has a node; see
    `core.descents.drawn_outcomes`.   is_dealt : whether each simulation begins in a state of its own, and
    nodes are what a player knows. stretches : whether scores are scaled by the returns seen.

    Pictures show the nodes on the paths and their siblings; other parts of the tree are left out.

    >>> import branchwise as bw
    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> state = TicTacToe.from_actions(["b2", "a1", "c3", "a3"])
    >>> walk = bw.MCTS(seed=1).walkthrough(state, simulations=2)
    >>> print(walk.to_text().splitlines()[0])
    tic_tac_toe: Monte Carlo Tree Search, step by step
    >>> len(walk.to_svg()), "</html>" in walk.to_html()
    (8, True)
    """

    state: Any
    simulations: tuple[Simulation, ...]
    selection: str
    c: float
    playout: str
    proofs: bool
    seed: int
    tree: SearchTree = field(repr=False)
    facts: GameFacts = field(repr=False)
    seen: tuple[Seen, ...] = field(repr=False)
    is_open: bool = False
    is_drawn: bool = False
    is_dealt: bool = False
    stretches: bool = False

    @classmethod
    def of(cls, session: Session, stepper: Stepper, simulations: int) -> Walkthrough:
        """Run simulations of a session, fewer if the root is solved, and return the walk-through."""
        composition, seed = session.composition, session.seed
        found: list[Simulation] = []
        seen: list[Seen] = []
        while len(found) < simulations and (step := stepper.step()) is not None:
            found.append(step)
            seen.append(stepper.seen(len(step.selection.choices)))
        policy = composition.policy
        playout = [policy.urgent, "" if policy.urgent and policy.policy == "uniform" else policy.policy]
        return cls(
            state=session.state,
            simulations=tuple(found),
            selection=composition.rule.name,
            c=composition.rule.c,
            playout="+".join(word for word in playout if word),
            proofs=composition.proofs,
            seed=seed,
            tree=SearchTree(stepper.search.tree, session.state, session.facts, seed, found[-1].number),
            facts=session.facts,
            seen=tuple(seen),
            is_open=composition.is_open,
            is_drawn=composition.is_drawn,
            is_dealt=session.source is not None,
            stretches=composition.stretches,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        facts = self.facts
        return {
            "game": facts.name,
            "num_players": facts.num_players,
            "returns": [facts.min_return, facts.max_return] if facts.is_bounded else [None, None],
            "pays": facts.pays,
            "discount": facts.discount,
            "horizon": facts.horizon or None,
            "open_loop": self.is_open,
            "drawn_outcomes": self.is_drawn and not self.is_dealt,
            "dealt": self.is_dealt,
            "player": self.tree.root.player,
            "board": str(self.state),
            "selection": self.selection,
            "c": self.c,
            "playout": self.playout,
            "proofs": self.proofs,
            "seed": self.seed,
            "simulations": [simulation.to_dict() for simulation in self.simulations],
        }

    def to_text(self, *, width: int = 100, plain: bool = False) -> str:
        """Return the phases as text, one below another.

        width : columns, from 60.   plain : in ASCII, except for names of the game and its moves.
        """
        from branchwise.pictures.walkthrough.text import walkthrough_text

        return walkthrough_text(self.lecture, width, plain=plain)

    def to_svg(self) -> list[str]:
        """Return a picture of each phase, four a simulation, as SVG text.

        Raises `SettingsError` for more than 64 simulations.
        """
        from branchwise.pictures.walkthrough.svg import walkthrough_svgs

        return walkthrough_svgs(self.lecture)

    def to_html(self) -> str:
        """Return a self-contained page that shows the phases one after another.

        Raises `SettingsError` for more than 64 simulations.
        """
        from branchwise.pictures.walkthrough.html import walkthrough_page

        return walkthrough_page(self.lecture)

    @cached_property
    def lecture(self) -> Lecture:
        """Return the data for text, SVG and HTML; see `branchwise.pictures.walkthrough.walkthrough`."""
        return draw_walkthrough(self)

    def _repr_html_(self) -> str:
        from html import escape

        page = escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:760px;border:0"></iframe>'

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        first = self.simulations[0].number
        last = self.simulations[-1].number
        return f"<branchwise.Walkthrough {self.facts.name}: simulations {first} to {last}>"
