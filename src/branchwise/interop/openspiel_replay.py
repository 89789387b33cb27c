"""Replaying a game of OpenSpiel's along what one player has seen of it.

What a player has seen is a tuple of events: their own actions, each with what they saw next, and what else
changed what they see. What they see of a state is OpenSpiel's information state where the game has one, else
its observation. From the events alone other games are found in which the player saw the same: nothing else of
the game as it was played is kept.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from branchwise.draws import Draws
from branchwise.players import NO_ACTION

MOST_MOVES = 100_000
"""Moves that are tried for one state, before it is given up."""
MOST_SECONDS = 10.0
"""The same in seconds, for games whose moves take long."""
_PURE_TRIES = 30
_LAST_STEPS = 10
_JOINT_TRIES = 64


class Event(NamedTuple):
    """A moment of a game as one player saw it.

    action : the player's own; None if it was another's, or chance.   sight : what the player saw next.
    """

    action: int | None
    sight: str


class Step(NamedTuple):
    """A move of a game that is being replayed.

    state : before the move; not changed.   seen : events until then.   move : an action, or one a player.
    """

    state: Any
    seen: int
    move: Any


def sight_of(game: Any) -> Callable[[Any, int], str]:
    """Return a function that gives what a player sees of a state of `game`."""
    if game.get_type().provides_information_state_string:
        return lambda state, player: str(state.information_state_string(player))
    return lambda state, player: str(state.observation_string(player))


def moves_of(state: Any) -> Iterator[Any]:
    """Yield the moves that led to a state: actions, outcomes of chance, and tuples where all move at once."""
    together: list[int] = []
    players = state.get_game().num_players()
    replayed = state.get_game().new_initial_state()
    for one in state.full_history():
        together.append(one.action)
        if not replayed.is_simultaneous_node() or len(together) == players:
            move = tuple(together) if replayed.is_simultaneous_node() else together[0]
            together.clear()
            yield move
            play(replayed, move)


def play(state: Any, move: Any) -> None:
    """Play a move in `state`."""
    if isinstance(move, tuple):
        state.apply_actions(move)
    else:
        state.apply_action(move)


def own_action(state: Any, move: Any, player: int) -> int | None:
    """Return the player's part of a move in `state`; None if it is another's."""
    if isinstance(move, tuple):
        return int(move[player])
    return int(move) if state.current_player() == player else None


def events_of(state: Any, player: int) -> tuple[Event, ...]:
    """Return what a player has seen of the game that led to a state."""
    sight = sight_of(state.get_game())
    replayed = state.get_game().new_initial_state()
    events = [Event(None, sight(replayed, player))]
    for move in moves_of(state):
        own = own_action(replayed, move, player)
        play(replayed, move)
        seen = sight(replayed, player)
        if own is not None or seen != events[-1].sight:
            events.append(Event(own, seen))
    return tuple(events)


class Replay:
    """Finds games in which a player saw certain events and is to move with certain legal actions.

    game : of OpenSpiel.   player : the observer.   events : what was seen, the start first.   legal : the
    player's actions at the end.   random : source of random numbers; the same give the same games.

    Moves of chance are drawn by their probabilities, and moves of others uniformly from those that fit. If
    that fails, chance is drawn from what fits, too, and where nothing does, earlier moves are changed one at
    a time, and the later ones are kept as far as they fit.
    """

    def __init__(
        self, game: Any, player: int, events: Sequence[Event], legal: Sequence[int], random: Draws
    ) -> None:
        self._game, self._player, self._events, self._legal = game, player, events, list(legal)
        self._sight = sight_of(game)
        self._random = random
        self._path: list[Step] = []
        self._end: Any = None
        self._seen = 0
        self._left = 0
        self._until = math.inf
        self.tried = 0
        """Moves tried so far."""

    def find(self, until: float = math.inf) -> Any:
        """Return the last state of such a game, or None if none was found until `until`, of `perf_counter`."""
        self._left = MOST_MOVES
        self._until = min(until, time.perf_counter() + MOST_SECONDS)
        for _ in range(_PURE_TRIES):
            self._begin()
            if self._go_on((), pure=True):
                return self._end
        self._begin()
        found = self._go_on(())
        while not found and not self._is_spent:
            found = self._repair()
        return self._end if found else None

    def _begin(self) -> None:
        self._path, self._end, self._seen = [], self._game.new_initial_state(), 1

    @property
    def _is_spent(self) -> bool:
        return self._left <= 0 or time.perf_counter() > self._until

    def _is_done(self) -> bool:
        state = self._end
        if self._seen < len(self._events) or state.is_terminal():
            return False
        if not state.is_simultaneous_node() and state.current_player() != self._player:
            return False
        return bool(state.legal_actions(self._player) == self._legal)

    def _go_on(self, kept: Sequence[Any], *, pure: bool = False, swapped: tuple[Any, Any] = (None, None)) -> bool:
        """Play on until all was seen, or nothing fits; returns whether all was seen.

        kept : moves to prefer.   pure : whether chance is drawn whether or not it fits.   swapped : a move
        in place of which, among those kept, another is preferred.
        """
        place = 0
        while not self._is_done():
            if self._end.is_terminal() or self._is_spent:
                return False
            preferred = None
            if place < len(kept):
                preferred = swapped[1] if kept[place] == swapped[0] else kept[place]
            place += 1
            if not self._step(preferred, pure):
                return False
        return True

    def _step(self, preferred: Any, pure: bool) -> bool:
        """Play one move that fits; returns whether there is one."""
        state = self._end
        if preferred is not None and self._fits_rules(state, preferred) and self._try(preferred):
            return True
        if pure and state.is_chance_node():
            return self._try(next(self._choices(state)))
        return any(self._try(move) for move in self._choices(state))

    def _fits_rules(self, state: Any, move: Any) -> bool:
        if isinstance(move, tuple) or state.is_simultaneous_node():
            if not (isinstance(move, tuple) and state.is_simultaneous_node()):
                return False
            return all(
                action in (state.legal_actions(player) or [NO_ACTION]) for player, action in enumerate(move)
            )
        if state.current_player() == self._player:
            return False
        return move in state.legal_actions()

    def _choices(self, state: Any) -> Iterator[Any]:
        """Yield moves of `state` in random order, or the player's own."""
        random = self._random
        own = self._events[self._seen].action if self._seen < len(self._events) else None
        if state.is_chance_node():
            pairs = [(move, chance) for move, chance in state.chance_outcomes() if chance > 0.0]
            while pairs:
                place = random.choice([chance for _, chance in pairs])
                yield pairs[place][0]
                pairs[place] = pairs[-1]
                pairs.pop()
        elif state.is_simultaneous_node():
            if own is None:
                return
            legal = [state.legal_actions(p) or [NO_ACTION] for p in range(self._game.num_players())]
            if own not in legal[self._player]:
                return
            legal[self._player] = [own]
            for _ in range(min(_JOINT_TRIES, math.prod(map(len, legal)))):
                yield tuple(actions[random.below(len(actions))] for actions in legal)
        elif state.current_player() == self._player:
            if own is not None and own in state.legal_actions():
                yield own
        else:
            legal = list(state.legal_actions())
            while legal:
                place = random.below(len(legal))
                yield legal[place]
                legal[place] = legal[-1]
                legal.pop()

    def _try(self, move: Any) -> bool:
        """Play a move if the player would have seen it as it was seen; returns whether it was played."""
        self._left -= 1
        self.tried += 1
        before = self._end
        own = own_action(before, move, self._player)
        after = before.clone()
        play(after, move)
        sight = self._sight(after, self._player)
        seen = self._seen
        if own is not None or sight != self._events[seen - 1].sight:
            if seen == len(self._events) or self._events[seen] != (own, sight):
                return False
            self._seen += 1
        self._path.append(Step(before, seen, move))
        self._end = after
        return True

    def _repair(self) -> bool:
        """Change one earlier move and play on; keep it if it leads as far. Returns whether all was seen."""
        path, end, seen = self._path, self._end, self._seen
        if not path:
            self._left -= 1
            return False
        random = self._random
        most = len(path) if random.below(2) else min(len(path), _LAST_STEPS)
        place = len(path) - 1 - random.below(most)
        step = path[place]
        self._left -= 1
        if step.state.current_player() == self._player:
            return False
        self._path, self._end, self._seen = path[:place], step.state, step.seen
        for move in self._choices(step.state):
            if move != step.move and self._try(move):
                kept = [one.move for one in path[place + 1 :]]
                if self._go_on(kept, swapped=(move, step.move)):
                    return True
                break
        if self._seen < seen:
            self._path, self._end, self._seen = path, end, seen
        return False
