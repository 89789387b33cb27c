"""Talking to a program by GTP: its board, its clock, its moves."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from branchwise.common.errors import SettingsError, nearest_name
from branchwise.engines.conversation import OVERTIME, Conversation
from branchwise.engines.gtp.language import INTERRUPT, PASS, RESIGN, Answer, Play

_LONGEST_ANSWER = 10_000
_SEEDS = 2**31
_GO_ONLY = ("fixed_handicap", "place_free_handicap")
"""Commands of GTP that only programs for Go have: handicap stones."""


class GtpEngine(Conversation):
    """A program that has been started and has listed its commands.

    The arguments are those of `Conversation`; options : commands sent once, by name, with an argument.
    seed : sent to a program that knows `set_random_seed`.

    name : the program's name and version.   commands : those that it knows.   Every fault raises
    `EngineError` and ends the program.
    """

    protocol = "GTP"
    name = ""
    commands: tuple[str, ...] = ()

    def _begin(self, options: Mapping[str, object], seed: int | None) -> None:
        self._number = 0
        self._times = ""
        self._moves: list[Play] | None = None
        """The moves on its board, None if they are not known."""

        self._skips_passes = False
        """Whether it passes by itself where that is the only move, and refuses to be told."""

        self._pending: int | None = None
        """The number of a move that was asked for and not awaited, because of an interrupt."""

        self.commands = tuple(self.ask("list_commands").split())
        self.name = f"{self._told('name')} {self._told('version')}".strip()
        for name, value in options.items():
            self._set(name, value)
        if seed is not None and "set_random_seed" in self.commands:
            self.ask(f"set_random_seed {seed % _SEEDS}")

    def ask(self, line: str, *, mend: str | None = None, moves: Sequence[Play] = ()) -> str:
        """Return the answer to a command; raises `EngineError` if the program refuses it.

        mend : what may help then.   moves : those that lead to the position.
        """
        answer = self._answer(self._send(line), self._patience)
        if not answer.done:
            after = " ".join(move.point for move in moves) or None
            raise self.error(f'refused "{line}": {answer.text or "without a reason"}', mend=mend, after=after)
        return answer.text

    def set_game(self, name: str) -> None:
        """Make the program play the game `name`; raises `EngineError` if it says that it plays another.

        Programs for Go do not name their game, but they know handicap stones.
        """
        told: list[str] = []
        if "gogui-rules_game_id" in self.commands:
            told = [self.ask("gogui-rules_game_id")]
        elif "list_games" in self.commands:
            told = self.ask("list_games").split()
        elif any(command in self.commands for command in _GO_ONLY):
            told = ["go"]
        known = {plain_name(one): one for one in told}
        if known and plain_name(name) not in known:
            raise self.error(
                f"plays {' and '.join(told)}, not {name}",
                mend=f'if it knows the game by another name: game="{told[0]}"',
            )
        if "set_game" in self.commands and known:
            self.ask(f"set_game {known[plain_name(name)]}")

    def new_game(self, columns: int, rows: int, komi: float | None) -> None:
        """Clear the board; 0 columns : leave its size as it is.   komi : None if the game has none."""
        self._settle()
        if columns != rows and "rectangular_boardsize" not in self.commands:
            raise self.error(f"has square boards only, and this board has {columns} columns and {rows} rows")
        if columns:
            size = f"boardsize {columns}" if columns == rows else f"rectangular_boardsize {columns} {rows}"
            self.ask(size, mend=f"does it play on boards of {columns}x{rows}?")
        self.ask("clear_board")
        if komi is not None:
            self.ask(f"komi {komi:g}")
        self._moves, self._times = [], ""

    def go_to(self, moves: Sequence[Play]) -> None:
        """Put these moves on its board.

        A pass that is the only legal move is left out if the program refuses it: programs for Othello pass by
        themselves.
        """
        self._settle()
        known = self._moves
        if known is None or list(moves[: len(known)]) != known:
            self.ask("clear_board")
            known = []
        self._moves = None
        for move in moves[len(known) :]:
            if move.is_forced and move.point == PASS:
                self._pass(move)
            else:
                mend = "does it play this game, on this board, by these rules?"
                self.ask(move.line(), mend=mend, moves=moves)
        self._moves = list(moves)

    def set_time(self, seconds: float | None, left: float | None, increment: float, colour: str) -> None:
        """Tell the program its time, if it knows commands for that.

        seconds : for each move.   left, increment : of the clock for the whole game.   colour : the clock's.
        GTP counts whole seconds; programs with KataGo's `kata-time_settings` take fractions.
        """
        exact = "kata-time_settings" in self.commands
        if "time_settings" not in self.commands and not exact:
            return
        if seconds is not None and seconds < 1 and not exact:
            raise SettingsError(
                f'GTP counts whole seconds, so the engine "{self.command}" cannot be given {seconds:g} s '
                "for a move",
                mend="give it a second or more, or times=False if its own settings limit its time",
            )
        if left is not None and exact and increment:
            times = f"kata-time_settings fischer {left:g} {increment:g}"
        elif left is not None:
            times = f"time_settings {int(left)} 0 0"
        elif seconds is not None and exact:
            times = f"kata-time_settings byoyomi 0 {seconds:g} 1"
        elif seconds is not None:
            times = f"time_settings 0 {int(seconds)} 1"
        elif self._times:
            times = "time_settings 0 1 0"  # no limits
        else:
            return
        if times.split()[0] != self._times.partition(" ")[0] or (times != self._times and left is None):
            self.ask(times)
            self._times = times
        if "time_left" not in self.commands:
            return
        if left is not None:
            self.ask(f"time_left {colour} {f'{left:g}' if exact else int(left)} 0")
        elif seconds is not None:
            self.ask(f"time_left {colour} {f'{seconds:g}' if exact else int(seconds)} 1")

    def choose(self, colour: str, patience: float, seconds: float | None, stopping: threading.Event) -> str:
        """Return the program's move for `colour`, which it has played on its board: see `played`.

        patience : seconds to wait for the answer.   seconds : its limit; half a second beyond it the
        program is interrupted, if it can be.   stopping : if it is set already, it is interrupted at once.
        """
        self._stopped = False
        self._pending = self._send(f"genmove {colour}")
        before, self._moves = self._moves, None
        self._searching = True
        if stopping.is_set():
            self.stop()
        answer = self._answer(self._pending, patience, None if seconds is None else seconds + OVERTIME)
        self._searching, self._pending = False, None
        if not answer.done:
            raise self.error(f'refused "genmove {colour}": {answer.text or "without a reason"}')
        words = answer.text.split()
        if len(words) != 1:
            raise self.illegal(f'answered genmove with "{answer.text}", which is no move')
        if words[0].lower() == RESIGN:
            self._moves = before
        return words[0]

    def played(self, moves: Sequence[Play]) -> None:
        """Record that its last answer was a legal move: `moves` are on its board now."""
        self._moves = list(moves)

    def _stop_line(self) -> str | None:
        return INTERRUPT if "gogui-interrupt" in self.commands else None

    def _settle(self) -> None:
        """Wait for the answer of a choice that was interrupted; its board is then unknown."""
        if self._pending is not None:
            self.stop()
            self._answer(self._pending, self._patience)
            self._searching, self._pending = False, None

    def _set(self, name: str, value: object) -> None:
        if name not in self.commands:
            raise nearest_name("command of the engine", name, self.commands)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if "\n" in text or "\r" in text:
            raise SettingsError(f"the option {name} cannot have several lines")
        self.ask(f"{name} {text}".strip())

    def _pass(self, move: Play) -> None:
        """Send a forced pass, unless the program has refused one before."""
        if not self._skips_passes:
            self._skips_passes = not self._answer(self._send(move.line()), self._patience).done

    def _told(self, command: str) -> str:
        """Return the answer to a question that a program may refuse."""
        answer = self._answer(self._send(command), self._patience)
        return answer.text if answer.done else ""

    def _send(self, line: str) -> int:
        self._number += 1
        self._ask(f"{self._number} {line}")
        self._asked = line
        return self._number

    def _answer(self, number: int, patience: float, soft: float | None = None) -> Answer:
        """Return the answer to the command `number`; passes over answers to others."""
        found: Answer | None = None
        texts: list[str] = []
        for line in self._lines(patience, soft):
            if found is not None and not line.strip():
                return Answer(found.done, number, "\n".join(texts).strip())
            if found is not None:
                texts.append(line)
                if len(texts) > _LONGEST_ANSWER:
                    raise self.error(
                        f'answered "{self._asked}" with more than {_LONGEST_ANSWER:,} lines',
                        mend="an empty line ends an answer",
                    )
                continue
            begun = Answer.begun_by(line)
            if begun is not None and begun.number in (None, number):
                found, texts = begun, [begun.text]
            elif line.strip():
                self._note(line)
        raise AssertionError("the lines of a program end by an error")


def plain_name(name: str) -> str:
    """Return a game's name for comparison: small letters and digits, without options.

    >>> plain_name("Nine Men's Morris"), plain_name("nine_mens_morris(flying=False)")
    ('ninemensmorris', 'ninemensmorris')
    """
    return "".join(c for c in name.partition("(")[0].lower() if c.isalnum())
