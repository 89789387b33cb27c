"""Playing at a terminal: shows the board, reads moves and commands, and reports moves and results.

`Session` decides what is legal and what undo does; this module has only words and layout.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text

from branchwise.bots.players.human import HumanBot
from branchwise.bots.players.mcts import MCTSBot
from branchwise.cli.play.move_texts import chance_told, history_told, listed, move_told, outcome, player_name
from branchwise.cli.play.terminal_session import DICE, Move, Session, read_side
from branchwise.cli.terminal.screen import Screen
from branchwise.common.argument_checks import one_of
from branchwise.common.errors import (
    ActionError,
    BranchwiseError,
    EngineError,
    GameError,
    ResignedError,
    SettingsError,
)
from branchwise.game.kinds.continuous_actions import as_vector, box_words, has_box
from branchwise.search.results.joint_result import JointResult

if TYPE_CHECKING:
    from branchwise.bots.base.bot import Bot

_SHOWN_MOVES = 30
_TABLE_ROWS = 5
_HELP = {
    "undo": "take back your last move; can be repeated",
    "redo": "play a move again that you took back",
    "hint": "search, and show the best moves for you",
    "moves": "list the moves of the game and all legal moves",
    "board": "show the board again",
    "side": "choose the players you play: first, second, both, none, or numbers such as 0,2",
    "opponent": "choose the bot for the others: mcts(seconds=2), minimax(depth=6), flat, random",
    "new": "begin a new game",
    "help": "show this list",
    "quit": "leave; so does Ctrl-D",
}
_HELP_WITH_CHANCE = {
    "undo": "take back your last move; the same moves again bring the same dice, other moves new ones",
    **{name: meaning for name, meaning in _HELP.items() if name not in ("undo", "quit")},
    "dice": "choose who rolls: rolled, the program does, or typed, you type in what your dice show",
    "quit": _HELP["quit"],
}
_SYNONYMS = {"?": "help", "exit": "quit", "q": "quit", "restart": "new"}
_ANSWERS = {"y": "new", "yes": "new", "n": "quit", "no": "quit"}
"""Also understood when the game is over."""


class Dialogue:
    """Plays a session with the person at the keyboard.

    ask : shows a prompt and returns a line, or raises EOFError.   ask_unseen : the same without showing what
    is typed; several people who choose at once are asked by it.   load : makes a bot from its text form.
    adviser : the bot that gives hints.   ponders : whether the opponent thinks during the person's turn.
    """

    def __init__(
        self,
        session: Session,
        screen: Screen,
        *,
        ask: Callable[[str], str],
        ask_unseen: Callable[[str], str] | None = None,
        load: Callable[[str], Bot],
        adviser: Bot,
        ponders: bool = True,
    ) -> None:
        self.session = session
        self._screen = screen
        self._ask = ask
        self._ask_unseen = ask_unseen or ask
        self._load = load
        self._adviser = adviser
        self._ponders = ponders
        self._bot_before: Bot | None = None
        self._left = False
        self._board_shown = False

    def run(self) -> None:
        """Play until the person leaves."""
        self._greet()
        session = self.session
        while not self._left:
            if session.is_chances_turn and not session.waits_for_person:
                self._let_chance_move()
                continue
            self._show_position()
            if session.is_over or session.waits_for_person:
                self._read_line()
            else:
                self._let_bot_move()

    # --- turns --------------------------------------------------------------------------------------

    def _let_chance_move(self) -> None:
        move = self.session.chance_move()
        if self.session.saw(move):
            self._screen.show(chance_told(move))
        self._board_shown = False

    def _let_bot_move(self) -> None:
        session = self.session
        try:
            move = bot_move(session, self._screen, note=", Ctrl-C: move now")
        except ResignedError as error:
            self._screen.show("", f"{error}.")
            self._left = True
            return
        except (SettingsError, EngineError) as error:
            if self._bot_before is None:
                raise
            self._tell(error)
            session.bot, self._bot_before = self._bot_before, None
            self._screen.show(f"{session.bot!r} stays.")
            return
        if self._bot_before is not None:
            self._bot_before.close()
            self._bot_before = None
        self._say_move(move)
        if move.result is not None and move.result.ended_by == "interrupted" and not session.humans:
            raise KeyboardInterrupt
        if session.noticed():  # a board for each hidden move would count them
            self._board_shown = False

    def _read_line(self) -> None:
        session = self.session
        if (
            self._ponders
            and not session.hides
            and not session.is_joint
            and session.is_humans_turn
            and len(session.humans) < session.game.num_players
        ):
            session.bot.ponder(session.state)
        try:
            with self._screen.asking():
                line = (self._ask_unseen if self._is_secret else self._ask)("> ").strip()
        except EOFError:
            self._screen.show("", "Goodbye.")
            self._left = True
            session.bot.stop()
            return
        if not line:
            if session.is_chances_turn:
                self._let_chance_move()
            return
        word, _, rest = line.partition(" ")
        command = self._command(word)
        try:
            if self._is_move(line):
                self._play(line)
            elif command is None:
                self._not_understood(line, word)
            else:
                getattr(self, f"_do_{command}")(rest.strip())
        except BranchwiseError as error:
            if not isinstance(error, (ActionError, SettingsError, LookupError)):
                raise
            self._tell(error)

    def _command(self, word: str) -> str | None:
        word = word.lower().lstrip("/:")
        words = _SYNONYMS | (_ANSWERS if self.session.is_over else {})
        word = words.get(word, word)
        return word if word in self._help() else None

    def _is_move(self, text: str) -> bool:
        """Whether `text` is a legal move; moves come before commands of the same name."""
        try:
            self.session.check(text)
        except ActionError:
            return False
        return True

    @property
    def _is_secret(self) -> bool:
        """Whether several people choose at once, so that none may see what another types."""
        return len(self.session.choosers) > 1

    def _play(self, text: str) -> None:
        player, is_joint = self.session.asked, self.session.is_joint
        move = self.session.play(text)
        if move is not None:
            if is_joint:
                self._say_move(move)
            self._board_shown = False
        elif self._is_secret and player is not None:
            self._screen.show(Text.assemble(player_name(self.session, player), " has chosen."))

    def _not_understood(self, line: str, word: str) -> None:
        near = difflib.get_close_matches(word.lower().lstrip("/:"), self._help(), n=1, cutoff=0.7)
        offer = f'did you mean "{near[0]}"?' if near else "type help for the commands"
        if self.session.is_over:
            raise ActionError(f'"{line}" is not an answer; {offer}')
        if self._is_secret:
            raise ActionError("that is not a legal move here; type help for the commands")
        state = self.session.state
        if has_box(state) and as_vector(line) is not None:
            state.check_action(line)  # raises what is wrong with the numbers
        what = "a possible outcome" if self.session.is_chances_turn else "a legal move"
        raise ActionError(f'"{line}" is not {what} here; {offer}')

    # --- commands -----------------------------------------------------------------------------------

    def _do_undo(self, _: str) -> None:
        chooser = self.session.take_back()
        if chooser is not None:
            name = player_name(self.session, chooser)
            self._screen.show(Text.assemble("Took back what ", name, " chose."))
            return
        taken = self.session.undo()
        told = f"{len(taken)} moves" if self.session.hides else " ".join(move.text for move in taken)
        self._screen.show(f"Took back: {told}.")
        self._board_shown = False

    def _do_redo(self, _: str) -> None:
        made = self.session.redo()
        told = f"{len(made)} moves" if self.session.hides else " ".join(move.text for move in made)
        self._screen.show(f"Played again: {told}.")
        self._board_shown = False

    def _do_hint(self, _: str) -> None:
        session = self.session
        if session.is_over:
            raise ActionError("the game is over: there is no hint")
        if session.is_chances_turn:
            raise ActionError("chance is to move: there is no hint")
        with self._screen.thinking("hint", ", Ctrl-C: enough") as report:
            if isinstance(self._adviser, MCTSBot):
                self._adviser.progress = report
            action = self._adviser.choose(session.known)
        result = self._adviser.result
        if result is not None:
            self._screen.show(result.to_table(_TABLE_ROWS))
        best = session.state.action_to_string(action)
        if isinstance(result, JointResult) and result.draws_actions:
            self._screen.show(f"Drawn from the mean strategy: {best}")
        else:
            self._screen.show(f"Best move found: {best}")

    def _do_moves(self, _: str) -> None:
        session = self.session
        self._screen.show(Text.assemble("Played: ", history_told(session) or "nothing yet"))
        if not session.is_over:
            box = box_words(session.state)
            self._screen.show(f"Legal: {box or ' '.join(self._legal_texts())}")

    def _do_board(self, _: str) -> None:
        self._board_shown = False

    def _do_side(self, text: str) -> None:
        session = self.session
        if text:
            session.humans = read_side(text, session.game)
        self._who_is_who()

    def _do_opponent(self, text: str) -> None:
        session = self.session
        if text:
            try:
                bot = self._load(text)
            except (GameError, EngineError) as error:  # of this bot alone: the game goes on
                self._tell(error)
                return
            if isinstance(bot, HumanBot):
                session.humans = frozenset(range(session.game.num_players))
            else:
                session.bot.stop()
                self._bot_before, session.bot = session.bot, bot
        self._who_is_who()

    def _do_new(self, _: str) -> None:
        self.session.restart()
        self._screen.show("A new game.")
        self._board_shown = False

    def _do_dice(self, text: str) -> None:
        session = self.session
        if text:
            session.types_dice = one_of("dice", text.lower(), DICE) == "typed"
            self._board_shown = False
        told = "You type in the dice." if session.types_dice else "The program rolls the dice."
        self._screen.show(told)

    def _do_help(self, _: str) -> None:
        self._screen.show("Type a move, or one of:")
        for name, meaning in self._help().items():
            self._screen.show(f"  {name:<9} {meaning}")

    def _help(self) -> dict[str, str]:
        """Return the meaning of each command in this game."""
        return _HELP_WITH_CHANCE if self.session.game.num_outcomes else _HELP

    def _do_quit(self, _: str) -> None:
        self._screen.show("Goodbye.")
        self._left = True
        self.session.bot.stop()

    # --- words --------------------------------------------------------------------------------------

    def _greet(self) -> None:
        self._screen.show(Text(self.session.game.name, style="bold"))
        self._who_is_who()
        self._screen.show("Type a move, or help.", style="dim")

    def _who_is_who(self) -> None:
        session = self.session
        if session.game.num_players == 1:
            self._screen.show("You play alone." if session.humans else f"{session.bot!r} plays alone.")
            return
        names = [player_name(session, player) for player in range(session.game.num_players)]
        yours = [name for player, name in enumerate(names) if player in session.humans]
        others = [name for player, name in enumerate(names) if player not in session.humans]
        told = []
        if yours:
            told.append(Text.assemble("You are ", listed(yours)))
        if others:
            told.append(Text.assemble(repr(session.bot), " plays ", listed(others)))
        self._screen.show(Text("; ").join(told) + Text("."))

    def _show_position(self) -> None:
        session = self.session
        if not self._board_shown:
            self._screen.show("")
            self._screen.show_board(session.shown, session.shown_before)
            self._screen.show("")
            self._board_shown = True
            if session.is_over:
                self._screen.show(outcome(session))
        if session.is_over:
            self._screen.show("Another game? (y, n, undo)")
        elif session.waits_for_person:
            shown = Text(f": {self._legal_moves()}", style="dim")
            self._screen.show(Text.assemble(self._whose_move(), shown))

    def _legal_moves(self) -> str:
        """Return the first of the legal moves, or the box that an action is in."""
        box = box_words(self.session.state)
        if box:
            return box
        texts = self._legal_texts()
        more = f" and {len(texts) - _SHOWN_MOVES} more" if len(texts) > _SHOWN_MOVES else ""
        return f"{' '.join(texts[:_SHOWN_MOVES])}{more}"

    def _whose_move(self) -> Text:
        session = self.session
        if session.is_joint and session.asked is not None:
            unseen = " (typing is not shown)" if self._is_secret else ""
            return Text.assemble(player_name(session, session.asked), f" to choose{unseen}")
        if session.is_chances_turn:
            return Text("Type in the dice, or Enter to have them rolled")
        if session.game.num_players == 1:
            return Text("Your move")
        return Text.assemble(player_name(session, session.state.current_player()), " to move")

    def _say_move(self, move: Move) -> None:
        if not self.session.saw(move):
            if self.session.noticed():
                seen = self.session.last_seen()
                what = " has moved" if seen is None or seen.action is None else f" plays {seen.text}"
                self._screen.show(Text.assemble(player_name(self.session, move.player), what))
            return
        who = move_told(self.session, move)
        if move.result is not None:
            result = move.result
            who.append(f"   {result.simulations:,} simulations in {result.seconds:.2f} s", style="dim")
            if result.player >= 0:
                mine = player_name(self.session, result.player)
                who.append_text(Text.assemble(", values for ", mine, style="dim"))
        self._screen.show(who)
        if move.result is not None:
            self._screen.show(move.result.to_table(_TABLE_ROWS))

    def _legal_texts(self) -> list[str]:
        state = self.session.state
        return [state.action_to_string(action) for action in self.session.legal_actions()]

    def _tell(self, error: BranchwiseError) -> None:
        self._screen.show(Text(error.problem, style="yellow"))
        if error.mend is not None:
            self._screen.show(f"  {error.mend}")


def bot_move(session: Session, screen: Screen, note: str = "") -> Move:
    """Let the bot of a session move, with a live line while it thinks."""
    bot = session.bot
    with screen.thinking(repr(bot), note) as report:
        if hasattr(bot, "progress"):
            bot.progress = report
        return session.bot_move()
