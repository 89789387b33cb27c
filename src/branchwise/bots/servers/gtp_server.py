"""A bot as a program that speaks GTP, for Sabaki, GoGui and others; see docs/engines.md."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from branchwise.bots.servers.gtp_analysis import UNRESTRICTED, Request, kata_line, lz_line
from branchwise.bots.servers.server import BotServer, gone_on, problem_of
from branchwise.common.errors import (
    ActionError,
    BranchwiseError,
    ResignedError,
    SettingsError,
    UnknownNameError,
)
from branchwise.engines.gtp.board import Board, moves_are_points, of_size, result_text
from branchwise.engines.gtp.clock import GtpClock
from branchwise.engines.gtp.handicap import FEWEST_STONES, handicap_points, most_stones
from branchwise.engines.gtp.language import COLOURS, INTERRUPT, PASS, RESIGN, Answer, Command, read_colour
from branchwise.engines.two_players import base_name, check_two_players
from branchwise.game.rules_class import Game
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.search.results.result import SearchResult
from branchwise.search.settings.budget import MAX_SECONDS
from branchwise.search.settings.move_limit import Limit

ILLEGAL = "illegal move"

Line = Callable[[SearchResult, Board, int | None], str]
Do = Callable[[list[str]], str | None]


class GtpServer(BotServer):
    """A conversation with a program that speaks GTP and uses the bot; it ends with `quit` or with the input.

    The arguments are those of `BotServer`. The player who begins is black. Faults are answers that begin
    with a question mark; a fault of the bot is also written to standard error.

    >>> import io
    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> said = io.BytesIO()
    >>> lines = b"1 play b b2\\n2 play w b2\\nplay w a1\\nplay b c2\\nplay w c1\\ngenmove b\\n"
    >>> GtpServer(TicTacToe, "minimax", 1, read=io.BytesIO(lines), write=said).run()
    True
    >>> print(said.getvalue().decode().replace("\\n\\n", "\\n"), end="")
    =1
    ?2 illegal move: "b2" is not a legal move here; legal moves are A3 B3 C3 A2 C2 A1 B1 C1
    =
    =
    =
    = A2
    """

    def __init__(self, game: type[Game], *given: Any, **named: Any) -> None:
        check_two_players(game)
        super().__init__(game, *given, **named)
        self._board = Board(game)
        self._played: Playthrough[Game] = Playthrough(game())
        self._stones: list[int] = []
        """The points of handicap stones."""

        self._made: list[tuple[int, int]] = []
        """The moves so far, each with its player: one may move out of turn."""

        self._clock = GtpClock()
        self._number: int | None = None
        """The number of the last command."""

        self._reported = 0.0
        self._analyses = False
        """Whether the last answer goes on until the next line."""

        self._commands: dict[str, Do] = dict(self._all_commands())

    def _all_commands(self) -> Iterator[tuple[str, Do]]:
        yield "protocol_version", lambda _: "2"
        yield "name", lambda _: self._name.partition(" ")[0]
        yield "version", lambda _: f"{self._name.partition(' ')[2]} {self._spec}".strip()
        yield "known_command", lambda words: str(" ".join(words) in self._commands).lower()
        yield "list_commands", lambda _: "\n".join(self._commands)
        yield "quit", self._do_quit
        yield "boardsize", self._do_boardsize
        yield "rectangular_boardsize", self._do_boardsize
        yield "clear_board", self._do_clear_board
        yield "komi", self._do_komi
        yield "play", self._do_play
        yield "genmove", self._do_genmove
        yield "reg_genmove", lambda words: self._choose_quietly("reg_genmove", words, plays=False)
        if _has_stones(self._game):
            yield "fixed_handicap", self._do_fixed_handicap
            yield "place_free_handicap", self._do_place_free_handicap
            yield "set_free_handicap", self._do_set_free_handicap
            yield "kgs-genmove_cleanup", self._do_genmove
            yield "final_status_list", self._do_final_status_list
        yield "undo", self._do_undo
        yield "gg-undo", self._do_undo
        yield "showboard", lambda _: f"\n{self._played.state}"
        yield "time_settings", self._do_time_settings
        yield "time_left", self._do_time_left
        yield "kata-time_settings", self._do_kata_time_settings
        yield "set_random_seed", self._do_set_random_seed
        if callable(getattr(self._game, "score", None)):
            yield "final_score", self._do_final_score
        yield "gogui-interrupt", lambda _: ""
        yield "lz-analyze", lambda words: self._analyse(words, lz_line)
        yield "kata-analyze", lambda words: self._analyse(words, kata_line)
        yield "lz-genmove_analyze", lambda words: self._choose_openly(words, lz_line)
        yield "kata-genmove_analyze", lambda words: self._choose_openly(words, kata_line)
        yield "gogui-analyze_commands", self._do_analyze_commands
        if moves_are_points(self._game):
            yield "gogui-rules_game_id", lambda _: base_name(self._game)
            yield "gogui-rules_board", lambda _: f"\n{self._board.text(self._played.state)}"
            yield "gogui-rules_board_size", lambda _: str(self._board.size)
            yield "gogui-rules_legal_moves", lambda _: " ".join(self._legal_points())
            yield "gogui-rules_side_to_move", lambda _: ("black", "white")[self._played.player or 0]
            yield "gogui-rules_final_result", lambda _: result_text(self._played.returns)

    def tell(self, text: str) -> None:
        """Write a remark to standard error, which GTP's windows show."""
        print(text, file=sys.stderr, flush=True)

    def _hear(self, line: str) -> None:
        if self._analyses:
            self._end_analysis()
        if line.strip().lower() == INTERRUPT:
            if self._choice is not None:
                self._choice.stop()
            return
        command = Command.read(line)
        if command is None:
            return
        if self._choice is not None:
            self._choice.wait()  # answers come in the order of the commands
            self._choice = None
        try:
            text = self._carry_out(command)
        except BranchwiseError as error:
            told = error.problem if error.mend is None else f"{error.problem}; {error.mend}"
            self._answer(False, command.number, told)
        except Exception as error:
            self._tell_error(error)
            self._answer(False, command.number, problem_of(error))
        else:
            if text is not None:
                self._answer(True, command.number, text)

    def _carry_out(self, command: Command) -> str | None:
        """Return the answer to a command; None if it comes later, by another thread."""
        do = self._commands.get(command.name)
        if do is None:
            raise UnknownNameError("unknown command")
        self._number = command.number
        return do(list(command.arguments))

    def _answer(self, done: bool, number: int | None, text: str) -> None:
        self._say(Answer(done, number, text).line()[:-1])

    # --- the board ----------------------------------------------------------------------------------

    def _do_quit(self, _: list[str]) -> str:
        self._over = True
        return ""

    def _do_boardsize(self, words: list[str]) -> str:
        if not 1 <= len(words) <= 2 or not all(word.isdecimal() and len(word) < 4 for word in words):
            raise SettingsError("boardsize must be followed by one or two whole numbers")
        columns, rows = int(words[0]), int(words[-1])
        board = self._board
        same = (columns, rows) == (board.columns, board.rows)
        if not same and not (len(words) == 1 and columns == board.size):  # the board as GoGui shows it
            other = of_size(self._game, columns, rows)
            self._play_other(other, Playthrough(other()))
        return self._do_clear_board([])

    def _do_clear_board(self, _: list[str]) -> str:
        self._bot.new_game()
        self._played, self._stones, self._made = Playthrough(self._game()), [], []
        self._clock.restart()
        return ""

    def _do_komi(self, words: list[str]) -> str:
        """Set the komi; games without one ignore it, because windows send it in any game."""
        try:
            komi = float(words[0])
        except (IndexError, ValueError):
            komi = math.nan
        if not math.isfinite(komi):
            raise SettingsError("komi must be followed by a number")
        constants = self._game.constants()
        if "komi" in constants and komi != constants["komi"]:
            other = self._game.configured(komi=komi)
            self._play_other(other, _after(other, self._stones, self._made))
        return ""

    def _play_other(self, game: type[Game], played: Playthrough[Game]) -> None:
        """Go on with a variant of the game."""
        self._set_game(game)
        self._board, self._played = Board(game), played

    def _do_fixed_handicap(self, words: list[str]) -> str:
        self._check_is_empty()
        return self._set_stones(handicap_points(self._board.size, _number_of_stones(words)))

    def _do_place_free_handicap(self, words: list[str]) -> str:
        """Choose the points: the fixed ones, so there may be fewer stones than requested, as GTP allows."""
        self._check_is_empty()
        size, stones = self._board.size, _number_of_stones(words)
        return self._set_stones(handicap_points(size, min(stones, most_stones(size))))

    def _do_set_free_handicap(self, words: list[str]) -> str:
        self._check_is_empty()
        if len(words) < FEWEST_STONES:
            raise SettingsError(f"set_free_handicap must be followed by at least {FEWEST_STONES} points")
        self._set_stones(words)
        return ""

    def _check_is_empty(self) -> None:
        if self._made or self._stones:
            raise ActionError("board not empty")

    def _set_stones(self, points: Sequence[str]) -> str:
        """Begin with Black's stones on these points, and White to move; returns the points."""
        start = self._game()
        stones = [self._board.action(start, point) for point in points]
        if len(set(stones)) < len(stones):
            raise ActionError("repeated vertex")
        if any(self._board.point(start, stone).lower() == PASS for stone in stones):
            raise ActionError("a handicap stone cannot pass")
        self._played, self._stones = _after(self._game, stones, []), stones
        return " ".join(points)

    def _do_final_status_list(self, words: list[str]) -> str:
        """Area scoring, without an agreement about dead stones, counts all of them as alive."""
        if words not in (["alive"], ["dead"], ["seki"]):
            raise SettingsError("invalid status", mend="alive, dead or seki")
        state = self._played.state
        alive = [*self._board.stones(state, 0), *self._board.stones(state, 1)]
        return " ".join(alive) if words == ["alive"] else ""

    def _do_play(self, words: list[str]) -> str:
        if len(words) != 2:
            raise SettingsError("play must be followed by a colour and a point")
        player = read_colour(words[0])
        played = _turn_of(player, self._played)
        try:
            action = self._board.action(played.state, words[1])
            played.play(action)
        except ActionError as error:
            raise ActionError(f"{ILLEGAL}: {error.problem}", mend=error.mend) from None
        self._note(player, action, played)
        self._rehearse()
        return ""

    def _do_undo(self, words: list[str]) -> str:
        moves = int(words[0]) if words and words[0].isdecimal() and len(words[0]) < 7 else 1
        if not 0 < moves <= len(self._made):
            raise ActionError("cannot undo")
        self._played = _after(self._game, self._stones, self._made[:-moves])
        del self._made[-moves:]
        return ""

    def _note(self, player: int, action: int, played: Playthrough[Game]) -> None:
        """Go on from the game after a move."""
        self._made.append((player, action))
        self._played = played

    def _do_final_score(self, _: list[str]) -> str:
        lead = float(self._played.state.score())  # type: ignore[attr-defined]
        return f"{'B' if lead > 0 else 'W'}+{abs(lead):g}" if lead else "0"

    def _do_set_random_seed(self, words: list[str]) -> str:
        if len(words) != 1 or not words[0].lstrip("-").isdecimal() or len(words[0]) > 19:
            raise SettingsError("set_random_seed must be followed by a whole number")
        self._set_bot(self._spec, int(words[0]))
        return ""

    # --- time ---------------------------------------------------------------------------------------

    def _do_time_settings(self, words: list[str]) -> str:
        if len(words) != 3:
            raise SettingsError("time_settings must be followed by main time, overtime and its moves")
        self._clock.set(*words)
        return ""

    def _do_kata_time_settings(self, words: list[str]) -> str:
        self._clock.set_kind(words[0] if words else "", words[1:])
        return ""

    def _do_time_left(self, words: list[str]) -> str:
        if len(words) != 3:
            raise SettingsError("time_left must be followed by a colour, seconds and moves")
        self._clock.tell(read_colour(words[0]), words[1], words[2])
        return ""

    # --- thinking -----------------------------------------------------------------------------------

    def _do_genmove(self, words: list[str]) -> None:
        self._choose_quietly("genmove", words, plays=True)

    def _choose_quietly(self, command: str, words: list[str], *, plays: bool) -> None:
        """Choose a move, and play it if so asked."""
        if len(words) != 1:
            raise SettingsError(f"{command} must be followed by a colour")
        number = self._number
        self._think(read_colour(words[0]), None, lambda point: self._answer(True, number, point), plays=plays)

    def _choose_openly(self, words: list[str], line: Line) -> None:
        """Choose and play a move, and report on the search meanwhile."""
        request = Request.read(words)
        player = self._played.player if request.player is None else request.player
        report = self._reporter(request, line)
        self._think(player or 0, report, lambda point: self._say(f"play {point}", ""), request, plays=True)

    def _think(
        self,
        player: int,
        report: Callable[[SearchResult], None] | None,
        say: Callable[[str], None],
        request: Request = UNRESTRICTED,
        *,
        plays: bool,
    ) -> None:
        """Let the bot choose for `player`, then say its move; plays : whether it is also played."""
        number, began = self._number, time.monotonic()
        played = _turn_of(player, self._played)
        state = played.state
        avoid = self._avoided(request, state)
        seconds = self._clock.seconds(player)
        if report is not None:
            self._say(Answer(True, number, "").head().rstrip())

        def end(action: int | None, error: BaseException | None) -> None:
            try:
                if error is not None:
                    raise error
                if action not in state.legal_actions():
                    raise ActionError(f"the bot chose {action!r}, which is not legal here")
                point = self._board.point(state, int(action))
                if plays:
                    played.play(int(action))
                    self._note(player, int(action), played)
                    self._clock.spend(player, time.monotonic() - began)
            except ResignedError:
                point = RESIGN
            except BaseException as fault:
                self._tell_error(fault)
                if report is None:
                    self._answer(False, number, problem_of(fault))
                else:  # the answer has begun
                    self._say("")
                return
            say(point)

        self._set_progress(report)
        limit = None if seconds is None and not avoid else Limit(seconds=seconds, avoid=avoid)
        self._choose(played, limit, seconds, _known_moves(played), end)

    def _analyse(self, words: list[str], line: Line) -> None:
        """Search and report until the next line comes."""
        request = Request.read(words)
        player = self._played.player if request.player is None else request.player
        played = _turn_of(player or 0, self._played)
        avoid = self._avoided(request, played.state)
        report = self._reporter(request, line)
        self._say(Answer(True, self._number, "").head().rstrip())
        self._analyses = True

        def end(_: int | None, error: BaseException | None) -> None:
            result = self._bot.result
            if error is not None:
                self._tell_error(error)
            elif isinstance(result, SearchResult):
                self._reported = 0.0
                report(result)

        self._set_progress(report)
        self._choose(played, Limit(seconds=MAX_SECONDS, avoid=avoid), None, _known_moves(played), end)

    def _avoided(self, request: Request, state: Game) -> tuple[tuple[int, int, int], ...]:
        """Return what the bot is not to consider; raises `SettingsError` if it cannot keep to that."""
        avoid = request.avoided(self._board, state)
        if avoid:
            self._bot.check_restricts()
        here = {action for player, action, _ in avoid if player == state.current_player()}
        if here.issuperset(state.legal_actions()):
            raise SettingsError("no legal move is left to search", mend="leave at least one")
        return avoid

    def _reporter(self, request: Request, line: Line) -> Callable[[SearchResult], None]:
        """Return a function that writes a search's findings, no more often than requested."""
        if not hasattr(self._bot, "progress"):
            raise SettingsError(
                f"{self._spec} does not report on its search, so there is nothing to show",
                mend="--bot mcts does",
            )
        self._reported = 0.0

        def report(result: SearchResult) -> None:
            now = time.monotonic()
            if now - self._reported >= request.interval:
                text = line(result, self._board, request.most)
                if text:
                    self._reported = now
                    self._say(text)

        return report

    def _end_analysis(self) -> None:
        self._analyses = False
        if self._choice is not None:
            self._choice.stop()
            self._choice.wait()
            self._choice = None
        self._say("")

    def _end_choice(self) -> None:
        if self._analyses:
            self._end_analysis()
        elif self._choice is not None:  # commands may come from a pipe, which is at its end
            self._choice.wait()

    # --- GoGui --------------------------------------------------------------------------------------

    def _do_analyze_commands(self, _: list[str]) -> str:
        shown = [
            "plist/Legal Moves/gogui-rules_legal_moves",
            "string/Side To Move/gogui-rules_side_to_move",
            "string/Result/gogui-rules_final_result",
        ]
        found = [line for line in shown if line.rpartition("/")[2] in self._commands]
        return "\n".join([*found, "string/Board/showboard"])

    def _legal_points(self) -> list[str]:
        return [] if self._played.is_over else self._board.points(self._played.state)


def _has_stones(game: type[Game]) -> bool:
    """Whether a game is like Go: stones can be set up, and anyone may move next."""
    has_both = callable(getattr(game, "set_up", None)) and callable(getattr(game, "go_on", None))
    return has_both and moves_are_points(game)


def _number_of_stones(words: list[str]) -> int:
    stones = int(words[0][:9]) if len(words) == 1 and words[0].isdecimal() else 0
    if stones < FEWEST_STONES:
        raise SettingsError("invalid number of stones", mend=f"give a whole number, at least {FEWEST_STONES}")
    return stones


def _after(game: type[Game], stones: Sequence[int], made: Sequence[tuple[int, int]]) -> Playthrough[Game]:
    """Return a game after handicap stones and moves of the players given."""
    state = game()
    if stones:
        state.set_up([(0, stone) for stone in stones], 1)  # type: ignore[attr-defined]
    played = Playthrough(state)
    for player, action in made:
        played = _turn_of(player, played)
        played.play(action)
    return played


def _turn_of(player: int, played: Playthrough[Game]) -> Playthrough[Game]:
    """Return the game with `player` to move, as GTP allows, also out of turn.

    A game with a method `go_on` goes on without a pass. In any other game the other player passes.
    """
    if not played.is_over and played.player == player:
        return played.copy()
    if callable(getattr(played.state, "go_on", None)):
        return gone_on(played, player)
    if played.is_over:
        raise ActionError("the game is over")
    passed = played.copy()
    try:
        passed.play(PASS)
    except ActionError:
        raise ActionError(f"{ILLEGAL}: it is {COLOURS[played.player or 0]}'s turn, who cannot pass") from None
    if passed.is_over:
        raise ActionError("the game is over if both pass")
    return passed


def _known_moves(played: Playthrough[Game]) -> tuple[int, ...] | None:
    """Return the moves from the start of the game; None if stones were set up, or a move was out of turn."""
    return played.actions if played.start == type(played.start)() else None
