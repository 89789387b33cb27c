"""The game of a page: seats, values of searches, variations. Independent of searches and connections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from branchwise.errors import ActionError, SettingsError
from branchwise.game import Game
from branchwise.players import CHANCE
from branchwise.rules.dice import Dice
from branchwise.rules.facts import legal_action
from branchwise.rules.information import InformationState
from branchwise.rules.playthrough import Playthrough
from branchwise.traits import is_simulator
from branchwise.web.actions import Sent, received, sent
from branchwise.web.games import OfferedGame
from branchwise.web.messages import MAX_MOVES, MoveTold, Opponent, PlyValue, Position, Variation
from branchwise.web.positions import (
    after,
    box_told,
    check_begins_alike,
    checked_returns,
    legal_moves,
    link_to,
    paid_so_far,
    picture,
    plain_text,
    texts_of,
)

_MOST_VARIATIONS = 12
_LONGEST_VARIATION = 8
"""Number of moves sent of a variation."""


@dataclass(frozen=True)
class _Line:
    """A game with all of its moves, and the searches' values before them."""

    game: Playthrough[Game]
    moves: list[MoveTold]
    values: dict[int, list[float]]

    def shared(self, other: _Line) -> int:
        """Return the length of the common start of two games."""
        pairs = enumerate(zip(self.moves, other.moves, strict=False))
        same = next(
            (n for n, (a, b) in pairs if a.action != b.action), min(len(self.moves), len(other.moves))
        )
        if not is_simulator(type(self.game.start)):
            return same
        return next((n for n in range(same) if not self._same_at(other, n + 1)), same)

    def _same_at(self, other: _Line, ply: int) -> bool:
        return bool(self.game.state_at(ply) == other.game.state_at(ply))

    def begins(self, whole: _Line) -> bool:
        """Whether it is the start of another game, or equal to it."""
        return self.shared(whole) == len(self.moves)


class LiveRecord:
    """Moves of a game, with a mark: moves before it are made, moves after it were taken back.

    Moves that are replaced by others are kept as a variation.

    moves : moves already made, as numbers or texts.   seats : seats of people; None: the first.
    types_dice : whether people enter outcomes of chance; otherwise the record rolls dice.

    >>> from branchwise.games.nim import Nim
    >>> record = LiveRecord(OfferedGame("nim", Nim), ["3", "3"], None)
    >>> record.play(0)
    >>> record.ply, record.undo(), record.ply, len(record.moves)
    (3, None, 2, 3)
    """

    def __init__(
        self,
        game: OfferedGame,
        moves: Sequence[Sent],
        seats: list[int] | None,
        *,
        types_dice: bool = False,
    ) -> None:
        self.game = game
        self.types_dice = types_dice
        self.values: dict[int, list[float]] = {}
        self.seats = [0]
        if seats is not None:
            self.sit(seats)
        self._dice = Dice()
        if moves:
            check_begins_alike(game.rules)
        self._game = after(game.rules(), moves)
        self._variations: list[_Line] = []
        self._let_chance_move(self._game)
        self._show(self._game)

    @property
    def state(self) -> Game:
        """The position shown; do not change it."""
        return self._game.state

    @property
    def ply(self) -> int:
        """Number of moves before the mark."""
        return self._game.ply

    @property
    def length(self) -> int:
        """Number of all moves."""
        return self._game.length

    @property
    def moves(self) -> list[MoveTold]:
        """All moves, those after the mark too."""
        rewards, texts = self._game.all_rewards, texts_of(self._game, taken_back=True)
        return [
            MoveTold(
                action=sent(move.action),
                text=texts[ply],
                player=move.player,
                rewards=list(rewards[ply]) if rewards else None,
            )
            for ply, move in enumerate(self._game.all_moves)
        ]

    @property
    def actions(self) -> list[Sent]:
        """The actions that led to the position, as they are sent."""
        return [sent(action) for action in self._game.actions]

    @property
    def spot(self) -> list[Sent]:
        """A key of the position in this game, with an entry for each move: the moves that led to it.

        For a simulator, moves do not determine the position, so the last is replaced by the state's hash.
        """
        if not is_simulator(self.game.rules) or not self.ply:
            return self.actions
        return [*self.actions[:-1], hash(self.state)]

    @property
    def player(self) -> int | None:
        """The player to move; None when the game is over."""
        return self._game.player

    @property
    def is_over(self) -> bool:
        return self._game.is_over

    @property
    def is_persons_turn(self) -> bool:
        return self.player in self.seats

    @property
    def is_bots_turn(self) -> bool:
        return not self.is_over and not self.is_chances_turn and self.player not in self.seats

    @property
    def is_chances_turn(self) -> bool:
        """Whether chance is to move: between moves already made, or because people enter outcomes."""
        return self._game.is_chance

    @property
    def shown(self) -> Game | InformationState:
        """What the player to move is shown, and a bot that moves for that player."""
        assert self.player is not None
        shown = self._game.shown(self.player)
        assert isinstance(shown, Game | InformationState)  # the page offers no other kinds of games
        return shown

    @property
    def shown_moves(self) -> tuple[Any, ...] | None:
        """The moves made, as a bot may see them; None if they tell what is hidden."""
        return self._game.shown_moves()

    @property
    def can_be_searched(self) -> bool:
        """Whether the page may search for the player to move."""
        return not self.is_over and not self.is_chances_turn

    @property
    def keeps_secrets(self) -> bool:
        """Whether parts of the game must not be told."""
        return False

    def check_can_play(self) -> None:
        """Raise `ActionError` if people may not move in the position shown."""
        if self.is_bots_turn:
            raise ActionError(
                f"player {self.player} is to move, and the bot has that seat",
                mend="take that seat, or let the bot move",
            )

    def check_can_move(self) -> None:
        """Raise `ActionError` if no player can move in the position shown."""
        if self.is_over:
            raise ActionError("the game is over", mend="start a new one, or undo a move")
        self._check_is_not_chance()

    def check_can_be_searched(self) -> None:
        """Raise `ActionError` if the page may not search the position shown."""
        if self.is_over:
            raise ActionError("the game is over: there is nothing to play")
        self._check_is_not_chance()

    def _check_is_not_chance(self) -> None:
        if self.is_chances_turn:
            raise ActionError(
                "chance is to move here: there is nothing to decide",
                mend="choose an outcome, redo, or go to another position",
            )

    def sit(self, seats: list[int]) -> None:
        """Give people these seats. Raises `SettingsError` for a seat that the game does not have."""
        players = self.game.rules.num_players
        for seat in seats:
            if seat >= players:
                raise SettingsError(
                    f"{self.game.name} has no player {seat}", mend=f"players are 0 to {players - 1}"
                )
        self.seats = sorted(set(seats))

    def let_people_roll(self) -> None:
        """Let people enter the outcomes of chance from now on."""
        self.types_dice = True

    def roll(self) -> None:
        """Roll dice that are due; from now on the record rolls all dice."""
        self.types_dice = False
        after = self._game.copy()
        self._let_chance_move(after)
        self._show(after)

    def play(self, action: Any) -> None:
        """Play an action, then the moves of chance unless people play those. Raises `ActionError`.

        If it is the next move after the mark, that move is made again; otherwise the moves after the mark
        become a variation.
        """
        move = legal_action(self.state, received(self.state, action))
        before, mark = self._line(), self._game.ply
        after = self._game.copy()
        is_new = mark == after.length or before.moves[mark].action != sent(move)
        self._make(after, move) if is_new else after.redo()
        self._pass_chance(after)
        self._let_chance_move(after)
        self._show(after)
        if is_new:
            self.values = {ply: values for ply, values in self.values.items() if ply <= mark}
            self._keep(before)
        self._drop_what_was_played()

    def take_up(self, variation: int) -> None:
        """Resume a variation, at its first move; the moves that it replaces become a variation.

        Raises `ActionError` if there is no such variation.
        """
        if variation >= len(self._variations):
            raise ActionError(
                f"there is no variation {variation}", mend="see the variations of the last position"
            )
        line, before = self._variations[variation], self._line()
        after = line.game.copy()
        after.go_to(line.shared(before) + 1)
        self._pass_chance(after)
        self._show(after)
        del self._variations[variation]
        self.values = dict(line.values)
        self._keep(before)
        self._drop_what_was_played()

    def _keep(self, line: _Line) -> None:
        """Keep moves that were replaced, unless they are all part of the new line."""
        if not line.begins(self._line()):
            self._variations = [line, *self._variations][:_MOST_VARIATIONS]

    def _drop_what_was_played(self) -> None:
        now = self._line()
        self._variations = [line for line in self._variations if not line.begins(now)]

    def _line(self) -> _Line:
        return _Line(self._game, self.moves, self.values)

    def go_to(self, ply: int) -> None:
        """Show the position after `ply` moves. Raises `ActionError` if there are fewer moves."""
        after = self._game.copy()
        after.go_to(ply)
        self._show(after)

    def _show(self, after: Playthrough[Game]) -> None:
        """Change the position shown, after asking the rules for the player to move and the names of moves.

        Connections read both outside the threads that run rules.
        """
        _ = after.player, after.all_moves
        self._game = after

    def state_at(self, ply: int) -> Game:
        """Return the state after `ply` moves; raises like `go_to`."""
        return self._game.state_at(ply)

    def undo(self) -> None:
        """Take moves back until it is a person's turn; a single move if people have no seat."""
        moves = self.moves
        for ply in range(self.ply - 1, -1, -1):
            if self._is_stop(moves[ply].player):
                return self.go_to(ply)
        raise ActionError("you have no move to undo", mend="go to a position by its number")

    def redo(self) -> None:
        """Make moves again until it is a person's turn, or all are made."""
        moves, last = self.moves, self.length
        if self.ply == last:
            raise ActionError("there is no move to redo")
        behind = (ply for ply in range(self.ply + 1, last) if self._is_stop(moves[ply].player))
        self.go_to(next(behind, last))

    def _is_stop(self, player: int) -> bool:
        """Whether undo and redo stop where `player` is to move."""
        if player == CHANCE:
            return self.types_dice
        return player in self.seats or not self.seats

    def told(self, opponent: Opponent, answers: int | None = None) -> Position:
        """Return the message about the position and the game."""
        now = self._line()
        returns = self._game.returns
        return Position(
            id=answers,
            game=self.game.info,
            moves=now.moves,
            ply=self.ply,
            svg=picture(self.state, self._game.before),
            text=plain_text(self.state),
            legal=legal_moves(self.state),
            box=box_told(self.state),
            player=self.player,
            returns=None if returns is None else checked_returns(self.state, returns),
            paid=paid_so_far(self._game),
            seats=self.seats,
            types_dice=self.types_dice,
            opponent=opponent,
            values=[PlyValue(ply=ply, values=values) for ply, values in sorted(self.values.items())],
            variations=[_variation_message(line, now) for line in self._variations],
            link=link_to(self.game, self.actions),
        )

    def _make(self, game: Playthrough[Game], action: Any) -> None:
        if game.ply >= MAX_MOVES:
            raise ActionError(f"games end here after {MAX_MOVES:,} moves", mend="start a new game")
        game.play(action)

    def _pass_chance(self, game: Playthrough[Game]) -> None:
        """Make the moves of chance again that come next."""
        while game.is_chance and game.ply < game.length and not self.types_dice:
            game.redo()

    def _let_chance_move(self, game: Playthrough[Game]) -> None:
        while game.is_chance and game.ply == game.length and not self.types_dice:
            self._make(game, self._dice.roll(game.state))


def _variation_message(line: _Line, now: _Line) -> Variation:
    shared = line.shared(now)
    behind = line.moves[shared:]
    return Variation(ply=shared, count=len(behind), text=[move.text for move in behind[:_LONGEST_VARIATION]])
