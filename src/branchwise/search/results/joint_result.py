"""The result of a search at a root where all players move at once."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError
from branchwise.common.players import NO_ACTION
from branchwise.core.tree.child_indices import children_of, children_of_one
from branchwise.core.tree.node_fields import ROOT, Tree
from branchwise.game.kinds.simultaneous_moves import choice_text
from branchwise.rules.facts.facts import GameFacts, action_text
from branchwise.search.results.read_once import ReadOnce
from branchwise.search.results.result import Child, SearchResult

if TYPE_CHECKING:
    from branchwise.drawing.table import Table

_MOST_JOINT = 1_000_000
"""Most joint actions that `policy` and `matrix` list."""


Cells = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]
"""The joint actions that were played at a root [M, P], their mean returns [M, P], and visits [M]."""


def cells_of(tree: Tree, facts: GameFacts) -> Cells:
    """Return the joint actions at the root of a tree."""
    nodes, players, choosers = tree.nodes, facts.num_players, tree.choosers
    edges = children_of_one(nodes, ROOT)
    last = edges[choosers[edges] == choosers[edges].max(initial=0)]
    cells = children_of(nodes, nodes[last])[0]
    chain = []
    for _ in range(players):
        chain.append(cells)
        cells = nodes["first"][np.maximum(cells, 0)].astype(np.int64)
    rows = np.array(chain).reshape(players, -1)
    rows = rows[:, (rows > ROOT).all(axis=0)]
    rows = rows[:, nodes["visits"][rows[-1]] > 0]
    visits = nodes["visits"][rows]
    means = facts.no_gain + facts.span * nodes["value"][rows] / np.maximum(visits, 1)
    return nodes["action"][rows].T.astype(np.int64), means.T, visits[0].astype(np.int64)


@dataclass(frozen=True)
class JointResult(SearchResult):
    """Result of a search at a root where all players move at once; `player` is `bw.SIMULTANEOUS`.

    marginals : for each player, the actions with their statistics, best first: with decoupled UCT by visits,
    else by the probability in the mean strategy. Values are mean returns of that player. Empty for a player
    without a choice.
    policies : for each player, the mean strategy: a probability for each action. With decoupled UCT it is the
    share of visits.
    `children` is empty, and a single player's `bw.Child` has no line.

    >>> import branchwise as bw
    >>> from branchwise.games.rock_paper_scissors import RockPaperScissors
    >>> planner = bw.MCTS(joint="regret_matching", seed=1)
    >>> result = planner.search(RockPaperScissors.configured(biased=True)(), simulations=10_000)
    >>> [round(share, 1) for share in result.policies[0].values()]
    [0.1, 0.6, 0.3]
    """

    marginals: tuple[tuple[Child, ...], ...] = ()
    policies: tuple[dict[int, float], ...] = ()
    method: str = "decoupled_uct"
    """How players chose: see `MCTS`, joint."""
    _cells: ReadOnce[Cells] | None = field(default=None, repr=False, compare=False)

    @property
    def best_action(self) -> tuple[int, ...]:
        """The first action of each player; `bw.NO_ACTION` for a player without a choice."""
        return tuple(of_one[0].action if of_one else NO_ACTION for of_one in self.marginals)

    @property
    def values(self) -> tuple[float, ...]:
        """Mean return of each player over all simulations; nan without any."""
        _, means, visits = self._known
        total = visits.sum()
        if not total:
            return (math.nan,) * self.facts.num_players
        mean: list[float] = ((means * visits[:, None]).sum(axis=0) / total).tolist()
        return tuple(mean)

    @property
    def value(self) -> float:
        """Mean return of the first player over all simulations."""
        return self.values[0]

    @property
    def draws_actions(self) -> bool:
        """Whether actions for play are drawn from the mean strategy, see `drawn_action`."""
        return self.method != "decoupled_uct"

    @property
    def principal_variation(self) -> tuple[Any, ...]:
        """The best joint action."""
        return (self.best_action,)

    @property
    def leads_by_visits(self) -> bool:
        """Whether each player's best action has the most visits."""
        return all(
            of_one[0].visits == max(child.visits for child in of_one) for of_one in self.marginals if of_one
        )

    @property
    def _known(self) -> Cells:
        assert self._cells is not None
        return self._cells.value

    def policy(self, temperature: float = 1.0) -> dict[Any, float]:
        """Return a probability for each joint action: players choose independently, by `policies`.

        temperature : from 0; a player's probabilities are raised to the power of 1 / temperature; 0 gives
        each player's likeliest action probability 1. Raises `SettingsError` for more than a million joint
        actions.
        """
        if not 0 <= temperature < math.inf:
            raise SettingsError(f"temperature = {temperature} is outside its range", mend="at least 0")
        if math.prod(max(len(policy), 1) for policy in self.policies) > _MOST_JOINT:
            raise SettingsError(
                f"{self.facts.name} has more than {_MOST_JOINT:,} joint actions here",
                mend="policies has a probability for each action of each player",
            )
        shares = [_sharpened(policy, temperature) or {NO_ACTION: 1.0} for policy in self.policies]
        found: dict[Any, float] = {}
        for joint in itertools.product(*(share.items() for share in shares)):
            found[tuple(action for action, _ in joint)] = math.prod(share for _, share in joint)
        return found

    def drawn_action(self, player: int, source: random.Random) -> int:
        """Return an action of one player for play: drawn from the mean strategy, or the best by decoupled
        UCT.

        Raises `SettingsError` for a player without a choice.
        """
        whole_number("player", player, 0, self.facts.num_players - 1)
        if not self.policies[player]:
            raise SettingsError(f"player {player} has no choice here, so there is no action to draw")
        if not self.draws_actions:
            return int(self.marginals[player][0].action)
        policy = self.policies[player]
        return int(source.choices(list(policy), weights=list(policy.values()))[0])

    def matrix(self, player: int = 0) -> NDArray[np.float64]:
        """Return the mean returns of `player` for each pair of actions of two players, float64 [rows,
        columns].

        Rows are the actions of player 0, columns those of player 1, in the order of their numbers: the keys
        of `policies`. Pairs that were never played are nan. `bw.solve_matrix_game` solves a matrix. Raises
        `SettingsError` for more or fewer than two players with a choice.
        """
        whole_number("player", player, 0, self.facts.num_players - 1)
        if self.facts.num_players != 2 or not all(self.policies):
            raise SettingsError(
                f"a matrix is for two players who both have a choice, and in this {self.facts.name} state "
                "that is not so"
            )
        rows, columns = (list(policy) for policy in self.policies)
        if len(rows) * len(columns) > _MOST_JOINT:
            raise SettingsError(f"{self.facts.name} has more than {_MOST_JOINT:,} joint actions here")
        found = np.full((len(rows), len(columns)), np.nan)
        actions, means, _ = self._known
        places = np.searchsorted(rows, actions[:, 0]), np.searchsorted(columns, actions[:, 1])
        found[places] = means[:, player]
        return found

    def action_text(self, action: Any) -> str:
        """Return a joint action, or the action of the first player who has it, in the game's notation."""
        if isinstance(action, tuple):
            return action_text(self.state, action)
        player = next((player for player, policy in enumerate(self.policies) if action in policy), 0)
        return choice_text(self.state, player, action)

    def line_text(self, line: tuple[Any, ...], most: int | None = None) -> str:
        """Return a line of play from the root: of one joint action, or of one player's action."""
        return " ".join(map(self.action_text, line[:most]))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values that JSON can hold."""
        return {
            "game": self.facts.name,
            "player": self.player,
            "best_action": list(self.best_action),
            "best_move": self.action_text(self.best_action),
            "values": list(self.values),
            "joint": self.method,
            **self._spent(),
            "players": [
                [
                    {
                        "action": child.action,
                        "move": choice_text(self.state, player, child.action),
                        "probability": policy[child.action],
                        "visits": child.visits,
                        "value": child.value,
                    }
                    for child in of_one
                ]
                for player, (of_one, policy) in enumerate(zip(self.marginals, self.policies, strict=True))
            ],
        }

    @cached_property
    def title(self) -> str:
        """One line: the game, the method, the budget spent."""
        speed = f", {self.simulations_per_second / 1000:,.0f} k/s" if self.seconds > 0 else ""
        full = ", memory full" if self.memory_full else ""
        return (
            f"{self.facts.name}: all players move, {self.method.replace('_', ' ')}, "
            f"{self.simulations:,} simulations in {self.seconds:.2f} s{speed}{full}"
        )

    def to_table(self, rows: int = 12) -> Table:
        """Return the actions of each player as a rich table, at most `rows` rows a player."""
        from branchwise.drawing.table import Table

        table = Table()
        for name in ("player", "action", "probability", "visits", "value"):
            table.add_column(name, justify="left" if name == "action" else "right")
        for player, of_one in enumerate(self.marginals):
            for number, child in enumerate(of_one[:rows]):
                table.add_row(
                    str(player),
                    choice_text(self.state, player, child.action),
                    f"{self.policies[player][child.action]:.1%}",
                    f"{child.visits:,}",
                    "" if child.value is None else f"{child.value:+.3f}",
                    style="bold" if number == 0 else "",
                )
            if len(of_one) > rows:
                table.add_row(str(player), f"+{len(of_one) - rows} more", style="dim")
        return table


def _sharpened(policy: dict[int, float], temperature: float) -> dict[int, float]:
    """Return probabilities to the power of 1 / temperature, as probabilities."""
    if not policy:
        return {}
    most = max(policy.values())
    if temperature == 0:
        best = max(policy, key=lambda action: policy[action])
        return {action: float(action == best) for action in policy}
    weights = {action: (share / most) ** (1 / temperature) for action, share in policy.items()}
    total = math.fsum(weights.values())
    return {action: weight / total for action, weight in weights.items()}
