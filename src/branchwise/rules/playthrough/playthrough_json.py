"""A playthrough as values for JSON, and back: moves, the start, and what came of each move of a simulator."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from branchwise.common.errors import GameError
from branchwise.game.kinds.continuous_actions import as_action, has_box
from branchwise.game.kinds.game_kinds import starts_at_random
from branchwise.game.rules_class import Game, content_of_json
from branchwise.rules.facts.facts import GameFacts
from branchwise.rules.knowledge.observations import Written

GameT = TypeVar("GameT", bound=Game)


def game_to_dict(start: Any, actions: Sequence[Any], words: Sequence[str]) -> dict[str, Any]:
    """Return a game as plain values: game, actions, moves as words, and the start if it is not the usual one.

    Raises `GameError` for a state that is not a `Game`.
    """
    if not isinstance(start, Game):
        raise GameError(f"a {type(start).__name__} is not a branchwise.Game, so a game has no text form")
    content: dict[str, Any] = {"game": start.name}
    if starts_at_random(type(start)) or start != type(start)():
        content["start"] = fields_of(start)
    return content | {"actions": [as_action(action) for action in actions], "moves": list(words)}


@dataclass(frozen=True)
class WrittenGame(Generic[GameT]):
    """A game as it was written.

    actions : as numbers, vectors or tuples.   words : the same moves as texts.   states, rewards : what came
    of each move, for a simulator; anything.   observations : after each move, of a partially observed
    problem; anything, None if they are missing.
    """

    start: GameT
    actions: list[Any]
    words: list[Any]
    states: Any
    rewards: Any
    observations: Any

    @classmethod
    def read(cls, text: str, game: type[GameT]) -> WrittenGame[GameT]:
        """Return the game of a JSON text; raises `GameError` unless it is one of `game`."""
        content = _read_json(text, game)
        words = content.get("moves", content["actions"])
        states, rewards = content.get("states"), content.get("rewards")
        observations = content.get("observations")
        return cls(_start_of(content, game), content["actions"], words, states, rewards, observations)

    def outcome(self, number: int, *, pays: bool) -> tuple[Any, Any]:
        """Return what came of a simulator's move, counted from 1: the state's fields, and the rewards."""
        try:
            return self.states[number - 1], self.rewards[number - 1] if pays else None
        except (IndexError, TypeError, KeyError) as error:
            raise _untold(self.start, number) from error

    def observation(self, number: int) -> Any:
        """Return what was observed after a move, counted from 1, as it is written."""
        if self.observations is None:
            return Written.NOTHING_TOLD
        try:
            return self.observations[number - 1]
        except (IndexError, TypeError, KeyError) as error:
            raise GameError(
                f"this {self.start.name} record does not tell what was observed after move {number}",
                mend="a record with observations has one for each move, null for none",
            ) from error


def outcome_from(
    start: Game, facts: GameFacts, number: int, fields: object, rewards: object
) -> tuple[Game, tuple[float, ...] | None]:
    """Return the state after a simulator's move, and the rewards; None if it does not pay.

    number : of the move, from 1.   fields, rewards : as they are written; raises `GameError` for anything
    else.
    """
    if not isinstance(fields, dict):
        raise _untold(start, number)
    state = type(start).from_json(json.dumps({"game": start.name, "fields": fields}))
    if not facts.pays:
        return state, None
    try:
        paid = tuple(map(float, cast(Any, rewards)))
    except (TypeError, ValueError) as error:
        raise _untold(start, number) from error
    if len(paid) != facts.num_players:
        raise _untold(start, number)
    return state, paid


def fields_of(state: Any) -> dict[str, Any]:
    """Return the fields of a state as values for JSON."""
    fields: dict[str, Any] = json.loads(state.to_json())["fields"]
    return fields


def _untold(start: Game, number: int) -> GameError:
    return GameError(
        f"this {start.name} record does not tell what came of move {number}",
        mend="a record of a simulator has a state for each move, and its rewards",
    )


def _start_of(content: dict[str, Any], game: type[GameT]) -> GameT:
    if "start" not in content:
        if starts_at_random(game):
            raise GameError(
                f"this {game.name} record does not tell its start, which is drawn",
                mend="a record of such a game has a start",
            )
        return game()
    return game.from_json(json.dumps({"game": game.name, "fields": content["start"]}))


def _read_json(text: str, game: type[Game]) -> dict[str, Any]:
    """Return the content of a record of `game`; raises `GameError` unless it has the form of one."""
    content = content_of_json(text, game, "record", "actions", list)
    actions = content["actions"]
    if has_box(game):
        if not all(map(_is_vector, actions)):
            raise GameError(f"the actions of this {game.name} record are not all lists of numbers")
    elif game._joint:
        actions[:] = [tuple(action) if type(action) is list else action for action in actions]
        if not all(map(_is_joint_or_single, actions)):
            raise GameError(
                f"the actions of this {game.name} record are not all whole numbers, or lists of them"
            )
    elif any(type(action) is not int for action in actions):
        raise GameError(f"the actions of this {game.name} record are not all whole numbers")
    words = content.get("moves", actions)
    if not isinstance(words, list) or any(type(word) not in (int, str, list) for word in words):
        raise GameError(f"the moves of this {game.name} record are not texts")
    if len(words) != len(actions):
        raise GameError(f"this {game.name} record has {len(actions)} actions but {len(words)} moves")
    return content


def _is_joint_or_single(action: object) -> bool:
    """Whether an action is a whole number, or a tuple of whole numbers."""
    numbers = action if type(action) is tuple else (action,)
    return all(type(number) is int for number in numbers)


def _is_vector(action: object) -> bool:
    """Whether an action that JSON told is a list of numbers."""
    return isinstance(action, list) and all(type(number) in (int, float) for number in action)
