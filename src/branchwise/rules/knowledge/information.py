"""Information states: all that one player has seen and done in a game, with perfect recall.

An information state is the player's history, never a snapshot. What the player sees of a move: its number, if
it is the player's own; what `action_seen` gives, if the class has it; and the new `observation`, if it
changed. A move of which a player sees nothing leaves no trace in that player's history.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from branchwise.common.errors import GameError
from branchwise.game.kinds.continuous_actions import has_box
from branchwise.game.kinds.game_kinds import written_rule
from branchwise.game.kinds.hidden_information import (
    blanked,
    first_observation,
    first_values,
    has_rule,
    observed_names,
    pool_of,
    unseen_cells,
)
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import action_text
from branchwise.rules.facts.given_to_bots import Shown

Turn = Literal["to move", "waiting", "over"]
Observation = tuple[float, ...]
NOTHING = -1
"""Returned by `action_seen` if the player sees nothing of an action."""


@dataclass(frozen=True)
class Event:
    """What a player saw of one move.

    action : its number, of the player's own move; else None.   seen : what `action_seen` gave, from 0; None
    for nothing.   observation : after the move, if it changed; else None.   text : of the action, not
    compared.
    """

    action: Any = None
    seen: int | None = None
    observation: Observation | None = None
    text: str = field(default="", compare=False)

    @property
    def is_visible(self) -> bool:
        """Whether the player saw anything of the move."""
        return self.action is not None or self.seen is not None or self.observation is not None


@dataclass(frozen=True)
class InformationState(Shown):
    """What one player knows at a moment of a game: all that the player has seen and done.

    Two moments of any games are equal if they look the same to the player. `Playthrough.information_state`
    gives it; bots of games with hidden information choose by it.

    game : the rules.   player : from 0.   start : what the player saw at the start of the game.
    events : what the player saw of each move since; moves of which the player saw nothing are left out.
    turn : whether the player is "to move", "waiting", or the game is "over".
    view : a state in which all cells that the player does not see have their first values.   legal : the
    legal actions, if the player is to move.   unseen : the cards in unseen cells of the class's `pool`,
    sorted.   holes : the numbers of the unseen cells that hold cards. These four are not compared; they are
    the same in equal information states, as `branchwise check` tests.

    >>> import branchwise as bw
    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> first, second = (bw.Playthrough(KuhnPoker(), deal + " bet") for deal in ("J K", "Q K"))
    >>> first.information_state(1) == second.information_state(1)
    True
    >>> first.information_state(0) == second.information_state(0)
    False
    """

    game: type[Game]
    player: int
    start: Observation
    events: tuple[Event, ...]
    turn: Turn
    view: Game = field(compare=False, repr=False)
    legal: tuple[int, ...] = field(compare=False, repr=False, default=())
    unseen: tuple[float, ...] = field(compare=False, repr=False, default=())
    holes: tuple[int, ...] = field(compare=False, repr=False, default=())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the class of a variant, which its state rebuilds."""
        return _rebuilt, tuple(getattr(self, part.name) for part in fields(self) if part.name != "game")

    def __hash__(self) -> int:
        return hash((self.game.name, self.player, self.start, self.events, self.turn))

    @property
    def name(self) -> str:
        """The text form of the game."""
        return self.game.name

    @property
    def observation(self) -> Observation:
        """What the player sees now."""
        for event in reversed(self.events):
            if event.observation is not None:
                return event.observation
        return self.start

    def current_player(self) -> int:
        """Return the player to move, as far as the player whose information this is can see it.

        Raises `GameError` if it is another's turn.
        """
        if self.turn != "to move":
            raise GameError(f"player {self.player} is not to move here, and sees only that")
        return self.player

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.turn == "over"

    def action_to_string(self, action: int) -> str:
        """Return how people write an action of the player."""
        return self.view.action_to_string(action)

    def action_from_string(self, text: str) -> int:
        """Return the legal action that people write as `text`; raises `ActionError`."""
        return int(self.view.action_from_string(text))

    def not_a_state(self) -> GameError:
        """Return the error for a search of states that is given this in place of one."""
        return GameError(
            f"{self.name} has hidden information, so there is no state here but what player {self.player} "
            "knows, which this search cannot use",
            mend="bw.MCTS and bw.PIMC, or the bots ismcts and pimc, search by what the player knows",
        )

    @property
    def text(self) -> str:
        """The history as one line: own actions, and the numbers that changed."""
        parts, before = [observation_text(self.game, self.player, None, self.start)], self.start
        for event in self.events:
            parts.append(event_text(self.game, self.player, before, event))
            before = before if event.observation is None else event.observation
        return "; ".join(filter(None, parts))

    def __str__(self) -> str:
        return str(self.view)

    def __repr__(self) -> str:
        count = len(self.events)
        return (
            f"<branchwise.InformationState {self.game.name}: player {self.player}, {count} "
            f"event{'' if count == 1 else 's'}, {self.turn}>"
        )


def _rebuilt(*parts: Any) -> InformationState:
    names = [part.name for part in fields(InformationState) if part.name != "game"]
    given = dict(zip(names, parts, strict=True))
    return InformationState(game=type(given["view"]), **given)


class Watcher:
    """Sees a game as one player does."""

    def __init__(self, game: type[Game], player: int) -> None:
        self._game, self._player = game, player
        rules: Any = game
        self._tells = written_rule(rules.action_seen) if has_rule(game, "action_seen") else None

    def seen(self, state: Game, action: Any, mover: int) -> int | None:
        """Return what the player sees of `action`, about to be applied to `state`, by `action_seen`.

        mover : who chose it, or CHANCE.   Raises `GameError` for what is no number.
        """
        if self._tells is None or mover == self._player:
            return None
        told = self._tells(state, action, self._player)
        if isinstance(told, bool) or not isinstance(told, int | np.integer) or told < NOTHING:
            raise GameError(
                f"{self._game.__name__}.action_seen({action}, {self._player}) gave {told!r}",
                mend="return a number from 0 for what the player sees, or -1 for nothing",
            )
        return None if told == NOTHING else int(told)

    def event(
        self, before: Observation, after: Game, action: Any, mover: int, seen: int | None, text: str = ""
    ) -> Event:
        """Return what the player saw of a move.

        before : the player's observation before it.   after : the state after it.   seen : as `seen` gave.
        """
        now = after.observation(self._player)
        changed = None if now == before else now
        own = mover == self._player
        return Event(_plain(action) if own else None, seen, changed, text if own else "")

    def next_information(
        self, known: InformationState, state: Game, action: Any, after: Game
    ) -> InformationState:
        """Return what the player knows after one more move, if it was `known` before.

        state, after : the states before and after the move.
        """
        mover = int(state.current_player())
        seen = self.seen(state, action, mover)
        text = action_text(state, action) if mover == self._player else ""
        event = self.event(known.observation, after, action, mover, seen, text)
        return next_information(known, event, after)


def first_information(state: Game, player: int) -> InformationState:
    """Return what `player` knows at the start of a game, `state`."""
    start = state.observation(player)
    return InformationState(type(state), player, start, (), **_snapshot(state, player))


def next_information(known: InformationState, event: Event, after: Game) -> InformationState:
    """Return what a player knows after one more move; after : the state after it."""
    events = (*known.events, event) if event.is_visible else known.events
    return replace(known, events=events, **_snapshot(after, known.player))


def turn_of(state: Game, player: int) -> Turn:
    """Return whether `player` is to move."""
    if state.is_terminal():
        return "over"
    return "to move" if state.current_player() == player else "waiting"


def _snapshot(state: Game, player: int) -> dict[str, Any]:
    """Return the fields of an information state that follow from the current state."""
    turn = turn_of(state, player)
    legal = tuple(map(int, state.legal_actions())) if turn == "to move" and not has_box(type(state)) else ()
    unseen, holes = _unseen_cards(state, player)
    view = blanked(state, player)
    return {"turn": turn, "view": view, "legal": legal, "unseen": unseen, "holes": holes}


def _unseen_cards(state: Game, player: int) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return the sorted cards in unseen cells of the pool, and these cells' numbers."""
    names = pool_of(type(state))
    if not names:
        return (), ()
    cells, unseen, empty = pool_cells(state, names, player)
    holes = np.flatnonzero(unseen & ~empty)
    return tuple(np.sort(cells[holes]).tolist()), tuple(holes.tolist())


def pool_cells(state: Game, names: tuple[str, ...], player: int) -> tuple[Any, Any, Any]:
    """Return the cells of the pool in one row, which of them `player` does not see, and which are empty."""
    fields = {field.name: field for field in state._fields}
    rows: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for name in names:
        found = fields[name]
        value = np.asarray(state.__dict__[name]).reshape(-1)
        rows[0].append(value)
        rows[1].append(unseen_cells(found, player).reshape(-1))
        rows[2].append(value == first_values(found).reshape(-1))
    cells, unseen, empty = (np.concatenate(row) for row in rows)
    return cells, unseen, empty


def _plain(action: Any) -> Any:
    return tuple(action.tolist()) if isinstance(action, np.ndarray) else int(action)


def event_text(game: type[Game], player: int, before: Observation, event: Event) -> str:
    """Return what a player saw of a move, as text; before : the player's observation before it."""
    words = [f"you: {event.text}"] if event.action is not None else []
    if event.seen is not None:
        words.append(f"seen: {event.seen}")
    if event.observation is not None:
        words.append(observation_text(game, player, before, event.observation))
    return ", ".join(words)


def observation_text(game: type[Game], player: int, before: Observation | None, after: Observation) -> str:
    """Return the numbers of an observation that have changed, with their names if these are known, else all.

    before : an earlier observation of the player; None: the fields' first values.
    """
    if has_rule(game, "observation"):
        return " ".join(map(_number_text, after))
    rules: Any = game
    names, first = _first_named(rules, player)
    rows = zip(names, first if before is None else before, after, strict=True)
    return " ".join(f"{name}={_number_text(new)}" for name, old, new in rows if old != new)


def _number_text(number: float) -> str:
    """Return a number with all its digits."""
    return str(int(number)) if float(number).is_integer() else repr(float(number))


@lru_cache(maxsize=256)
def _first_named(game: type[Game], player: int) -> tuple[list[str], Observation]:
    """Return the names of the numbers that a player observes, and their first values."""
    return observed_names(game, player), tuple(first_observation(game, player))
