"""The contract that rules with hidden information must keep, checked in random games.

Observations must not depend on hidden cells of others. States that look the same to a player must have the
same legal actions for that player. Dealing anew must keep what the player sees, must vary what is hidden, and
must have the right distribution: that is tested by a chi-squared test wherever all histories that fit can be
listed.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.game.kinds.continuous_actions import has_box
from branchwise.game.kinds.game_kinds import is_simulator, samples_outcomes, starts_at_random, written_rule
from branchwise.game.kinds.hidden_information import blanked, has_rule
from branchwise.game.kinds.random_numbers import Draws, Random
from branchwise.game.rules_class import Game
from branchwise.rules.checking.contract import unlikely
from branchwise.rules.checking.faults import Line
from branchwise.rules.facts.dice import Dice, possible_outcomes
from branchwise.rules.knowledge.dealing import Replay, drawn_state, way_of
from branchwise.rules.knowledge.information import InformationState, Watcher
from branchwise.rules.playthrough.playthrough import Playthrough

if TYPE_CHECKING:
    from branchwise.compile.queries.player_views import CompiledViews

_GAMES = 40
_DEALS = 6
_ATTEMPTS = 60
_SAMPLE = 600
_FEWEST = 5.0
"""Least expected number of a result that the chi-squared test counts alone."""
_BY_CHANCE = "deal by the probabilities of chance, others' moves taken as given"
_EVENLY = (
    "keep every card that a player does not see in the pool, also one that has been played, and let chance "
    "deal each with the same probability; or write determinize"
)
_MOST_LISTED = 3000
_GIVEN_UP = 1
_TESTED = 12
"""Maximum number of information states whose distribution is tested."""
_SURE = 10
"""Number of information states after which deals that never vary are a fault."""


Contents = tuple[Any, ...]
"""What hidden fields of a state hold; see `contents`."""


@dataclass
class DealsChecked:
    """What was checked.

    way : as `way_of` gives it.   deals, states : states dealt, and for how many information states.
    tested : information states in which the shares of deals were compared with the right ones.
    """

    way: str
    deals: int = 0
    states: int = 0
    tested: int = 0

    def __str__(self) -> str:
        way = {"determinize": "determinize", "pool": "the pool", "replay": "playing from the start"}[self.way]
        right = f", shares right in {self.tested:,}" if self.tested else ""
        return f"{self.deals:,} deals by {way} for {self.states:,} information states{right}"


def check_hidden_information(
    game: type[Game], source: str | None, seed: int, end: float, *, compiled: bool = False
) -> DealsChecked:
    """Play random games and check what players see and how states are dealt; raise `GameError` for a fault.

    end : a time of `time.perf_counter` at which to stop.   compiled : whether the compiled rules about hidden
    information are compared with plain Python.
    """
    check = _Check(game, source, seed)
    if compiled:
        from branchwise.compile.queries.player_views import CompiledViews

        began = time.perf_counter()
        check.views = CompiledViews(game)
        check.views.view(game.new_initial_state(Random(seed)), 0)
        end += time.perf_counter() - began  # compiling does not count
    for number in range(_GAMES):
        if time.perf_counter() >= end + check.compiling:
            break
        check.play(number, end)
    return check.done


class _Check:
    def __init__(self, game: type[Game], source: str | None, seed: int) -> None:
        self._game, self._source, self._seed = game, source, seed
        self._random = Random(seed)
        self._facts: dict[InformationState, tuple[Any, ...]] = {}
        self._fixed = 0
        """Information states in which all deals were the same, though others are possible."""
        self._varied = False
        self._unlisted = 0
        """Information states with too many histories to list. Later ones have more, so no more are tried."""
        self.views: CompiledViews | None = None
        self.compiling = 0.0
        """Seconds that the first compiled deal took; compiling does not count."""
        self._hashes: dict[tuple[int, Any], int] = {}
        self._observed: dict[tuple[int, int], Any] = {}
        self.done = DealsChecked(way_of(game))

    def play(self, number: int, end: float) -> None:
        """Play one game and check every state at which a player chooses."""
        dice, source = Dice(self._seed + number), random.Random(f"{self._seed} {number}")
        drawn = Random(self._seed + number)
        played = Playthrough(self._game.new_initial_state(drawn), random=drawn)
        self._line = Line(self._game, self._source)
        self._line.start = played.start.copy()
        while not played.is_over and time.perf_counter() < end + self.compiling:
            if played.ply >= self._game.max_game_length:
                break
            if played.is_chance:
                action = dice.roll(played.state)
            else:
                self._look(played)
                if has_box(self._game):
                    break
                action = source.choice(played.state.legal_actions())
            if self.views is not None:
                self._compare_views(self.views, played.state, action)
            played.play(action)
            self._line.actions = list(played.actions)

    def _look(self, played: Playthrough[Game]) -> None:
        player, state = int(played.state.current_player()), played.state
        with self._line.calling("observation"):
            for viewer in range(self._game.num_players):
                self._check_observation(state, viewer)
        known = played.information_state(player)
        facts = (known.legal, known.view, known.unseen, known.holes)
        before = self._facts.setdefault(known, facts)
        if before != facts:
            self._tell_difference(player, before, facts)
        if self._random.below(3) == 0 or known.events == ():
            self._check_deals(known, state)

    def _compare_views(self, views: CompiledViews, state: Game, action: int) -> None:
        """Raise the error if compiled rules see a state, or an action about to be played, differently."""
        mover, name = int(state.current_player()), self._game.__name__
        for player in range(self._game.num_players):
            seen, found = state.observation(player), views.view(state, player)
            known = self._hashes.setdefault((player, seen), found)
            if known != found or self._observed.setdefault((player, found), seen) != seen:
                raise self._line.fault(
                    f"{name}.observation({player}) differs: compiled code tells other states apart",
                    "let it yield numbers that follow from the fields alone",
                )
            if player != mover:
                mine = Watcher(self._game, player).seen(state, action, mover)
                theirs = views.seen(state, action, player)
                if mine != theirs:
                    raise self._line.fault(
                        f"{name}.action_seen({action}, {player}) differs: Python has {mine}, compiled code "
                        f"has {theirs}",
                        "the two must agree: look for anything that does not follow from the fields alone",
                    )

    def _compare_deals(self, views: CompiledViews, known: InformationState) -> None:
        """Raise the error if compiled rules deal differently from the same random numbers."""
        if self.done.way != "determinize":
            return
        rules: Any = self._game
        counter, mine = self._random.counter, known.view.copy()
        written_rule(rules.determinize)(mine, known.player, Draws(counter))
        began = time.perf_counter()
        theirs, fits = views.deal(known.view, known.player, Draws(counter))
        self.compiling = self.compiling or time.perf_counter() - began
        if mine != theirs:
            raise self._line.fault(
                f"{rules.__name__}.determinize differs: Python has {mine!r}, compiled code has {theirs!r}",
                "the two must agree: look for an index outside its array, or for values outside the fields",
            )
        if has_rule(rules, "consistent") and bool(written_rule(rules.consistent)(mine, known.player)) != fits:
            raise self._line.fault(
                f"{rules.__name__}.consistent differs: compiled code has {fits} for {mine!r}",
                "the two must agree: look for anything that does not follow from the fields alone",
            )

    def _check_observation(self, state: Game, viewer: int) -> None:
        """Raise the error for an observation that others' hidden cells change."""
        if not (has_rule(self._game, "observation") and self._game._hidden):
            return
        seen, blind = state.observation(viewer), blanked(state, viewer).observation(viewer)
        if seen != blind:
            place = next((i for i, pair in enumerate(zip(seen, blind, strict=False)) if len({*pair}) > 1), 0)
            raise self._line.fault(
                f"{self._game.__name__}.observation({viewer}) depends on what player {viewer} does not see: "
                f"its number {place} is another when hidden cells are blank",
                "yield public fields and the player's own rows alone",
            )

    def _tell_difference(self, player: int, first: tuple[Any, ...], second: tuple[Any, ...]) -> None:
        name = self._game.__name__
        if first[0] != second[0]:
            raise self._line.fault(
                f"{name}.legal_actions gives {list(second[0])} in a state that looks to player {player} like "
                f"one where it gives {list(first[0])}",
                "let legal actions follow from what the player sees",
            )
        if first[1] != second[1]:
            raise self._line.fault(
                f"the fields that player {player} sees differ in states that the player cannot tell apart",
                "observation must show all public fields and the player's own rows, or these must be hidden",
            )
        raise self._line.fault(
            f"the unseen cards of the pool differ in states that look the same to player {player}",
            "the pool must hold every card, wherever it is, and its empty cells must be known to all",
        )

    def _check_deals(self, known: InformationState, state: Game) -> None:
        found = []
        if self.views is not None:
            with self._line.calling("determinize"):
                self._compare_deals(self.views, known)
        with self._line.calling("determinize" if self.done.way == "determinize" else "consistent"):
            for _ in range(_ATTEMPTS):
                dealt = drawn_state(known, self._random)
                if dealt is not None:
                    self._check_same(known, dealt)
                    found.append(dealt)
                if len(found) == _DEALS:
                    break
        self.done.deals += len(found)
        self.done.states += 1
        if self.done.way == "replay" or not found:
            return
        shares = None
        if self._unlisted < _GIVEN_UP:
            shares = possible_states(known, _MOST_LISTED)
            self._unlisted += shares is None
        possible: dict[Contents, float] = {}
        for other, share in shares or ():
            possible[contents(other)] = possible.get(contents(other), 0.0) + share
        if shares is not None:
            self._check_possible(known, found, possible)
        if shares is None or len(possible) > 1:
            self._check_varied(known, found)
        if self.done.tested < _TESTED and len(possible) > 1:
            self._check_shares(known, possible)

    def _check_same(self, known: InformationState, dealt: Game) -> None:
        """Raise the error for a dealt state that goes on otherwise for the player."""
        player, way = known.player, self.done.way
        seen = dealt.observation(player)
        name = f"{self._game.__name__}.determinize" if way == "determinize" else f"the deal by {way}"
        if seen != known.observation or dealt.is_terminal() or dealt.current_player() != player:
            raise self._line.fault(
                f"{name} gives a state that looks different to player {player}: {dealt!r}",
                "fill hidden cells alone; whose turn it is, and whether the game is over, must not depend on "
                "them",
            )
        if not has_box(self._game) and tuple(dealt.legal_actions()) != known.legal:
            raise self._line.fault(
                f"{name} gives a state in which player {player} has the legal actions "
                f"{dealt.legal_actions()} in place of {list(known.legal)}",
                "let legal actions follow from what the player sees",
            )

    def _check_possible(
        self, known: InformationState, found: list[Game], possible: dict[Contents, float]
    ) -> None:
        """Raise the error for a deal that no history gives."""
        for dealt in found:
            if contents(dealt) not in possible:
                raise self._line.fault(
                    f"{self._way_name} gives a state that cannot be there by what player {known.player} has "
                    f"seen: {dealt!r}",
                    "reject such states: def consistent(self, player)",
                )

    def _check_varied(self, known: InformationState, found: list[Game]) -> None:
        """Raise the error if deals have not varied in any of many information states."""
        self._varied |= len({contents(dealt) for dealt in found}) > 1
        self._fixed += len(found) > 1
        if self._fixed >= _SURE and not self._varied:
            raise self._never_varies(known)

    def _never_varies(self, known: InformationState) -> GameError:
        return self._line.fault(
            f"{self._way_name} always gives the same state for what player {known.player} knows, in place of "
            "all that are possible",
            "draw from the random that it is given; the true state must not be handed back",
        )

    def _check_shares(self, known: InformationState, possible: dict[Contents, float]) -> None:
        """Raise the error for deals with other shares than those of the histories that fit."""
        counts: Counter[Contents] = Counter()
        examples: dict[Contents, Game] = {}
        for _ in range(_SAMPLE):
            dealt = drawn_state(known, self._random)
            if dealt is not None:
                counts[contents(dealt)] += 1
                examples[contents(dealt)] = dealt
        drawn, whole = sum(counts.values()), sum(possible.values())
        if drawn * 2 < _SAMPLE:
            return
        if len(counts) == 1 and max(possible.values()) < 0.9 * whole:
            raise self._never_varies(known)
        self.done.deals += drawn
        self.done.tested += 1
        statistic, cells, pooled_seen, pooled = 0.0, 0, 0.0, 0.0
        for cell, share in possible.items():
            expected = drawn * share / whole
            if expected < _FEWEST:
                pooled, pooled_seen = pooled + expected, pooled_seen + counts[cell]
                continue
            statistic += (counts[cell] - expected) ** 2 / expected
            cells += 1
        if pooled >= _FEWEST:
            statistic += (pooled_seen - pooled) ** 2 / pooled
            cells += 1
        if cells > 1 and unlikely(statistic, cells - 1):
            worst = max(counts, key=lambda cell: counts[cell] - drawn * possible.get(cell, 0.0) / whole)
            raise self._line.fault(
                f"{self._way_name} gives {examples[worst]!r} to player {known.player} in "
                f"{counts[worst] / drawn:.1%} of {drawn} deals, but its share is "
                f"{possible.get(worst, 0.0) / whole:.1%}",
                _EVENLY if self.done.way == "pool" else _BY_CHANCE,
            )

    @property
    def _way_name(self) -> str:
        return f"{self._game.__name__}.{self.done.way}"


def contents(state: Game) -> Contents:
    """Return what hidden fields hold, by name; the order of cells within a row does not count."""
    return tuple(
        (field.name, np.sort(np.asarray(state.__dict__[field.name]).reshape(_rows(field), -1)).tobytes())
        for field in state._hidden
    )


def _rows(field: Any) -> int:
    return field.shape[0] if field.sight == "private" else 1


def possible_states(known: InformationState, most: int) -> list[tuple[Game, float]] | None:
    """Return the states in which a player may be, with their relative probabilities.

    Chance counts with its probabilities; a move of another is uniform among those that fit what the player
    saw. None if there are more than `most` moves to look at, or if they cannot be listed.
    """
    game: Any = known.game
    if starts_at_random(game) or is_simulator(game) or samples_outcomes(game) or has_box(game):
        return None
    none = Draws(0)
    found: list[tuple[Game, float]] = []
    waiting = [(game(), 0, 1.0)]
    while waiting:
        state, seen, weight = waiting.pop()
        walk = Replay(known, state, seen)
        if walk.is_done:
            found.append((state, weight))
            continue
        player = walk.player
        if player is None:
            continue
        if player == CHANCE:
            moves = possible_outcomes(state)
        elif player == known.player:
            moves = [] if walk.own_action is None else [(walk.own_action, 1.0)]
        else:
            moves = [(action, 0.0) for action in state.legal_actions()]
        most -= len(moves)
        if most < 0:
            return None
        after = []
        for move, share in moves:
            branch = Replay(known, state, seen)
            if branch.play(move, none):
                after.append((branch.state, branch.seen, share))
        if player not in (CHANCE, known.player):
            after = [(state, seen, 1.0 / len(after)) for state, seen, _ in after]
        waiting += [(state, seen, weight * share) for state, seen, share in after]
    return found
