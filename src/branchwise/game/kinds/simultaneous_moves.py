"""Rules of games in which players move at once: wrapping them for callers, and checking what callers give.

A node is joint where `current_player` gives SIMULTANEOUS. A move is then a tuple with one action a player,
NO_ACTION for a player who has no choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from types import FunctionType
from typing import Any, cast

from branchwise.common.errors import ActionError, GameError
from branchwise.common.name_and_options import numbered, some_of
from branchwise.common.players import CHANCE, NO_ACTION, SIMULTANEOUS
from branchwise.game.kinds.game_kinds import moves_at_once, num_arguments

_NOTHING = "-"
"""The text of NO_ACTION."""


def complete_joint_rules(cls: type[Any]) -> None:
    """Check the arguments of a class's rules for joint nodes, and give it `apply_action` if it has none."""
    cls._joint = moves_at_once(cls)
    if not cls._joint:
        return
    if num_arguments(cls, "legal_actions") != 1:
        raise GameError(
            f"{cls.__name__} has apply_actions, so that players move at once, but its legal_actions does not "
            "take a player",
            mend="write def legal_actions(self, player): yield each legal action of that player",
        )
    if not callable(getattr(cls, "apply_action", None)):
        cls.apply_action = refused_action


def refused_action(self: Any, action: int) -> None:
    """Replace `apply_action` in classes where all players always move at once; raises `ActionError`."""
    raise ActionError(
        f"players of {self.name} always move at once, so a single action cannot be applied",
        mend="state.apply_actions(actions) takes one action a player",
    )


def takes_turns(cls: type[Any]) -> bool:
    """Whether a class has `apply_action`, for chance and for players who move alone."""
    written = getattr(cls.apply_action, "_written", cls.apply_action)
    return written is not refused_action


def listing(written: FunctionType, has_outcomes: bool) -> FunctionType:
    """Return `legal_actions` of a class with joint nodes as callers see it: with or without a player."""

    def legal_actions(self: Any, player: int | None = None) -> list[int]:
        turn = self.current_player()
        if player is None:
            if turn == SIMULTANEOUS:
                raise ActionError(
                    f"all players of {self.name} move at once here",
                    mend="state.legal_actions(player) lists the actions of one player",
                )
            if turn == CHANCE:
                return [outcome for outcome, _ in self.chance_outcomes()] if has_outcomes else []
            return list(written(self, turn))
        if not 0 <= player < self.num_players:
            raise ActionError(
                f"{self.name} has no player {player}", mend=f"players are 0 to {self.num_players - 1}"
            )
        return list(written(self, player)) if turn in (SIMULTANEOUS, player) else []

    return cast(FunctionType, legal_actions)


def check_joint_move(
    state: Any, actions: Any, name: str | None = None, players: int | None = None
) -> tuple[int, ...]:
    """Return the actions of a joint move as numbers; each is a number, the text of an action, or NO_ACTION.

    A text with commas stands for all actions together. name, players : of the game; None: the state has them
    as attributes. Raises `ActionError` if the game is over, if players
    do not move at once, and for a move that is not legal.
    """
    name = state.name if name is None else name
    players = state.num_players if players is None else players
    if state.is_terminal():
        raise ActionError(
            f"{actions!r} cannot be played: the game is over", mend="check state.is_terminal() first"
        )
    if state.current_player() != SIMULTANEOUS:
        raise ActionError(
            f"players of {name} do not move at once here",
            mend="state.apply_action(action) takes the action of the player to move",
        )
    if isinstance(actions, str):
        actions = actions.split(",")
    given = list(actions) if isinstance(actions, Sequence) or hasattr(actions, "__len__") else None
    if given is None or len(given) != players:
        count = "one value alone" if given is None else f"{len(given)}"
        raise ActionError(
            f"all players of {name} move at once here, so a move has {players} actions, not {count}",
            mend="give one action a player, as (0, 1) or as a text with commas; bw.NO_ACTION, or - in a "
            "text, for a player without a choice",
        )
    return tuple(check_choice(state, player, action) for player, action in enumerate(given))


def check_choice(state: Any, player: int, action: Any) -> int:
    """Return the action of one player where all move at once as a number; given as in `check_joint_move`.

    Raises `ActionError` if it is not legal.
    """
    legal = state.legal_actions(player)
    number = _number(state, player, legal, action)
    if not legal:
        if number == NO_ACTION:
            return NO_ACTION
        raise ActionError(
            f"player {player} has no choice here, so {action!r} is no action of theirs",
            mend="give bw.NO_ACTION for this player",
        )
    if number == NO_ACTION:
        raise ActionError(
            f"player {player} has to choose an action here, and NO_ACTION is none",
            mend=_legal(state, player, legal),
        )
    if number not in legal:
        what = f"action {number}" if number is not None else f"{action!r}"
        raise ActionError(f"{what} of player {player} is not legal here", mend=_legal(state, player, legal))
    return cast(int, number)


def _number(state: Any, player: int, legal: list[int], action: Any) -> int | None:
    """Return an action, given as a number or a text, as a number; None if it is neither."""
    if isinstance(action, str):
        wanted = action.strip().lower()
        if wanted == _NOTHING:
            return NO_ACTION
        for number in legal:
            if choice_text(state, player, number).lower() == wanted:
                return number
        return int(wanted) if wanted.isdecimal() else None
    try:
        return index(action)
    except TypeError:
        return None


def joint_text(state: Any, actions: Sequence[int]) -> str:
    """Return the text of a joint move, which `check_joint_move` reads: the players' actions, with commas.

    >>> from branchwise.games.rock_paper_scissors import RockPaperScissors
    >>> joint_text(RockPaperScissors(), (0, 1))
    'rock,paper'
    """
    return ",".join(
        _NOTHING if action == NO_ACTION else choice_text(state, player, action)
        for player, action in enumerate(actions)
    )


def choice_text(state: Any, player: int, action: int) -> str:
    """Return the text of one player's action where all move at once; an OpenSpiel state needs the player."""
    write = getattr(state, "action_to_string", None)
    if write is None:
        return str(action)
    return str(write(player, action) if callable(getattr(state, "get_game", None)) else write(action))


def _legal(state: Any, player: int, legal: list[int]) -> str:
    pairs = some_of(legal, lambda action: numbered(action, choice_text(state, player, action)))
    return f"legal actions are {pairs}"
