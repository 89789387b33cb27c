"""A game between people and a bot: its seats, its moves, undo and redo.

The session rolls the dice, or people type in the results of their own.

Independent of screen and keyboard.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from branchwise.common.errors import ActionError, BranchwiseError, SettingsError, nearest_name
from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.game.kinds.hidden_information import blanked, hides_information
from branchwise.game.kinds.random_numbers import Random
from branchwise.rules.facts.dice import Dice
from branchwise.rules.facts.facts import legal_action
from branchwise.rules.playthrough.choices_collected import Choices, Choosing, made_choice
from branchwise.rules.playthrough.moves_seen import SeenMove, SeenMoves
from branchwise.rules.playthrough.playthrough import Playthrough

if TYPE_CHECKING:
    from branchwise.bots.base.bot import Bot
    from branchwise.game.rules_class import Game
    from branchwise.rules.facts.given_to_bots import Shown
    from branchwise.search.results.result import SearchResult

_SEATS = {"first": (0,), "second": (1,), "none": ()}


@dataclass(frozen=True)
class Move:
    """One move of a session; `result` is the search of the bot that chose it, if any.

    player : who made it, -1 for chance, -2 for all at once; `action` then has one action a player.
    """

    player: int
    action: Any
    text: str
    result: SearchResult | None = None


DICE = ("rolled", "typed")
"""Who rolls the dice: the program, or people, who type in the results."""


class Session:
    """A game between people and one bot.

    opening : moves already made at the start.   humans : players controlled by people; the bot has the rest.
    seed : of the dice, and of a simulator's random draws; None: a new one.   types_dice : whether people type
    in outcomes.
    """

    def __init__(
        self,
        game: type[Game],
        bot: Bot,
        humans: Collection[int],
        opening: Sequence[str] = (),
        *,
        seed: int | None = None,
        types_dice: bool = False,
    ) -> None:
        self.game = game
        self.hides = hides_information(game)
        """Whether players see only a part of the state."""
        if self.hides and types_dice:
            raise SettingsError(
                f"{game.name} deals what players must not see, so nobody can type it in",
                mend="leave out --dice",
            )
        self.types_dice = types_dice
        self._dice, self._random = Dice(seed), Random(seed)
        self.bot = bot
        self._humans = frozenset(humans)
        self._choosing = Choosing()
        self._opening = tuple(opening)
        self.restart()

    def restart(self) -> None:
        """Start a new game."""
        self._playthrough = Playthrough(
            self.game.new_initial_state(self._random), self._opening, random=self._random
        )
        self._seen: dict[int, tuple[SeenMoves, tuple[Any, ...]]] = {}
        """By player: the moves as that player saw them, and the actions of which they were made."""

        self._results: dict[int, SearchResult | None] = {}
        """By ply: the search of the bot that chose the move."""

    @property
    def humans(self) -> frozenset[int]:
        """The players controlled by people. Changing them forgets what people have chosen at a joint node."""
        return self._humans

    @humans.setter
    def humans(self, players: Collection[int]) -> None:
        self._humans = frozenset(players)
        self._choosing.clear()

    @property
    def state(self) -> Game:
        """The position; do not change it."""
        return self._playthrough.state

    @property
    def before(self) -> Game | None:
        """The position before the last move."""
        return self._playthrough.before

    @property
    def known(self) -> Game | Shown:
        """What the player to move knows: the position, or an information state."""
        player = self.asked
        return self._playthrough.shown(self.state.current_player() if player is None else player)

    @property
    def asked(self) -> int | None:
        """The person's player who is to choose now; None if no person is.

        Where all move at once, people are asked one after the other, and then the bot.
        """
        if self.is_joint:
            return next((player for player in self._joint.missing if player in self.humans), None)
        player = self._playthrough.player
        return player if player in self.humans else None

    @property
    def choosers(self) -> tuple[int, ...]:
        """The people's players who choose in the position shown; several only where all move at once."""
        if self.is_joint:
            return tuple(player for player in self._joint.choosers if player in self.humans)
        return () if self.asked is None else (self.asked,)

    @property
    def _joint(self) -> Choices:
        """What people have chosen in the position shown, where all move at once."""
        return self._choosing.at(self.state)

    @property
    def shown(self) -> Game:
        """The position as the people at the screen may see it; do not change it.

        With hidden information, it is as the person to move sees it, or the only person. Several people see
        public fields alone while it is nobody's turn of theirs. All is shown when the game is over, and
        if no person plays.
        """
        return self._as_seen(self.state)

    @property
    def shown_before(self) -> Game | None:
        """The position before the last move, seen in the same way."""
        before = self.before
        return None if before is None else self._as_seen(before)

    def saw(self, move: Move) -> bool:
        """Whether people may be told of the last move, and of what it was."""
        viewer = self._viewer
        return viewer is None or move.player == viewer

    def noticed(self) -> bool:
        """Whether people saw anything of the last move."""
        viewer, played = self._viewer, self._playthrough
        if viewer is None or viewer < 0:
            return viewer is None or self.shown != self.shown_before
        return (
            played.information_state(viewer).events != played.information_state(viewer, played.ply - 1).events
        )

    def last_seen(self) -> SeenMove | None:
        """Return the last move as people saw it; None if they may not be told of it."""
        moves = self.seen_moves()
        return moves[-1] if moves and self.noticed() else None

    def seen_moves(self) -> list[SeenMove] | None:
        """Return the moves made as the person to whom the screen belongs saw them; None if all is shown.

        Empty while several people look at it.
        """
        viewer, played = self._viewer, self._playthrough
        if viewer is None:
            return None
        if viewer < 0:
            return []
        known, actions = self._seen.get(viewer, (SeenMoves(viewer), ()))
        if actions != played.actions[: len(actions)]:
            known = SeenMoves(viewer)
        known.update(played)
        self._seen[viewer] = known, played.actions
        return known.moves

    @property
    def _viewer(self) -> int | None:
        """The player whose view is shown; None if all is shown, -1 for public fields alone."""
        if not self.hides or not self.humans or self.is_over:
            return None
        if self.is_humans_turn:
            return self._playthrough.player
        return next(iter(self.humans)) if len(self.humans) == 1 else -1

    def _as_seen(self, state: Game) -> Game:
        viewer = self._viewer
        return state if viewer is None else blanked(state, viewer)

    @property
    def moves(self) -> tuple[Move, ...]:
        return self._moves_from(0)

    @property
    def is_over(self) -> bool:
        return self._playthrough.is_over

    @property
    def is_joint(self) -> bool:
        """Whether all players move at once in the position shown."""
        return self._playthrough.is_joint

    @property
    def is_humans_turn(self) -> bool:
        return self.asked is not None

    @property
    def is_chances_turn(self) -> bool:
        return self._playthrough.is_chance

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to move, or to type in an outcome of chance."""
        return self.is_humans_turn or (self.is_chances_turn and self.types_dice)

    def check(self, text: str) -> None:
        """Raise `ActionError` unless `text` names a move that the person asked, or chance, can make here."""
        if self.is_joint and self.asked is not None:
            self._joint.check(self.asked, text)
        else:
            self.state.check_action(text)

    def legal_actions(self) -> list[int]:
        """Return what the person asked may choose from, or the outcomes of chance."""
        if self.is_joint:
            return [] if self.asked is None else self._joint.legal_actions(self.asked)
        return list(self.state.legal_actions())

    def play(self, text: str) -> Move | None:
        """Play the move that `text` names; on `ActionError` nothing has changed.

        Where all move at once, it is what the person asked chooses. The move is made once all have chosen,
        and returned; until then nothing is made, and None is returned.
        """
        if not self.is_joint:
            return self._make(text)
        if self.asked is None:
            raise ActionError("the bot is to choose here")
        self._joint.choose(self.asked, text)
        return None if self._joint.missing else self._make(self._joint.joint_move())

    def take_back(self) -> int | None:
        """Take back the last choice of a person where others have still to choose; return the player.

        None if there is none.
        """
        chosen = self._joint.chosen if self.is_joint else ()
        if not chosen:
            return None
        self._joint.take_back(chosen[-1])
        return chosen[-1]

    def bot_move(self) -> Move:
        """Let the bot play a move for the player to move.

        Where all move at once, it chooses for each player that no person has, by the position alone, and the
        move is made with what people have chosen.
        """
        if not self.is_joint:
            action, result = self._asked_bot(self._playthrough.player)
            return self._make(action, result)
        joint = self._joint
        chosen: dict[int, int] = {}
        found: SearchResult | None = None
        for player in joint.missing:
            chosen[player], result = self._asked_bot(player)
            if found is None or found.ended_by != "interrupted":
                found = result
        return self._make(joint.joint_move(chosen), found)

    def _asked_bot(self, player: int | None) -> tuple[Any, SearchResult | None]:
        """Return the bot's legal action for `player`, and its search."""
        assert player is not None
        action = self.bot.choose(self._playthrough.shown(player), None, self._playthrough.shown_moves())
        try:
            legal = self._joint.check(player, action) if self.is_joint else legal_action(self.state, action)
        except ActionError as error:
            raise BranchwiseError(f"{self.bot!r} chose action {action!r}, which is not legal here") from error
        return legal, self.bot.result

    def chance_move(self) -> Move:
        """Roll the dice for the move of chance that is due.

        After `undo`, the same moves bring the same outcomes again; other moves bring new ones.
        """
        playthrough = self._playthrough
        if playthrough.ply < playthrough.length:
            playthrough.redo()
            return self._moves_from(playthrough.ply - 1)[0]
        return self._make(self._dice.roll(self.state))

    def undo(self) -> list[Move]:
        """Take moves back until it is a person's turn again; return them, the last first.

        Outcomes that people typed in are taken back one by one, too. Raises `ActionError` if no person had an
        earlier turn.
        """
        moves = self.moves
        for earlier in range(len(moves) - 1, -1, -1):
            if self._is_stop(moves[earlier]):
                self._playthrough.go_to(earlier)
                return list(moves[earlier:][::-1])
        raise ActionError("there is nothing to undo")

    def redo(self) -> list[Move]:
        """Play the moves again that `undo` took back, up to a person's turn; return them in order.

        Raises `ActionError` if there are none: nothing was undone, or another move was played since.
        """
        playthrough, first = self._playthrough, self._playthrough.ply
        playthrough.redo()
        while playthrough.ply < playthrough.length and not self.waits_for_person:
            playthrough.redo()
        return list(self._moves_from(first))

    def _is_stop(self, move: Move) -> bool:
        """Whether undo stops before a move: a person chose it, or had a part in it."""
        if move.player == SIMULTANEOUS:
            return any(made_choice(move.action, player) for player in self.humans)
        return move.player in self.humans or (move.player == CHANCE and self.types_dice)

    def to_dict(self) -> dict[str, Any]:
        """Return the game as plain values, which `Playthrough.from_json` reads as JSON."""
        return self._playthrough.to_dict()

    @property
    def returns(self) -> list[float]:
        """Each player's return in a finished game."""
        return list(self._playthrough.returns or ())

    def winners(self) -> list[int]:
        """Return the players with the best return of a finished game; empty if all are equal."""
        returns = self.returns
        if len(returns) == 1 or min(returns) == max(returns):
            return []
        return [player for player, number in enumerate(returns) if number == max(returns)]

    def _make(self, action: Any, result: SearchResult | None = None) -> Move:
        ply = self._playthrough.ply
        self._playthrough.play(action)
        self._results[ply] = result
        return self._moves_from(ply)[0]

    def _moves_from(self, first: int) -> tuple[Move, ...]:
        made = enumerate(self._playthrough.moves[first:], start=first)
        return tuple(Move(m.player, m.action, m.text, self._results.get(ply)) for ply, m in made)


def read_side(text: str, game: type[Game]) -> frozenset[int]:
    """Return the players that `text` names: first, second, both, all, none, or numbers such as 0,2.

    Raises `UnknownNameError` for anything else, and `SettingsError` for a player that the game does not have.
    """
    everybody = tuple(range(game.num_players))
    words = {**_SEATS, "both": everybody, "all": everybody}
    chosen: set[int] = set()
    for word in text.lower().replace(",", " ").split():
        if word.isdecimal():
            chosen.add(int(word))
        elif word in words:
            chosen.update(words[word])
        else:
            raise nearest_name("side", word, words)
    if not text.strip():
        raise SettingsError("no side is given", mend=f"one of {', '.join(words)}, or players by number")
    for player in chosen:
        if player not in everybody:
            players = "the only player is 0" if len(everybody) == 1 else f"players are 0 to {everybody[-1]}"
            raise SettingsError(f"{game.name} has no player {player}: {players}")
    return frozenset(chosen)
