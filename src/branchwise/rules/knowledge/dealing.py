"""Dealing anew: states that one player thinks possible.

The right distribution takes the moves of others as given. Chance counts with its probabilities. A hidden move
of another player is uniform among the legal moves that fit what the player saw next.

There are three ways, by what the class has. Its `determinize` fills the cells that the player does not see;
in the state that it gets they are blank, so it cannot read the truth. A `pool` shuffles the cards in unseen
cells. Otherwise states are found by rejection: particles, each a game replayed from the start along the
player's history. In all ways `consistent`, if the class has it, rejects.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.game.kinds.game_kinds import written_rule
from branchwise.game.kinds.hidden_information import blanked, has_rule, pool_of
from branchwise.game.kinds.random_numbers import Draws
from branchwise.game.rules_class import Game
from branchwise.rules.facts.dice import drawn_outcome
from branchwise.rules.facts.facts import apply_legal
from branchwise.rules.knowledge.information import InformationState, Watcher, pool_cells, turn_of

MOST_ATTEMPTS = 1000
"""Attempts for one state after which a dealer gives up, by default."""
MOST_KEPT = 1000
"""Maximum number of particles that are kept from move to move."""


class Dealer:
    """Deals states that fit what one player knows; one for each player of a game in progress.

    attempts : for one state, at least 1. If all fail, `deal` repeats a state that it dealt for the same
    information state. If there is none, it returns None: never an error for want of particles.

    Particles are kept: when the game goes on, those that fit what the player saw next are dealt again.

    >>> import branchwise as bw
    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> known = bw.Playthrough(KuhnPoker(), "J K pass").information_state(1)
    >>> dealer, random = Dealer(), bw.Random(1)
    >>> sorted({dealer.deal(known, random).hands[0] for _ in range(50)})
    [1, 2]
    """

    def __init__(self, attempts: int = MOST_ATTEMPTS) -> None:
        self._attempts = attempts
        self._known: InformationState | None = None
        self._kept: list[Game] = []
        self._dealt = 0
        self._gave_up = False
        self.tried = 0
        """Attempts so far for the last information state."""
        self.repeated = 0
        """States that were dealt again for want of others, for the last information state."""

    @property
    def left(self) -> int:
        """Number of distinct deals known to fit the last information state; 0: there is none to repeat."""
        return len(self._kept)

    def deal(self, known: InformationState, random: Draws, until: float | None = None) -> Game | None:
        """Return a state that looks to the player as `known` does, or None if none was found.

        random : source of random numbers; the same information states and numbers give the same states.
        until : a time of `time.perf_counter` after which nothing more is attempted; None: no such time.
        Raises `GameError` for a `determinize` that changes what the player sees.
        """
        if self._known is None or known != self._known:
            self._go_on(known, random)
        if self._dealt < len(self._kept):
            self._dealt += 1
            return self._kept[self._dealt - 1].copy()
        for _ in range(0 if self._gave_up else self._attempts):
            if until is not None and self.tried and time.perf_counter() > until:
                break
            self.tried += 1
            state = drawn_state(known, random)
            if state is not None:
                if len(self._kept) < MOST_KEPT:
                    self._kept.append(state)
                    self._dealt += 1
                return state.copy()
        self._gave_up = True
        if not self._kept:
            return None
        self.repeated += 1
        return self._kept[random.below(len(self._kept))].copy()

    def _go_on(self, known: InformationState, random: Draws) -> None:
        """Keep the particles that fit `known`, if it comes later in the same game."""
        old, kept = self._known, self._kept
        self._known, self._kept = known, []
        self._dealt = self.tried = self.repeated = 0
        self._gave_up = False
        if old is None or way_of(known.game) != "replay" or not continues(old, known):
            return
        for state in kept:
            after = followed(known, state.copy(), len(old.events), random)
            if after is not None and _is_consistent(known, after):
                self._kept.append(after)


def way_of(game: type[Game]) -> str:
    """Return how a game is dealt anew: by its "determinize", from its "pool", or by "replay".

    >>> from branchwise.games.liars_dice import LiarsDice
    >>> way_of(LiarsDice)
    'replay'
    """
    if has_rule(game, "determinize"):
        return "determinize"
    return "pool" if pool_of(game) else "replay"


def drawn_state(known: InformationState, random: Draws) -> Game | None:
    """Return one state that fits, or None if this attempt failed."""
    state = _WAYS[way_of(known.game)](known, random)
    return state if state is not None and _is_consistent(known, state) else None


def _determinized(known: InformationState, random: Draws) -> Game:
    state = known.view.copy()
    rule: Callable[..., object] = written_rule(known.game.determinize)  # type: ignore[attr-defined]
    rule(state, known.player, random)
    _check_sight(known, state)
    return state


def _from_pool(known: InformationState, random: Draws) -> Game:
    """Return the player's view with the unseen cards in random order in the cells that hold cards."""
    cards = list(known.unseen)
    random.shuffle(cards)
    return with_cards(known, cards)


def with_cards(known: InformationState, cards: Sequence[float]) -> Game:
    """Return the player's view with these cards of the pool in the unseen cells that hold cards."""
    state = known.view.copy()
    names = pool_of(known.game)
    cells = pool_cells(state, names, known.player)[0]
    cells[list(known.holes)] = cards
    start = 0
    for name in names:
        value: Any = state.__dict__[name]
        size = int(np.size(value))
        part = cells[start : start + size]
        if isinstance(value, np.ndarray):
            value[...] = part.reshape(value.shape)
        else:
            setattr(state, name, part[0].item())
        start += size
    return state


def _replayed(known: InformationState, random: Draws) -> Game | None:
    state = known.game.new_initial_state(random)
    if state.observation(known.player) != known.start:
        return None
    return followed(known, state, 0, random)


_WAYS: dict[str, Callable[[InformationState, Draws], Game | None]] = {
    "determinize": _determinized,
    "pool": _from_pool,
    "replay": _replayed,
}


def followed(known: InformationState, state: Game, seen: int, random: Draws) -> Game | None:
    """Play `state` on until it looks as `known` does; returns None where it cannot.

    state : modified.   seen : number of the events in `known` that led to it.
    """
    walk = Replay(known, state, seen)
    while not walk.is_done:
        player = walk.player
        if player is None:
            return None
        if player == CHANCE:
            if not walk.play(drawn_outcome(walk.state, random), random):
                return None
        elif player == known.player:
            action = walk.own_action
            if action is None or not walk.play(action, random):
                return None
        else:
            actions = walk.state.legal_actions()
            random.shuffle(actions)
            if not any(walk.play(action, random) for action in actions):
                return None
    return walk.state


class Replay:
    """A game played along the history of one player.

    `state` is the state reached; a move that the player would have seen differently leaves it as it is.
    """

    def __init__(self, known: InformationState, state: Game, seen: int) -> None:
        self.state = state
        self.seen = seen
        self._known = known
        self._watcher = Watcher(known.game, known.player)
        self._moves = 0

    @property
    def is_done(self) -> bool:
        """Whether the state looks as it should, and it is the player's turn if it should be."""
        known = self._known
        return self.seen == len(known.events) and turn_of(self.state, known.player) == known.turn

    @property
    def player(self) -> int | None:
        """The player to move; None if the game cannot go on."""
        if self.state.is_terminal() or self._moves > self._known.game.max_game_length:
            return None
        return int(self.state.current_player())

    @property
    def own_action(self) -> Any:
        """The player's own next move; None if the history does not have one here."""
        if self.seen == len(self._known.events):
            return None
        return self._known.events[self.seen].action

    def play(self, action: Any, random: Draws) -> bool:
        """Play a move if the player would have seen it as it was seen; returns whether it was played."""
        known, before = self._known, self.state
        mover = int(before.current_player())
        seen = self._watcher.seen(before, action, mover)
        after = before.copy()
        apply_legal(after, action, random)
        event = self._watcher.event(before.observation(known.player), after, action, mover, seen)
        if event.is_visible:
            if self.seen == len(known.events) or known.events[self.seen] != event:
                return False
            self.seen += 1
        self.state = after
        self._moves += 1
        return True


def continues(old: InformationState, new: InformationState) -> bool:
    """Whether a game that looked as `old` does can look as `new` does later, or now."""
    same = (old.game, old.player, old.start) == (new.game, new.player, new.start)
    return same and new.events[: len(old.events)] == old.events


def _is_consistent(known: InformationState, state: Game) -> bool:
    if not has_rule(known.game, "consistent"):
        return True
    return bool(written_rule(known.game.consistent)(state, known.player))  # type: ignore[attr-defined]


def _check_sight(known: InformationState, state: Game) -> None:
    """Raise `GameError` if dealing anew changed what the player sees."""
    blank = blanked(state, known.player)
    if blank == known.view and state.observation(known.player) == known.observation:
        return
    name = known.game.__name__
    for field in known.game._fields:
        before, after = known.view.__dict__[field.name], blank.__dict__[field.name]
        if not np.array_equal(before, after):
            raise GameError(
                f"{name}.determinize changed {field.name}, which player {known.player} sees: from "
                f"{np.asarray(before).tolist()} to {np.asarray(after).tolist()}",
                mend="fill only the cells that the player does not see",
            )
    raise GameError(
        f"{name}.determinize changed what player {known.player} observes",
        mend="fill only what the player does not see",
    )
