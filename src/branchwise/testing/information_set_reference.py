"""Outcome sampling and multiple-observer MCTS in plain Python: to read, and to check the compiled ones.

With the same game, settings and seed, `OOS` and `MOISMCTS` must come to the same numbers, to the last bit.
Here information sets are found by the information states themselves, not by hashes, and a simulation is a
recursion.

Both play games from a start and keep numbers for each information set on the way, which belongs to the
player who chooses there. Where a game leaves the table, one information set is added, and the game ends at
random.

Sources: Lisy, Lanctot, Bowling, "Online Monte Carlo counterfactual regret minimization for search in
imperfect information games", 2015; Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search",
2012.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from branchwise.common.players import CHANCE
from branchwise.game.kinds.random_numbers import Draws
from branchwise.game.rules_class import Game
from branchwise.rules.facts.dice import possible_outcomes
from branchwise.rules.facts.facts import apply_legal, copied
from branchwise.rules.knowledge.information import (
    InformationState,
    Watcher,
    first_information,
    next_information,
)
from branchwise.testing.ismcts_reference import play_out
from branchwise.testing.reference import Streams

CHOICE_STREAM, CHANCE_STREAM = 2, 3


@dataclass
class Position:
    """A state with what each player knows there."""

    state: Game
    known: list[InformationState]

    @classmethod
    def start(cls, game: type[Game]) -> Position:
        """Return the start of a game."""
        state = game()
        return cls(state, [first_information(state, player) for player in range(game.num_players)])

    def moves(self) -> list[tuple[int, float]]:
        """Return the legal actions, or the outcomes of chance, with the probabilities of outcomes."""
        if self.state.current_player() == CHANCE:
            return [(int(outcome), float(chance)) for outcome, chance in possible_outcomes(self.state)]
        return [(int(action), 1.0) for action in self.state.legal_actions()]

    def after(self, action: int) -> Position:
        """Return the position after a move."""
        game, mover = type(self.state), int(self.state.current_player())
        after = copied(self.state)
        apply_legal(after, action)
        known = []
        for old in self.known:
            watcher = Watcher(game, old.player)
            seen = watcher.seen(self.state, action, mover)
            known.append(
                next_information(old, watcher.event(old.observation, after, action, mover, seen), after)
            )
        return Position(after, known)


Route = list[tuple[int, float]]
"""Moves by their places among the legal ones, each with its probability."""


def routes_to(known: InformationState, position: Position) -> Iterator[Route]:
    """Yield each continuation of a game after which a player knows what `known` says.

    Moves of others are taken as given: one is uniform among those after which the player sees what was seen.
    """
    player, mover = known.player, position.state.current_player()
    if position.known[player] == known:
        yield []
    elif not position.state.is_terminal():
        following = [
            (place, position.after(action), share) for place, (action, share) in enumerate(position.moves())
        ]
        fitting = [step for step in following if may_lead_to(known, step[1].known[player])]
        for place, after, share in fitting:
            for route in routes_to(known, after):
                yield [(place, share if mover in (CHANCE, player) else 1.0 / len(fitting)), *route]


def may_lead_to(known: InformationState, earlier: InformationState) -> bool:
    """Whether what a player knew is the beginning of what the player knows."""
    return earlier.start == known.start and earlier.events == known.events[: len(earlier.events)]


@dataclass
class Numbers:
    """The numbers of the actions of one information set in outcome sampling."""

    regrets: list[float]
    strategies: list[float]
    baselines: list[float]

    def strategy(self) -> list[float]:
        """Return the strategy by regret matching: in proportion to regrets above 0."""
        positive = [max(regret, 0.0) for regret in self.regrets]
        total = 0.0
        for regret in positive:
            total += regret
        return [regret / total if total > 0.0 else 1.0 / len(positive) for regret in positive]


@dataclass
class ReferenceOOS:
    """Outcome sampling for a zero-sum game of two players; settings as in `OOS`.

    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> search = ReferenceOOS(KuhnPoker, seed=1)
    >>> search.run(300)
    >>> len(search.table)
    12
    """

    game: type[Game]
    exploration: float = 0.6
    targeting: float = 0.9
    baseline_step: float = 0.1
    seed: int = 0
    table: dict[InformationState, Numbers] = field(default_factory=dict)
    simulations: int = 0

    def __post_init__(self) -> None:
        self._random = Streams(self.seed, 4)

    def run(self, simulations: int, known: InformationState | None = None) -> None:
        """Run simulations, of which a share follow histories that look as `known` does."""
        start = Position.start(self.game)
        routes = [] if known is None else [[place for place, _ in route] for route in routes_to(known, start)]
        choices = self._random.draws_of(CHOICE_STREAM)
        for _ in range(simulations):
            self._updated = self.simulations % 2
            self._share = self.targeting if any(routes) else 0.0
            self._targeted = bool(self._share) and choices.uniform() < self._share
            self._simulate(start, routes if self._share else [], 1.0, 1.0, 1.0)
            self.simulations += 1

    def _simulate(
        self, here: Position, routes: list[list[int]], aimed: float, plain: float, others: float
    ) -> float:
        """Return a sample of the updated player's value at a position.

        routes : how to go on to what is targeted.   aimed, plain : probabilities with which a targeted
        simulation and another one come here.   others : the probability that chance and the other player
        come here.
        """
        state, updated = here.state, self._updated
        if state.is_terminal():
            return float(state.returns()[updated])
        player = int(state.current_player())
        moves = here.moves()
        sampling = self._share * aimed + (1.0 - self._share) * plain
        is_new, numbers, strategy = False, None, [share for _, share in moves]
        if player == CHANCE:
            total = 0.0
            for share in strategy:
                total += share
            odds = strategy = [share / total for share in strategy]
        else:
            is_new = here.known[player] not in self.table
            size = len(moves)
            zeros = ([0.0] * size for _ in range(3))
            numbers = self.table.setdefault(here.known[player], Numbers(*zeros))
            strategy = numbers.strategy()
            explored = self.exploration if player == updated else 0.0
            odds = [explored / size + (1.0 - explored) * share for share in strategy]
        chosen, aim = self._draw(
            odds, routes, self._random.draws_of(CHANCE_STREAM if player == CHANCE else CHOICE_STREAM)
        )
        plain_after = plain * odds[chosen]
        aimed_after = aimed * (aim if routes else odds[chosen])
        ratio = sampling / (self._share * aimed_after + (1.0 - self._share) * plain_after)
        after = here.after(moves[chosen][0])
        if is_new:
            value = play_out(after.state, self._random)[updated]
        else:
            left = [line[1:] for line in routes if line[0] == chosen]
            reached = others if player == updated else others * strategy[chosen]
            value = self._simulate(after, left if any(left) else [], aimed_after, plain_after, reached)
        if numbers is None:
            return value * (odds[chosen] * ratio)
        return self._update(numbers, strategy, player, chosen, value, ratio, others / sampling)

    def _update(
        self,
        numbers: Numbers,
        strategy: list[float],
        player: int,
        chosen: int,
        value: float,
        ratio: float,
        reach: float,
    ) -> float:
        """Update an information set by the `value` after the chosen action; returns the value before it."""
        sign = 1.0 if self._updated == 0 else -1.0
        estimates = [sign * baseline for baseline in numbers.baselines]
        estimates[chosen] += (value - estimates[chosen]) * ratio
        here = 0.0
        for share, estimate in zip(strategy, estimates, strict=True):
            here += share * estimate
        for place, share in enumerate(strategy):
            if player == self._updated:
                numbers.regrets[place] += reach * (estimates[place] - here)
            else:
                numbers.strategies[place] += reach * share
        numbers.baselines[chosen] += self.baseline_step * (sign * value - numbers.baselines[chosen])
        return here

    def _draw(self, odds: list[float], routes: list[list[int]], random: Draws) -> tuple[int, float]:
        """Return the place of a move, and the probability with which a targeted simulation chooses it."""
        fitting = sorted({line[0] for line in routes}, reverse=True)
        total = 0.0
        for place in fitting:
            total += odds[place]
        weights = [odds[place] if total > 0.0 else 1.0 for place in fitting]
        if self._targeted and fitting:
            chosen = fitting[drawn(weights, random, total if total > 0.0 else float(len(fitting)))]
        else:
            chosen = drawn(odds, random)
        if chosen not in fitting:
            return chosen, 0.0
        return chosen, odds[chosen] / total if total > 0.0 else 1.0 / len(fitting)


@dataclass
class ReferenceMOISMCTS:
    """Multiple-observer information-set MCTS; settings as in `MOISMCTS`.

    `table` has the visits and the sum of returns of each action, by information state.
    """

    known: InformationState
    c: float = 0.7
    seed: int = 0
    table: dict[InformationState, list[list[float]]] = field(default_factory=dict)

    def run(self, simulations: int) -> None:
        """Run simulations, each from a state that looks as `known` does."""
        self._random = Streams(self.seed, 4)
        ends, sums, total = [], [], 0.0
        for route in routes_to(self.known, Position.start(self.known.game)):
            end, weight = Position.start(self.known.game), 1.0
            for place, _ in route:
                end = end.after(end.moves()[place][0])
            for _, share in reversed(route):
                weight *= share
            total += weight
            ends.append(end)
            sums.append(total)
        for _ in range(simulations):
            number = 0
            if len(ends) > 1:
                aim = self._random.draws_of(CHANCE_STREAM).uniform() * total
                number = next((i for i, below in enumerate(sums) if below > aim), len(ends) - 1)
            self._simulate(ends[number])

    def _simulate(self, here: Position) -> Sequence[float]:
        """Play a game from a position, and return the players' returns."""
        state = here.state
        if state.is_terminal():
            return [float(gain) for gain in state.returns()]
        player = int(state.current_player())
        if player == CHANCE:
            return self._simulate(here.after(self._random.outcome_of(state, CHANCE_STREAM)))
        is_new = here.known[player] not in self.table
        rows = self.table.setdefault(here.known[player], [[0.0, 0.0] for _ in here.moves()])
        place = self._choose(rows)
        after = here.after(here.moves()[place][0])
        returns = play_out(after.state, self._random) if is_new else self._simulate(after)
        rows[place][0] += 1.0
        rows[place][1] += returns[player]
        return returns

    def _choose(self, rows: list[list[float]]) -> int:
        """Return the place of an untried action, or of the one with the highest upper confidence bound."""
        untried = [place for place, (visits, _) in enumerate(rows) if not visits]
        if untried:
            return untried[self._random.draws_of(CHOICE_STREAM).below(len(untried))]
        game = self.known.game
        log_visits = math.log(sum(visits for visits, _ in rows))
        scale = 1.0 / (game.max_return - game.min_return)
        scores = [
            (total * (1.0 / visits) - game.min_return) * scale
            + self.c * math.sqrt(log_visits * (1.0 / visits))
            for visits, total in rows
        ]
        return scores.index(max(scores))


def drawn(weights: Sequence[float], random: Draws, total: float = 1.0) -> int:
    """Return a place, drawn by weights that add up to `total`."""
    left, chosen = random.uniform() * total, 0
    for place, weight in enumerate(weights):
        if weight > 0.0:
            chosen = place
            left -= weight
            if left < 0.0:
                break
    return chosen
