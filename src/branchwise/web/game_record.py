"""A game under way: its moves, which of them are made, who sits where. Knows no search and no connection."""

from __future__ import annotations

import random
from collections.abc import Sequence

from branchwise.errors import ActionError, SettingsError
from branchwise.game import Game
from branchwise.web.games import OfferedGame
from branchwise.web.messages import MAX_MOVES, MoveTold, Opponent, PlyValue, Position
from branchwise.web.positions import (
    chance_action,
    is_chance,
    legal_moves,
    link_to,
    move_text,
    picture,
    plain_text,
    player_to_move,
    returns_of,
)

_KEPT_EVERY = 16


class GameRecord:
    """Moves of a game, with a mark in front of which they are made; those behind it were taken back.

    moves : already made, numbers or texts.   seats : that people have; None: the first.

    >>> from branchwise.games.nim import Nim
    >>> record = GameRecord(OfferedGame("nim", Nim), ["3", "3"], None)
    >>> record.play(0)
    >>> record.ply, record.undo(), record.ply, len(record.moves)
    (3, None, 2, 3)
    """

    def __init__(self, game: OfferedGame, moves: Sequence[str | int], seats: list[int] | None) -> None:
        self.game = game
        self.moves: list[MoveTold] = []
        self.ply = 0
        self.values: dict[int, list[float]] = {}
        self.seats = [0]
        if seats is not None:
            self.sit(seats)
        self._random = random.SystemRandom()
        self._kept: list[Game] = [game.rules()]
        """States before the moves 0, _KEPT_EVERY, 2 * _KEPT_EVERY and so on."""
        self._state = self._kept[0].copy()
        self._before: Game | None = None
        for place, move in enumerate(moves, start=1):
            try:
                self._make(self._state.check_action(move))
            except ActionError as error:
                played = " ".join(move.text for move in self.moves[-50:])
                raise ActionError(
                    f"move {place}: {error.problem}", after=played or None, mend=error.mend
                ) from None
        self._let_chance_move()

    @property
    def state(self) -> Game:
        """The position shown; not to be changed."""
        return self._state

    @property
    def actions(self) -> list[int]:
        """The actions that led to it."""
        return [move.action for move in self.moves[: self.ply]]

    @property
    def player(self) -> int | None:
        """Who is to move; None when the game is over."""
        return player_to_move(self._state)

    @property
    def is_over(self) -> bool:
        return self.player is None

    @property
    def is_persons_turn(self) -> bool:
        return self.player in self.seats

    @property
    def is_bots_turn(self) -> bool:
        return not self.is_over and self.player not in self.seats

    def sit(self, seats: list[int]) -> None:
        """Give people these seats. Raises `SettingsError` for one that the game does not have."""
        players = self.game.rules.num_players
        for seat in seats:
            if seat >= players:
                raise SettingsError(
                    f"{self.game.name} has no player {seat}", mend=f"players are 0 to {players - 1}"
                )
        self.seats = sorted(set(seats))

    def play(self, action: int | str) -> None:
        """Play an action, then what chance plays; moves behind the mark are lost. Raises `ActionError`."""
        action = self._state.check_action(action)
        del self.moves[self.ply :]
        self.values = {ply: values for ply, values in self.values.items() if ply <= self.ply}
        del self._kept[self.ply // _KEPT_EVERY + 1 :]
        self._make(action)
        self._let_chance_move()

    def go_to(self, ply: int) -> None:
        """Show the position after `ply` moves. Raises `ActionError` where there are not so many."""
        if ply > len(self.moves):
            raise ActionError(
                f"there is no position after {ply} moves", mend=f"the game has {len(self.moves)} moves"
            )
        start = min(ply // _KEPT_EVERY, len(self._kept) - 1)
        self._state, self._before = self._kept[start].copy(), None
        for move in self.moves[start * _KEPT_EVERY : ply]:
            self._before = self._state.copy()
            self._state.apply_action(move.action)
        if ply and self._before is None:
            self._before = self.state_at(ply - 1)
        self.ply = ply

    def state_at(self, ply: int) -> Game:
        """Return the state after `ply` moves; raises as `go_to`."""
        if ply > len(self.moves):
            raise ActionError(
                f"there is no position after {ply} moves", mend=f"the game has {len(self.moves)} moves"
            )
        start = min(ply // _KEPT_EVERY, len(self._kept) - 1)
        state = self._kept[start].copy()
        for move in self.moves[start * _KEPT_EVERY : ply]:
            state.apply_action(move.action)
        return state

    def undo(self) -> None:
        """Take moves back until it is a person's turn; a single one where people have no seat."""
        for ply in range(self.ply - 1, -1, -1):
            if not self.seats or self.moves[ply].player in self.seats:
                return self.go_to(ply)
        raise ActionError("there is no move of yours to take back", mend="go to a position by its number")

    def redo(self) -> None:
        """Make moves again until it is a person's turn, or all are made."""
        if self.ply == len(self.moves):
            raise ActionError("there is no move to make again")
        last = len(self.moves)
        behind = (
            p for p in range(self.ply + 1, last) if not self.seats or self.moves[p].player in self.seats
        )
        self.go_to(next(behind, last))

    def told(self, opponent: Opponent, answers: int | None = None) -> Position:
        """Return what is told of the position and the game."""
        return Position(
            id=answers,
            game=self.game.info,
            moves=list(self.moves),
            ply=self.ply,
            svg=picture(self._state, self._before),
            text=plain_text(self._state),
            legal=legal_moves(self._state),
            player=self.player,
            returns=returns_of(self._state),
            seats=self.seats,
            opponent=opponent,
            values=[PlyValue(ply=ply, values=values) for ply, values in sorted(self.values.items())],
            link=link_to(self.game, self.actions),
        )

    def _make(self, action: int) -> None:
        if len(self.moves) >= MAX_MOVES:
            raise ActionError(f"games end here after {MAX_MOVES:,} moves", mend="begin a new game")
        before, state = self._state, self._state.copy()
        player = player_to_move(before)
        assert player is not None
        told = MoveTold(action=action, text=move_text(before, action), player=player)
        state.apply_action(action)
        self._before, self._state = before, state
        self.moves.append(told)
        self.ply += 1
        if self.ply % _KEPT_EVERY == 0:
            self._kept.append(state.copy())

    def _let_chance_move(self) -> None:
        while is_chance(self._state) and self.ply == len(self.moves):
            self._make(chance_action(self._state, self._random))
