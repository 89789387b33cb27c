"""Determinised search: perfect-information searches of dealt states, with their votes added.

Each search knows all cards of its deal, so the sum neither hides nor looks for information: it takes for
granted that it will know later what it does not know now ("strategy fusion"). It is the usual baseline.
Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001; Long, Sturtevant, Buro,
Furtak, "Understanding the success of perfect information Monte Carlo sampling in game tree search", 2010.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import GameError, SettingsError
from branchwise.common.one_search import OneSearch
from branchwise.game.kinds.random_numbers import Random, given_or_new
from branchwise.rules.knowledge.dealing import Dealer
from branchwise.rules.knowledge.foreign_games import Deals, ForeignKnown
from branchwise.rules.knowledge.information import InformationState
from branchwise.rules.knowledge.known import check_known
from branchwise.search.planner import MCTS
from branchwise.search.results.joint_result import JointResult
from branchwise.search.settings.budget import Budget

if TYPE_CHECKING:
    from branchwise.drawing.table import Table
    from branchwise.game.rules_class import Game

_LEAST_SECONDS = 1e-3


@dataclass(frozen=True)
class Vote:
    """One action of the player to move.

    votes : searches that found it best.   visits : simulations through it, in all searches.   value : mean of
    its values in the searches that visited it, a return of the player; None if none did.
    """

    action: int
    text: str
    votes: int
    visits: int
    value: float | None


@dataclass(frozen=True)
class PIMCResult:
    """Result of a determinised search, for the player whose information it had.

    votes : of each legal action, best first.   deals : states searched; 0 if none was found that fits, and
    then the best action is a random one.   repeated : of these, states that were dealt before, because no
    other was found.   left : distinct states known to fit.   simulations, seconds : of all searches.
    """

    known: InformationState | ForeignKnown
    votes: tuple[Vote, ...]
    deals: int
    repeated: int
    left: int
    simulations: int
    seconds: float
    seed: int

    @property
    def best_action(self) -> int:
        """The action with the most votes; among equals the one with the higher value."""
        return self.votes[0].action

    def policy(self) -> dict[int, float]:
        """Return each action's share of the votes; without any, all are equal."""
        total = sum(vote.votes for vote in self.votes)
        return {
            vote.action: vote.votes / total if total else 1.0 / len(self.votes)
            for vote in sorted(self.votes, key=lambda vote: vote.action)
        }

    def __str__(self) -> str:
        from branchwise.drawing.table import as_text

        again = f", {self.repeated:,} of them again" if self.repeated else ""
        title = (
            f"{self.known.name}: player {self.known.player} to move, {self.deals:,} deals{again}, "
            f"{self.simulations:,} simulations in {self.seconds:.2f} s"
        )
        return as_text(title, self._table())

    def _table(self) -> Table:
        from branchwise.drawing.table import Table

        table = Table()
        for name in ("action", "votes", "visits", "value"):
            table.add_column(name, justify="left" if name == "action" else "right")
        for vote in self.votes:
            value = "" if vote.value is None else f"{vote.value:+.3f}"
            table.add_row(vote.text, f"{vote.votes:,}", f"{vote.visits:,}", value)
        return table


class PIMC(OneSearch):
    """Determinised search, also called perfect information Monte Carlo.

    deals : states to search, at least 1.   attempts : as in `Dealer`.   seed : of every search; None: a new
    one each time.   settings : any of `MCTS`, for the search of each deal.

    The planner never sees the state: it gets an `InformationState`. With the same seeds and budgets in
    simulations, its results are the same for all states that look the same to the player. It keeps dealt
    states that still fit when it is asked about a later moment of the same game.

    >>> import branchwise as bw
    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> known = bw.Playthrough(KuhnPoker(), "J K bet").information_state(1)
    >>> result = PIMC(deals=4, seed=1).search(known, simulations=400)
    >>> known.action_to_string(result.best_action), result.deals
    ('bet', 4)
    """

    def __init__(
        self, *, deals: int = 32, attempts: int = 1000, seed: int | None = None, **settings: Any
    ) -> None:
        whole_number("deals", deals, 1, 1_000_000)
        whole_number("attempts", attempts, 1, 2**31)
        whole_number("seed", seed, -(2**127), 2**127, optional=True)
        if "perfect_information" in settings:
            raise SettingsError("PIMC takes no perfect_information: it never sees what is hidden")
        super().__init__()
        self._deals = deals
        self.seed = seed
        """The seed of every search; None: a new one each time."""
        self._planner = MCTS(**settings, perfect_information=True)
        self._dealer = Dealer(attempts)
        self._foreign_dealer: Deals | None = None

    def check_game(self, game: type[Game]) -> None:
        """Raise what `search` raises for settings that no search of `game` can have; nothing is compiled."""
        self._planner.check_game(game)

    def search(
        self,
        known: InformationState | ForeignKnown,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
    ) -> PIMCResult:
        """Search by what the player to move knows, within limits for all deals together.

        known : also of a game of OpenSpiel's, from `from_openspiel`.

        simulations : at least one a deal.   seconds : a clock for everything but compiling; fewer states are
        dealt if it is short.

        Raises `GameError` for a state in place of an information state, and for a game that hides nothing;
        `ActionError` if the player is not to move; `SettingsError` for an invalid budget.
        """
        dealer: Deals = self._dealer
        if isinstance(known, ForeignKnown):
            dealer = self._foreign_dealer = known.dealer(self._foreign_dealer)
        else:
            check_known(known, "PIMC")
        budget = Budget(simulations, seconds)
        with self._searching():
            return self._search(known, dealer, budget)

    def _search(self, known: InformationState | ForeignKnown, dealer: Deals, budget: Budget) -> PIMCResult:
        seed = given_or_new(self.seed)
        dealing = Random(seed)
        tally = _Tally(known)
        began = time.perf_counter()
        deals = repeated = 0
        for number in range(self._deals):
            left = None if budget.seconds is None else budget.seconds - (time.perf_counter() - began)
            if deals and (self._stop.is_set() or (left is not None and left <= 0.0)):
                break
            before = dealer.repeated
            state = dealer.deal(known, dealing, None if budget.seconds is None else began + budget.seconds)
            if state is None:
                break
            repeated += dealer.repeated - before if deals else dealer.repeated
            share = None
            if budget.simulations is not None:
                share = budget.simulations * (number + 1) // self._deals
                share = max(1, share - budget.simulations * number // self._deals)
            limit = None if left is None else max(_LEAST_SECONDS, left / (self._deals - number))
            self._planner.seed = (seed + number) % 2**63
            tally.add(self._planner.search(state, simulations=share, seconds=limit))
            deals += 1
        return PIMCResult(
            known=known,
            votes=tally.votes(seed),
            deals=deals,
            repeated=repeated,
            left=dealer.left,
            simulations=tally.simulations,
            seconds=time.perf_counter() - began,
            seed=seed,
        )

    def stop(self) -> None:
        """End the running search, from another thread; it returns its result so far."""
        super().stop()
        self._planner.stop()

    def __repr__(self) -> str:
        changed = {name: value for name, value in self._planner.settings.changed.items() if name != "seed"}
        changed.pop("perfect_information", None)
        shown = {"deals": self._deals, **changed}
        return f"branchwise.PIMC({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


class _Tally:
    """Adds up the searches' votes."""

    def __init__(self, known: InformationState | ForeignKnown) -> None:
        self._known = known
        if isinstance(known, ForeignKnown):
            self._rules, least = known.name, known.min_return
        else:
            self._rules, least = known.game.__name__, known.game.min_return
        self._worst = least - 1.0
        self._votes = dict.fromkeys(known.legal, 0)
        self._visits = dict.fromkeys(known.legal, 0)
        self._values: dict[int, list[float]] = {action: [] for action in known.legal}
        self.simulations = 0

    def add(self, result: Any) -> None:
        self.simulations += result.simulations
        is_joint = isinstance(result, JointResult)
        children = result.marginals[self._known.player] if is_joint else result.children
        for child in children:
            if child.action not in self._votes:
                raise GameError(
                    f"{self._rules}.legal_actions give {child.action} in a state that looks to "
                    f"player {self._known.player} like one in which it is not legal",
                    mend="let legal actions follow from what the player sees: branchwise check",
                )
            self._visits[child.action] += child.visits
            if child.value is not None:
                self._values[child.action].append(child.value)
        self._votes[children[0].action if is_joint else result.best_action] += 1

    def votes(self, seed: int) -> tuple[Vote, ...]:
        """Return the actions, best first; without any vote, in random order."""
        found = []
        for action, votes in self._votes.items():
            values = self._values[action]
            value = sum(values) / len(values) if values else None
            text = self._known.action_to_string(action)
            found.append(Vote(action, text, votes, self._visits[action], value))
        if not any(self._votes.values()):
            random.Random(seed).shuffle(found)
            return tuple(found)
        worst = self._worst
        return tuple(
            sorted(found, key=lambda v: (-v.votes, -(worst if v.value is None else v.value), v.action))
        )
