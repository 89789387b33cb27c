"""Replaying a game of OpenSpiel's along what one player has seen of it.

What a player has seen is a tuple of events: their own actions, each with what they saw next, and what else
changed what they see. What they see of a state is OpenSpiel's information state where the game has one, else
its observation. From the events alone other games are found in which the player saw the same: nothing else of
the game as it was played is kept.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from operator import eq
from typing import Any, NamedTuple

from branchwise.common.players import NO_ACTION
from branchwise.game.kinds.random_numbers import Draws

MOST_MOVES = 300_000
"""Moves that are tried for one state, before it is given up."""
MOST_SECONDS = 10.0
"""The same in seconds, for games whose moves take long."""
_PURE_TRIES = 200
"""Games that are begun with chance drawn whether or not it fits."""
_MOST_STALE = 500
"""Changes in a row that lead no further, before a game is begun anew."""
_KICK = 200
"""After this number of changes that lead no further, one is kept whatever it leads to."""
_MIXED = 2
"""Changes for each move that others made, between two games that are found."""
_MOST_MIXED = 50
"""The same in replays of a whole game."""
_LAST_PLACES = 10
"""A quarter of the changes are among as many of the latest moves of others."""
_LOOKED_AT = 8
"""Moves that are looked at where none fits, for the one that looks most like what was seen."""
_HINTED = 4
"""Moves that a hint leaves to choose from."""
_MOST_JOINT = 64
"""Moves that are tried where all players move at once."""
_MOST_UNSEEN = 100
"""Moves without anything to see, after which a game is given up."""


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
    player's actions at the end.

    At first chance is drawn by its probabilities, moves of others uniformly from those that fit, and a game
    that does not go on is given up. If no such game is found, chance is drawn from what fits, too; where
    nothing fits, single earlier moves are changed and the later ones are kept as far as they fit. A change is
    kept if the player then sees as much of what was seen, and something as much like what comes next. Further
    games come from such changes of the last one.
    """

    def __init__(self, game: Any, player: int, events: Sequence[Event], legal: Sequence[int]) -> None:
        self._game, self._player = game, player
        self._events, self._legal = tuple(events), list(legal)
        self._sight = sight_of(game)
        self._texts: dict[Any, list[str]] = {}
        self._random = Draws(0)
        self._line = _Line([], game.new_initial_state(), 1)
        self._near = self._stale = 0
        self._hint: Counter[str] = Counter()
        self._is_rare = False
        self._left = 0
        self._until = math.inf

    def follow(self, events: Sequence[Event], legal: Sequence[int]) -> bool:
        """Go on with what was seen later in the same game; returns whether it is the same as far as known."""
        if tuple(events[: len(self._events)]) != self._events:
            return False
        self._events, self._legal = tuple(events), list(legal)
        return True

    def find(self, random: Draws, until: float = math.inf) -> Any:
        """Return the last state of such a game; None if none was found.

        random : source of random numbers; the same ones find the same games.   until : a time of
        `perf_counter`.
        """
        self._random, self._left = random, MOST_MOVES
        self._until = min(until, time.perf_counter() + MOST_SECONDS)
        last = self._line
        for _ in range(0 if self._is_rare else _PURE_TRIES):
            self._begin()
            if self._go_on((), pure=True):
                return self._line.end.clone()
        self._is_rare = True
        self._line = last
        if self._is_done():
            self._mix()
        else:
            self._search()
        return self._line.end.clone() if self._is_done() else None

    # --- finding a game -------------------------------------------------------------------------------

    def _search(self) -> None:
        """Go on from the last line, from the start, from the longest line, and so on, until a game is found.

        Without one, the longest line is left.
        """
        longest = self._line
        is_new = False
        while not self._go_on(()):
            self._look()
            self._stale = 0
            while self._stale < _MOST_STALE and not self._is_spent:
                if self._repair():
                    return
            longest = max(self._line, longest, key=lambda line: line.seen)
            is_new = not is_new
            if self._is_spent or not is_new:
                self._line = longest
            else:
                self._begin()
            if self._is_spent:
                return

    def _mix(self) -> None:
        """Change single moves of a game that was found, many times; keep what leads to another one."""
        places = self._places()
        least = self._left - _MOST_MIXED * (len(self._line.path) + 1)
        for _ in range(_MIXED * len(places)):
            if self._is_spent or self._left < least:
                return
            before = self._line
            place = places[self._random.below(len(places))]
            if not self._change(place, self._choices(before.path[place].state)):
                self._line = before
            elif len(self._line.path) != len(before.path):
                places = self._places()

    def _repair(self) -> bool:
        """Change one earlier move and play on; keep it if it leads as far. Returns whether all was seen."""
        self._stale += 1
        self._left -= 1
        before, near, hint, random = self._line, self._near, self._hint, self._random
        places = self._places()
        if not places:
            return False
        moves: Iterable[Any]
        if random.below(2):
            place = self._hinted(places, lambda place: before.path[place][::2])
            state, old = before.path[place][::2]
            others = [move for move in self._choices(state) if move != old]
            moves = [self._hinted(others, lambda move: (state, move)), *others] if others else others
        else:
            most = len(places) if random.below(2) else min(len(places), _LAST_PLACES)
            place = places[len(places) - 1 - random.below(most)]
            moves = self._choices(before.path[place].state)
        if self._change(place, moves):
            return True
        line = self._line
        if line.seen >= before.seen:
            self._look()
            ahead = (line.seen, self._near) > (before.seen, near)
            level = line.seen == before.seen and self._near == near and len(line.path) <= len(before.path)
            if ahead:
                self._stale = 0
            if ahead or level or self._stale % _KICK == 0:
                return False
        self._line, self._near, self._hint = before, near, hint
        return False

    def _change(self, place: int, moves: Iterable[Any]) -> bool:
        """Play the first of `moves` that fits and is another at this place of the line, and go on.

        Later moves are kept as far as they fit; where the new one is among them, the old one takes its turn.
        Returns whether all was seen.
        """
        path = self._line.path
        state, seen, old = path[place]
        self._line = _Line(path[:place], state, seen)
        for move in moves:
            if move != old and self._try(move):
                return self._go_on([step.move for step in path[place + 1 :]], new=move, old=old)
        return False

    def _places(self) -> list[int]:
        """Return the places of the line at which others moved, or chance."""
        return [
            place for place, step in enumerate(self._line.path) if step.state.current_player() != self._player
        ]

    # --- what would help ------------------------------------------------------------------------------

    def _look(self) -> None:
        """Note how much like the next event some moves look, and how the best of them differs from it."""
        self._near, self._hint = 0, Counter()
        line = self._line
        if line.seen == len(self._events) or line.end.is_terminal():
            return
        wanted = self._events[line.seen].sight
        for move in islice(self._choices(line.end), _LOOKED_AT):
            self._left -= 1
            after = line.end.clone()
            play(after, move)
            sight = self._sight(after, self._player)
            near = likeness(sight, wanted)
            if near > self._near:
                one, other = Counter(parts_of(sight)), Counter(parts_of(wanted))
                self._near, self._hint = near, (one - other) + (other - one)

    def _hinted(self, items: Sequence[Any], move_of: Callable[[Any], tuple[Any, Any]]) -> Any:
        """Return one of the items whose moves' texts have most in common with the hint."""
        hint, random = self._hint, self._random
        scores = []
        for item in items:
            parts = self._parts(*move_of(item))
            scores.append(sum(hint[part] for part in parts) / max(len(parts), 1))
        best = sorted(range(len(items)), key=lambda i: (-scores[i], random.uniform()))[:_HINTED]
        return items[best[random.below(len(best))]]

    def _parts(self, state: Any, move: Any) -> list[str]:
        """Return the parts of a move's text; of the players' texts together where all move at once."""
        key = (state.current_player(), move)
        if key not in self._texts:
            pairs = enumerate(move) if isinstance(move, tuple) else [key]
            texts = [str(state.action_to_string(*pair)) for pair in pairs if pair[1] != NO_ACTION]
            self._texts[key] = parts_of(" ".join(texts))
        return self._texts[key]

    # --- moves ----------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._line = _Line([], self._game.new_initial_state(), 1)

    @property
    def _is_spent(self) -> bool:
        return self._left <= 0 or time.perf_counter() > self._until

    def _is_done(self) -> bool:
        """Whether all was seen and the player is to move, with the same legal actions."""
        state = self._line.end
        if self._line.seen < len(self._events) or state.is_terminal():
            return False
        if not state.is_simultaneous_node() and state.current_player() != self._player:
            return False
        return bool(state.legal_actions(self._player) == self._legal)

    def _is_idle(self) -> bool:
        """Whether the player has seen nothing for so long that the moves may go round in a circle."""
        path = self._line.path
        return len(path) > _MOST_UNSEEN and path[-_MOST_UNSEEN].seen == self._line.seen

    def _go_on(self, kept: Sequence[Any], *, pure: bool = False, new: Any = None, old: Any = None) -> bool:
        """Play on until all was seen, or nothing fits; returns whether all was seen.

        kept : moves to prefer, with `old` in place of `new`.   pure : whether chance is drawn whether or not
        it fits.
        """
        preferred = iter(kept)
        while not self._is_done():
            if self._line.end.is_terminal() or self._is_spent or self._is_idle():
                return False
            move = next(preferred, None)
            if not self._step(old if move is not None and move == new else move, pure):
                return False
        return True

    def _step(self, preferred: Any, pure: bool) -> bool:
        """Play one move that fits; returns whether there is one."""
        state = self._line.end
        if preferred is not None and self._is_legal(state, preferred) and self._try(preferred):
            return True
        if pure and state.is_chance_node():
            return self._try(next(self._choices(state)))
        return any(self._try(move) for move in self._choices(state))

    def _is_legal(self, state: Any, move: Any) -> bool:
        """Whether a move that was legal elsewhere is legal here, and not the player's own."""
        if state.is_simultaneous_node():
            return isinstance(move, tuple) and all(
                action in (state.legal_actions(player) or [NO_ACTION]) for player, action in enumerate(move)
            )
        return state.current_player() != self._player and move in state.legal_actions()

    def _choices(self, state: Any) -> Iterator[Any]:
        """Yield moves of `state` in random order, those of chance by their probabilities; or the own one."""
        random, line = self._random, self._line
        own = self._events[line.seen].action if line.seen < len(self._events) else None
        if state.is_chance_node():
            pairs = [(move, chance) for move, chance in state.chance_outcomes() if chance > 0.0]
            while pairs:
                place = random.choice([chance for _, chance in pairs])
                yield pairs[place][0]
                pairs[place] = pairs[-1]
                pairs.pop()
        elif state.is_simultaneous_node():
            legal = [state.legal_actions(p) or [NO_ACTION] for p in range(self._game.num_players())]
            if own in legal[self._player]:
                legal[self._player] = [own]
                for _ in range(min(_MOST_JOINT, math.prod(map(len, legal)))):
                    yield tuple(actions[random.below(len(actions))] for actions in legal)
        elif state.current_player() == self._player:
            if own in state.legal_actions():
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
        path, before, seen = self._line
        own = own_action(before, move, self._player)
        after = before.clone()
        play(after, move)
        sight = self._sight(after, self._player)
        is_visible = own is not None or sight != self._events[seen - 1].sight
        if is_visible and (seen == len(self._events) or self._events[seen] != (own, sight)):
            return False
        path.append(Step(before, seen, move))
        self._line = _Line(path, after, seen + is_visible)
        return True


class _Line(NamedTuple):
    """A game that is being replayed; seen : events so far."""

    path: list[Step]
    end: Any
    seen: int


def likeness(one: str, other: str) -> int:
    """Return how alike two texts are: equal characters at equal places, and in any order.

    >>> likeness("3456", "3465"), likeness("34", "5")
    (6, 0)
    """
    in_place: int = sum(map(eq, one, other))
    return in_place + sum((Counter(one) & Counter(other)).values())


def parts_of(text: str) -> list[str]:
    """Return the words and the characters of a text."""
    return [*text.split(), *text]
