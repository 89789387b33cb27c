"""The game of a page: seats, values of searches, variations. Independent of searches and connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from branchwise.common.errors import ActionError, SettingsError
from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.game.kinds.game_kinds import is_simulator
from branchwise.game.rules_class import Game
from branchwise.pictures.simulation_report import Move
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import legal_action
from branchwise.rules.facts.given_to_bots import Shown
from branchwise.rules.knowledge.information import InformationState
from branchwise.rules.playthrough.choices_collected import Choices, Choosing, made_choice
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.web.game.offered_games import OfferedGame
from branchwise.web.game.position_messages import (
    after,
    box_told,
    check_begins_alike,
    checked_returns,
    drawn,
    legal_moves,
    link_to,
    paid_so_far,
    texts_of,
)
from branchwise.web.game.variations import Line, variation_told
from branchwise.web.protocol.action_codes import Sent, received, sent
from branchwise.web.protocol.messages import MAX_MOVES, MoveTold, Opponent, PlyValue, Position

_MOST_VARIATIONS = 12


class LiveRecord:
    """Moves of a game, with a mark: moves before it are made, moves after it were taken back.

    Moves that are replaced by others are kept as a variation.

    moves : moves already made, as numbers or texts.   seats : seats of people; None: the first.
    types_dice : whether people enter outcomes of chance; otherwise the record rolls dice.

    Where all players move at once, people choose one after the other. What they have chosen is kept here, and
    told to nobody, until bots have chosen for the others and the joint move is made.

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
        self._choosing = Choosing()
        self.seats = [0]
        if seats is not None:
            self.sit(seats)
        self._dice = Dice()
        if moves:
            check_begins_alike(game.rules)
        self._game = after(game.rules(), moves)
        self._variations: list[Line] = []
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
    def missing(self) -> tuple[int, ...]:
        """The players who are to choose: the one to move, or all who have not chosen yet for a joint move."""
        if self._game.is_joint:
            return self._choices.missing
        return () if self.player is None or self._game.is_chance else (self.player,)

    @property
    def waiting(self) -> list[int]:
        """Those of them whom people play."""
        return [player for player in self.missing if player in self.seats]

    @property
    def asked(self) -> int:
        """The player for whom a hint is: a person who is to choose, else another player who is."""
        return next(iter([*self.waiting, *self.missing]), 0)

    @property
    def _choices(self) -> Choices:
        """What people have chosen in the position shown, where all move at once."""
        return self._choosing.at(self.state)

    @property
    def is_persons_turn(self) -> bool:
        return bool(self.waiting)

    @property
    def is_bots_turn(self) -> bool:
        return not self.is_over and not self._game.is_chance and not self.waiting

    @property
    def views(self) -> dict[int, Game | Shown]:
        """What bots are shown that choose for the players who are to choose; no choice of another player."""
        return {player: self._game.shown(player) for player in self.missing}

    @property
    def shown(self) -> Game | InformationState:
        """What a search for the player to move is shown; the position where all move at once."""
        assert self.player is not None
        shown = self.state.copy() if self._game.is_joint else self._game.shown(self.player)
        assert isinstance(shown, Game | InformationState)  # the page offers no other kinds of games
        return shown

    @property
    def shown_moves(self) -> tuple[Any, ...] | None:
        """The moves made, as a bot may see them; None if they tell what is hidden."""
        return self._game.shown_moves()

    @property
    def can_be_searched(self) -> bool:
        """Whether the page may search for the player to move."""
        return not self.is_over and not self._game.is_chance

    @property
    def keeps_secrets(self) -> bool:
        """Whether parts of the game must not be told."""
        return False

    def check_can_play(self) -> None:
        """Raise `ActionError` if people may not move in the position shown."""
        if self.is_bots_turn and not self._game.is_joint:
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
        if self._game.is_chance:
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
        if sorted(set(seats)) != self.seats:
            self._choosing.clear()
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

    def choose(self, action: Any, player: int | None = None) -> None:
        """Play an action of a person; where all move at once, keep it until all have chosen.

        player : whose action it is; None: the player to move, or the only person's.
        Raises `ActionError` for an action that is not legal, for a player whom no person plays, and where all
        move at once for one who has no choice or has already chosen. Nothing has changed then.
        """
        if not self._game.is_joint:
            if player is not None and player != self.player:
                raise ActionError(f"player {player} is not to move here", mend="wait for that player's turn")
            return self.play(action)
        choices = self._choices
        if player is None:
            player = self._only_chooser(choices)
        if player < self.game.rules.num_players and player not in self.seats:
            raise ActionError(
                f"player {player} is played by the bot", mend="choose for your own player, or take that seat"
            )
        choices.choose(player, action)
        if not choices.missing:
            self.play(choices.joint_move())

    def _only_chooser(self, choices: Choices) -> int:
        seated = [player for player in choices.choosers if player in self.seats]
        if len(seated) != 1:
            raise ActionError(
                "several people choose at once here" if seated else "no person has a choice here",
                mend="name the player with the action" if seated else "let the bot move",
            )
        return seated[0]

    def complete(self, chosen: Mapping[int, Any]) -> None:
        """Play what bots have chosen, by player; with what people have chosen where all move at once.

        Raises like `play`.
        """
        if not self._game.is_joint:
            (action,) = chosen.values()
            return self.play(action)
        choices = self._choices
        legal = {
            player: choices.check(player, chosen[player]) for player in choices.missing if player in chosen
        }
        self.play(choices.joint_move(legal))

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

    def _keep(self, line: Line) -> None:
        """Keep moves that were replaced, unless they are all part of the new line."""
        if not line.begins(self._line()):
            self._variations = [line, *self._variations][:_MOST_VARIATIONS]

    def _drop_what_was_played(self) -> None:
        now = self._line()
        self._variations = [line for line in self._variations if not line.begins(now)]

    def _line(self) -> Line:
        return Line(self._game, self.moves, self.values)

    def go_to(self, ply: int) -> None:
        """Show the position after `ply` moves. Raises `ActionError` if there are fewer moves."""
        after = self._game.copy()
        after.go_to(ply)
        self._show(after)

    def _show(self, after: Playthrough[Game]) -> None:
        """Change the position shown, after asking the rules who is to move and what the moves are called, and
        where all move at once, who has a choice.

        Connections read these outside the threads that run rules.
        """
        _ = after.player, after.all_moves
        if after.is_joint:
            self._choosing.at(after.state)
        self._game = after

    def state_at(self, ply: int) -> Game:
        """Return the state after `ply` moves; raises like `go_to`."""
        return self._game.state_at(ply)

    def undo(self) -> None:
        """Take moves back until it is a person's turn; a single move if people have no seat.

        Where all move at once, take back the last choice of a person instead, if there is one.
        """
        if self._game.is_joint and self._choices.chosen:
            return self._choices.take_back(self._choices.chosen[-1])
        moves = self._game.all_moves
        for ply in range(self.ply - 1, -1, -1):
            if self._is_stop(moves[ply]):
                return self.go_to(ply)
        raise ActionError("you have no move to undo", mend="go to a position by its number")

    def redo(self) -> None:
        """Make moves again until it is a person's turn, or all are made."""
        moves, last = self._game.all_moves, self.length
        if self.ply == last:
            raise ActionError("there is no move to redo")
        behind = (ply for ply in range(self.ply + 1, last) if self._is_stop(moves[ply]))
        self.go_to(next(behind, last))

    def _is_stop(self, move: Move) -> bool:
        """Whether undo and redo stop before a move."""
        if move.player == CHANCE:
            return self.types_dice
        if move.player == SIMULTANEOUS and self.seats:
            return any(made_choice(move.action, player) for player in self.seats)
        return move.player in self.seats or not self.seats

    def told(self, opponent: Opponent, answers: int | None = None) -> Position:
        """Return the message about the position and the game."""
        now = self._line()
        returns = self._game.returns
        return Position(
            id=answers,
            game=self.game.info,
            moves=now.moves,
            ply=self.ply,
            **drawn(self.state, self._game.before, self.actions[-1] if self.ply else None)._asdict(),
            legal=legal_moves(self.state),
            box=box_told(self.state),
            player=self.player,
            returns=None if returns is None else checked_returns(self.state, returns),
            paid=paid_so_far(self._game),
            seats=self.seats,
            types_dice=self.types_dice,
            opponent=opponent,
            values=[PlyValue(ply=ply, values=values) for ply, values in sorted(self.values.items())],
            variations=[variation_told(line, now) for line in self._variations],
            link=link_to(self.game, self.actions),
            waiting=self.waiting if self._game.is_joint else [],
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
