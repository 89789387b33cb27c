"""Information-set search: one tree for what one player knows, each simulation in a state dealt anew.

SO-ISMCTS of Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search", 2012; see
`core.descents.one_observer` and `core.descents.sampled_roots`. `MCTS` searches so if it is given an
`InformationState`.
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from dataclasses import replace

from branchwise.common.errors import GameError
from branchwise.core.descents.sampled_roots import KEPT_DEALS
from branchwise.game.kinds.game_kinds import starts_at_random
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.kinds.random_numbers import Random, given_or_new
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts, facts_of
from branchwise.rules.facts.game_type import declared_sum
from branchwise.rules.knowledge.dealing import Dealer, drawn_state, way_of
from branchwise.rules.knowledge.information import InformationState
from branchwise.rules.knowledge.known import check_known
from branchwise.search.composition.composition import Composition
from branchwise.search.drivers.root_source import Deals, RootSource, dealt_from, particles
from branchwise.search.parts.descents.information_sets import AS_A_PLAYER
from branchwise.search.parts.plan import Observing
from branchwise.search.results.result import Child, SearchResult
from branchwise.search.run.observer_search import ObserverSearch, RunSession
from branchwise.search.run.run import NoDealError
from branchwise.search.session.steering import FREE, Wishes
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.settings import Settings, check_for_observer

_MOST_ATTEMPTS = 100


class InformationSetSearch(ObserverSearch):
    """A search by what a player knows, in states that are dealt."""

    searches = InformationState

    @classmethod
    def is_shown(cls, game: type[Game]) -> bool:
        return hides_information(game)

    @classmethod
    def check(cls, game: type[Game], settings: Settings) -> None:
        settings, start = settings.patient, game()
        facts = facts_of(start)
        _check_settings(facts, settings)
        Composition(start, facts, settings, observing=Observing({}, AS_A_PLAYER))

    def __init__(self, known: InformationState, settings: Settings, wishes: Wishes = FREE) -> None:
        super().__init__(known, settings.patient, wishes)
        self.facts = known_facts(known, self.settings)

    def run(self, budget: Budget, run: RunSession) -> SearchResult:
        known, facts, seed = self.known, self.facts, given_or_new(self.settings.seed)
        course = self.wishes.course(known, facts, self.settings, one_state=False)
        source = source_of(known, seed, compiled=self.settings.compiled is not False)
        started = time.perf_counter()
        if source is not None:
            session = self.session(known.view, source, course, budget, seed)
            started = time.perf_counter()
            with suppress(NoDealError):
                result = run(session, started)
                check_root(known, result)
                return result
        return without_deals(known, facts, seed, time.perf_counter() - started)


def known_facts(known: InformationState, settings: Settings) -> GameFacts:
    """Return the facts of a game of which a player knows `known`.

    Raises `GameError` or `ActionError` if there is nothing to search, `SettingsError` for settings that make
    no sense here.
    """
    check_known(known, "MCTS")
    facts = facts_of(known.view)
    _check_settings(facts, settings)
    is_declared = declared_sum(known.view, facts) is not None  # what is not cannot be checked here
    return replace(facts, opposed=facts.opposed and is_declared)


def _check_settings(facts: GameFacts, settings: Settings) -> None:
    """Raise `GameError` or `SettingsError` for a game or settings that such a search cannot have."""
    if facts.simulates and facts.num_players > 1:
        raise GameError(
            f"{facts.name} draws transitions at random in apply_action, so it cannot be told what a player "
            "sees of another's move",
            mend="let chance move: current_player returns CHANCE, and chance_outcomes lists what may happen",
        )
    check_for_observer(
        settings,
        known="what a player knows",
        nodes="what a player knows",
        search="a search by what a player knows",
        limits_outcomes=False,
    )


def source_of(known: InformationState, seed: int, *, compiled: bool) -> RootSource | None:
    """Return where simulations begin; None if no state was found that fits.

    seed : of the states, if they have to be found before the search. Raises `GameError` for a `determinize`
    that changes what the player sees.
    """
    way = way_of(known.game)
    dealing = Random(seed)
    if way == "determinize":
        drawn_state(known, dealing)
    if way != "replay" or not starts_at_random(known.game):
        return dealt_from(known, compiled=compiled)
    dealer = Dealer(_MOST_ATTEMPTS)
    states: list[Game] = []
    while dealer.tried < KEPT_DEALS * _MOST_ATTEMPTS and len(states) < KEPT_DEALS:
        state = dealer.deal(known, dealing)
        if state is None or dealer.repeated:
            break
        states.append(state)
    if not states:
        return None
    arrays = dealt_from(known, compiled=compiled).arrays
    return particles(states, AS_A_PLAYER, viewer=known.player, arrays={"masks": arrays["masks"]})


def check_root(known: InformationState, result: SearchResult) -> None:
    """Raise `GameError` if dealt states had other legal actions than the player sees."""
    for child in result.children:
        if child.action not in known.legal:
            raise GameError(
                f"{known.game.__name__}.legal_actions give {child.action} in a state that looks to player "
                f"{known.player} like one in which it is not legal",
                mend="let legal actions follow from what the player sees: branchwise check",
            )


def without_deals(known: InformationState, facts: GameFacts, seed: int, seconds: float) -> SearchResult:
    """Return the result of a search that found no state: all legal actions, unvisited, in random order."""
    actions = list(known.legal)
    random.Random(seed).shuffle(actions)
    children = tuple(
        Child(action, 0, None, None, (action,), lower=facts.min_return, upper=facts.max_return)
        for action in actions
    )
    return SearchResult(
        state=known,
        player=known.player,
        children=children,
        simulations=0,
        seconds=seconds,
        ended_by="no deal",
        memory_full=False,
        seed=seed,
        facts=facts,
        is_open=True,
        is_drawn=True,
        deals=Deals(0, 0, 0),
    )
