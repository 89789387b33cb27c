"""One page's session: its game, its opponent, and its searches.

All methods run in the server's event loop. The `JobRunner` runs searches and the `RuleThreads` run work with
the rules, both in threads. Messages of the page and results of searches change the game one at a time, in
order.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from branchwise.common.errors import ActionError, EngineError, ResignedError, SettingsError
from branchwise.common.name_and_options import parse_spec
from branchwise.compile.code.progress import Compiling
from branchwise.game.kinds.game_kinds import starts_at_random
from branchwise.web.game.game_record import LiveRecord
from branchwise.web.game.hidden_record import record_of
from branchwise.web.game.offered_games import OfferedGame
from branchwise.web.game.position_messages import board_told, check_has_boards, check_moves_in_turn
from branchwise.web.protocol import messages as m
from branchwise.web.protocol.error_messages import overtaken, refused, refused_discreetly, resigned
from branchwise.web.protocol.rule_threads import begin_task, in_thread
from branchwise.web.search.nodes import NodeDesk
from branchwise.web.search.search_view import SearchView
from branchwise.web.search.searchers import (
    Analyst,
    Player,
    check_line,
    checked_opponent,
    is_mirrored,
    planner_settings,
)
from branchwise.web.search.steps import StepDesk
from branchwise.web.session.job_runner import Job, JobRunner, Listener
from branchwise.web.session.jobs import bot_job, search_job
from branchwise.web.session.server_state import Server

if TYPE_CHECKING:
    from branchwise.search.results.result import SearchResult

_log = logging.getLogger("branchwise.web")

HINT_SECONDS = 1.0
_BETWEEN_BOT_MOVES = 0.3
_ABOUT = {"bot": "bot_move", "hint": "hint"}
"""The messages that request a search, besides analyse."""

Tell = Callable[[m.Told], object]


class Session(Listener):
    """A session; token : lets its page find it again.

    tell : sends messages to the page; None while no page is connected.
    """

    def __init__(self, token: str, server: Server) -> None:
        self.token = token
        self.tell: Tell | None = None
        self.left = time.monotonic()
        """The time when the page was last connected."""
        self._server = server
        self._most_seconds = server.limits.seconds
        self._record: LiveRecord | None = None
        self._opponent = m.Opponent()
        self._chosen = m.SearchSettings()
        """Settings of searches, as the page chose them."""
        self._view = SearchView(self._say)
        self._analyst = Analyst(server.memory, self._view.lose)
        self._player = Player(server.memory, self._view.lose)
        self._runner = JobRunner(server.slots, self)
        self._compiling: dict[Job, Compiling] = {}
        self._threads = server.rule_threads
        self._steps = StepDesk(server.memory, server.rule_threads, self._say)
        self._nodes = NodeDesk(server.rule_threads)
        self._analyses = False
        self._limits: tuple[float | None, int | None] = (None, None)
        """Seconds and simulations after which the analysis pauses."""
        self._bot_is_due = False
        self._thinking = ("", "")
        self._position: m.Position | None = None
        self._pause: asyncio.TimerHandle | None = None
        self._turn = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._news: Job | None = None

    @property
    def has_game(self) -> bool:
        return self._record is not None

    # --- coming and going -----------------------------------------------------------------------------

    async def enter(self, tell: Tell) -> Tell | None:
        """Attach a page; return the `tell` of a page that was still connected."""
        async with self._turn:
            other = self.tell
            if other is not None:
                self.leave()
            self.tell = tell
            return other

    async def resume(self) -> None:
        """Send a returning page its state, and continue the search."""
        async with self._turn:
            if self._record is not None:
                await self._tell_position()
                self._tell_compiling()
                await self._threads.do(self._view.tell_again)
                self._settle()

    def leave(self) -> None:
        """End the search at once; keep the game and the requests."""
        self.tell = None
        self._thinking = ("", "")
        self._analyst.abandon()
        self._player.abandon()
        self.left = time.monotonic()
        self._stop_pause()
        self._runner.want(None)
        self._steps.stop()

    def close(self) -> None:
        """Keep nothing."""
        self.leave()
        self._view.forget()
        self._analyst.drop()
        self._player.drop()
        self._steps.drop()

    async def ended(self) -> None:
        """Wait until no search is running."""
        await self._runner.ended()

    # --- the page's messages --------------------------------------------------------------------------

    async def hear(self, said: Any, tell: Tell) -> None:
        """Carry out a message of the page behind `tell`; report any error to it."""
        about = type(said).__struct_config__.tag
        async with self._turn:
            if self.tell != tell:
                return  # another page has taken over the session
            try:
                await self._do(said)
            except Exception as error:
                keeps_secrets = self._record is not None and self._record.keeps_secrets
                refuse = refused_discreetly if keeps_secrets and about != "new_game" else refused
                self._say(refuse(error, about=about, answers=said.id))

    async def _do(self, said: Any) -> None:
        if isinstance(said, m.NewGame):
            await self._new_game(said)
            return
        record = self._game
        match said:
            case m.Play():
                await self._play(record, said)
            case m.GoTo():
                await self._threads.do(record.go_to, said.ply)
                await self._moved(said.id, bot=False)
            case m.Undo():
                await self._threads.do(record.undo)
                await self._moved(said.id, bot=False)
            case m.Redo():
                await self._threads.do(record.redo)
                await self._moved(said.id, bot=record.ply == record.length)
            case m.TakeUp():
                await self._threads.do(record.take_up, said.variation)
                await self._moved(said.id, bot=False)
            case m.SetPlayers():
                await self._set_players(record, said)
            case m.BotMove():
                self._move_bot(record, said.id)
            case m.Hint():
                self._hint(record, said.id)
            case m.Stop():
                self._stop(said.id)
            case m.Analyse():
                await self._analyse(record, said)
            case m.WatchTree():
                await self._threads.do(self._view.watch, said.branches, said.id)
            case m.AskNode():
                found, lines = self._view.tree()
                self._nodes.ask(found, lines, said, self._say)
            case m.AskBoard():
                self._say(await self._threads.do(_board_message, record, said))
            case m.BeginSteps():
                check_has_boards(record.game.rules)
                check_moves_in_turn(record.game.rules, "single steps")
                self._steps.begin(record.state, record.ply, said)
            case m.MakeSteps():
                self._steps.make(said)

    @property
    def _game(self) -> LiveRecord:
        if self._record is None:
            raise SettingsError("there is no game yet", mend='start with {"type": "new_game", "game": ...}')
        return self._record

    async def _new_game(self, said: m.NewGame) -> None:
        game = await self._threads.do(self._server.catalogue.find, said.game)
        record = await self._threads.do(
            partial(record_of, game, said.moves, said.seats, types_dice=said.types_dice)
        )
        opponent = await self._threads.do(checked_opponent, game, said.opponent, self._most_seconds)
        chosen, settings = await self._threads.do(_settings_for, self._chosen, game)
        self._runner.want(None)
        if self._record is not None and self._record.game.name != game.name:
            self._analyses = False
        self._record, self._opponent, self._chosen = record, opponent, chosen
        self._replace_analyst(settings)
        self._replace_player()
        if self._compiling:
            self._tell_compiling()
        self._steps.drop()
        self._view.forget()
        await self._moved(said.id, bot=True)
        self._server.note_game(game.rules)

    async def renew(self, game: str, error: Exception | None) -> None:
        """Go on with the new rules of a game that is shown, with the same moves where they are still legal.

        error : why there are no new rules; the page shows it, and the game stays.
        """
        async with self._turn:
            record = self._record
            if record is None or parse_spec(record.game.name)[0] != parse_spec(game)[0]:
                return
            if error is not None:
                self._say(refused(error, about="new_game"))
                return
            made = [] if record.keeps_secrets or starts_at_random(record.game.rules) else record.actions
            begin = partial(
                m.NewGame,
                game=record.game.name,
                seats=record.seats,
                opponent=self._opponent,
                types_dice=record.types_dice,
            )
            try:
                await self._new_game(begin(moves=made))
            except Exception:
                try:
                    await self._new_game(begin())
                except Exception as fault:
                    self._say(refused(fault, about="new_game"))

    async def _play(self, record: LiveRecord, said: m.Play) -> None:
        if said.ply != record.ply:
            raise ActionError(
                f"this move is for the position after {said.ply} moves, but {record.ply} have been made",
                mend="choose again in the current position",
            )
        record.check_can_play()
        await self._threads.do(record.choose, said.action, said.player)
        await self._moved(said.id, bot=True)

    async def _set_players(self, record: LiveRecord, said: m.SetPlayers) -> None:
        opponent = self._opponent
        if said.opponent is not None:
            opponent = await self._threads.do(
                checked_opponent, record.game, said.opponent, self._most_seconds
            )
        if said.seats is not None:
            record.sit(said.seats)
        if said.types_dice:
            record.let_people_roll()
        elif said.types_dice is not None:
            await self._threads.do(record.roll)
        if opponent != self._opponent:
            self._runner.want(None)
            if self._opponent.bot is not None:
                self._replace_player()
        self._opponent = opponent
        await self._moved(said.id, bot=True)

    def _move_bot(self, record: LiveRecord, answers: int | None) -> None:
        record.check_can_move()
        self._bot_is_due = True
        self._settle(answers, anyone=True)

    def _hint(self, record: LiveRecord, answers: int | None) -> None:
        record.check_can_be_searched()
        job = self._runner.job
        if job is not None and job.who == "bot":
            raise SettingsError("the bot is thinking", mend="ask when it is your turn, or stop it")
        found = None if job is None or job.who != "analysis" else job.found
        if found is not None and found.seconds >= HINT_SECONDS:
            self._view.tell_hint(found, record.asked, answers)
            return
        self._want(search_job("hint", self._analyst, record, self._most_seconds, answers, HINT_SECONDS))

    def _stop(self, answers: int | None) -> None:
        job = self._runner.job
        if job is None or job.who == "analysis":
            raise SettingsError("no search is running", mend="to pause the analysis, send analyse")
        self._runner.stop()
        self._say(m.Thinking(id=answers, who=job.who, stage="searching", seconds=job.seconds))

    async def _analyse(self, record: LiveRecord, said: m.Analyse) -> None:
        if said.settings is not None:
            settings = await self._threads.do(planner_settings, said.settings, record.game.rules)
            if settings != self._analyst.settings:
                await in_thread(_check_settings, settings)
                job = self._runner.job
                if job is not None and job.who != "bot":
                    self._runner.want(None)
                self._replace_analyst(settings)
            self._chosen = said.settings
        if said.at_least is not None:
            record.check_can_be_searched()
            line, visits = said.at_least.line, said.at_least.visits
            await self._threads.do(check_line, record.shown, self._analyst.settings, line, visits)
            self._analyst.visit(record.spot, line, visits)
        limits = said.seconds, said.simulations
        job = self._runner.job
        if said.on and limits != self._limits and job is not None and job.who == "analysis":
            self._runner.want(None)
        self._analyses, self._limits = said.on, limits
        self._settle(said.id)

    def _replace_analyst(self, settings: dict[str, Any]) -> None:
        """Use a new analyst from now on; a search of the old one may still be ending."""
        self._analyst.drop()
        self._analyst = Analyst(self._server.memory, self._view.lose, settings)

    def _replace_player(self) -> None:
        """Use a new bot from now on; the old one is closed, even while it chooses."""
        self._player.drop()
        self._player = Player(self._server.memory, self._view.lose)

    # --- what comes next ------------------------------------------------------------------------------

    async def _moved(self, answers: int | None, *, bot: bool) -> None:
        """Send a new position; bot : whether the bot may move there."""
        self._stop_pause()
        self._bot_is_due = bot
        await self._tell_position(answers)
        self._settle()

    def _settle(self, answers: int | None = None, *, anyone: bool = False) -> None:
        """Start the search that is due now.

        anyone : let the bot move for a person, too.   answers : id of the request that this answers.
        """
        record = self._record
        if record is None or self.tell is None:
            return
        if self._bot_is_due and not record.is_over and (anyone or record.is_bots_turn):
            job = self._runner.job
            goes_on = job is not None and (job.line, job.players) == (record.spot, record.missing)
            if job is None or job.who != "bot" or not goes_on:
                self._want(bot_job(self._player, record, self._opponent, self._most_seconds, answers))
            else:
                self._say(m.Thinking(id=answers, who="bot", stage="searching", seconds=job.seconds))
        elif self._analyses and record.can_be_searched:
            job = self._runner.job
            if job is not None and job.who == "analysis" and job.line == record.spot and not job.stopped:
                if answers is not None:
                    self._say(m.Thinking(id=answers, who="analysis", stage="searching", seconds=job.seconds))
                return
            most = self._most_seconds
            self._want(search_job("analysis", self._analyst, record, most, answers, *self._limits))
        else:
            job = self._runner.job
            if job is not None and job.who == "analysis" and job.line == record.spot:
                self._runner.stop()  # and its last findings are shown, as the tree is
            else:
                self._runner.want(None)
            paused = not (self._analyses or self._view.is_empty) and self._view.ply == record.ply
            self._say_idle(answers, paused=paused)

    async def _settle_in_turn(self) -> None:
        async with self._turn:
            self._settle()

    def _want(self, job: Job) -> None:
        """Start a job; the tree of the same searcher remains readable only if its nodes do not move."""
        stays = (
            job.searcher is self._analyst and self._view.ply == job.ply and self._analyst.goes_on(job.line)
        )
        if job.searcher is self._view.searcher and not stays:
            self._view.forget()
        self._runner.want(job)

    # --- the runner's calls -----------------------------------------------------------------------------

    def on_stage(self, job: Job, stage: str) -> None:
        if job.answers is None and self._keeps_quiet(job) and self._thinking == ("bot", "searching"):
            return  # how often a bot searches may tell how often it moved
        self._say(m.Thinking(id=self._answers_once(job), who=job.who, stage=stage, seconds=job.seconds))

    @staticmethod
    def _answers_once(job: Job) -> int | None:
        """Return the id of the request, only once; a hint's id is kept for the hint."""
        if job.who == "hint":
            return None
        told, job.answers = job.answers, None
        return told

    def on_overtaken(self, job: Job) -> None:
        if job.answers is not None:
            self._say(overtaken(_ABOUT.get(job.who, "analyse"), job.answers))
            job.answers = None

    def on_compiling(self, job: Job, now: Compiling | None) -> None:
        """Show the compile of a job, even of one that is over: the next usually needs the same code."""
        if now is None:
            self._compiling.pop(job, None)
        else:
            self._compiling[job] = now
        self._tell_compiling()

    def _tell_compiling(self) -> None:
        current = (self._analyst, self._player)  # others are of a game or of settings that were left
        now = [compiling for job, compiling in self._compiling.items() if job.searcher in current]
        if not now:
            self._say(m.Compiling(what=""))
        else:
            self._say(m.Compiling(what=now[-1].what, elapsed=now[-1].elapsed, estimate=now[-1].expected))

    def _keeps_quiet(self, job: Job) -> bool:
        """Whether a job finds what the person must not see: a bot's, in a game with hidden information."""
        return job.who == "bot" and self._record is not None and self._record.game.hides

    def on_news(self, job: Job) -> None:
        full = job.found is not None and job.found.memory_full
        if full and job.searcher is self._analyst and self._analyst.grow():
            return
        if self._news is None:
            begin_task(self._tell_news())
        self._news = job

    async def _tell_news(self) -> None:
        """Send the latest findings; those that arrive meanwhile form the next message."""
        async with self._turn:
            job, self._news = self._news, None
            if job is None or job.found is None or job is not self._runner.job:
                return
            try:
                await self._show(job, job.found)
            except Exception as error:
                self._give_up(job, error)

    def _give_up(self, job: Job, error: BaseException) -> None:
        """Report the error of a job, and drop the request for it."""
        about = _ABOUT.get(job.who, "analyse")
        self._bot_is_due = False
        self._analyses = self._analyses and job.who != "analysis"
        if isinstance(error, EngineError):
            _log.warning("%s", error)  # with what the program wrote to its standard error
        if isinstance(error, ResignedError):
            self._say(resigned(about=about, answers=job.answers))
        elif self._keeps_quiet(job):
            self._say(refused_discreetly(error, about=about, answers=job.answers, of_bot=True))
        else:
            self._say(refused(error, about=about, answers=job.answers))
        job.answers = None
        self._settle()

    async def _show(self, job: Job, found: SearchResult) -> None:
        """Send the findings, and the tree from time to time."""
        record = self._record
        if record is None or self._keeps_quiet(job):
            return
        before = 0.0
        if job.searcher is self._analyst:
            before = max(self._analyst.seconds - found.seconds * (found.ended_by != ""), 0.0)
        values = await self._threads.do(
            lambda: self._view.show(
                found,
                ply=job.ply,
                who=job.who,
                searcher=job.searcher,
                mirrored=is_mirrored(record.game.rules),
                seconds_before=before,
            )
        )
        if values is not None:
            record.values[job.ply] = values

    async def on_end(self, job: Job, result: Any, error: BaseException | None) -> None:
        async with self._turn:
            record = self._record
            if record is None or job is not self._runner.job:
                return
            self._runner.settle(job)
            try:
                if error is not None:
                    self._give_up(job, error)
                elif job.who == "bot":
                    await self._bot_moved(record, job, result)
                elif job.who == "hint":
                    await self._hint_found(record, job, result)
                else:
                    await self._analysis_ended(job, result)
            except Exception as raised:
                self._give_up(job, raised)
            self.on_overtaken(job)

    async def _hint_found(self, record: LiveRecord, job: Job, result: SearchResult | None) -> None:
        if result is None:
            raise SettingsError("the hint was stopped before anything was found", mend="ask again")
        await self._show(job, result)
        answers, job.answers = job.answers, None
        await self._threads.do(self._view.tell_hint, result, record.asked, answers)
        self._settle()

    async def _bot_moved(self, record: LiveRecord, job: Job, result: Any) -> None:
        if result is None:
            self._bot_is_due = False
            self._settle()
            return
        chosen, found = result
        if found is not None:
            await self._show(job, found)
        try:
            await self._threads.do(record.complete, chosen)
        except ActionError as error:
            raise ActionError(
                f"the move of the bot is not legal: {error.problem}",
                mend="choose another bot, or mend this one",
            ) from error
        await self._tell_position(again=not record.keeps_secrets)  # repeating it would reveal a hidden move
        if self.tell is None:
            return
        if record.is_bots_turn and not record.seats:
            self._say_idle(None, paused=False)
            self._stop_pause()
            self._pause = self._loop.call_later(
                _BETWEEN_BOT_MOVES, lambda: begin_task(self._settle_in_turn())
            )
        else:
            self._settle()

    async def _analysis_ended(self, job: Job, result: SearchResult | None) -> None:
        if result is not None:
            await self._show(job, result)
            if result.ended_by != "proven":
                self._analyses = False
        self._say_idle(self._answers_once(job), paused=not self._analyses)

    # --- sending --------------------------------------------------------------------------------------

    def _say_idle(self, answers: int | None, *, paused: bool) -> None:
        """Say that nothing is searched; paused : because the analysis pauses."""
        who, stage = ("analysis", "paused") if paused else ("", "")
        self._say(m.Thinking(id=answers, who=who, stage=stage))

    def _say(self, told: m.Told) -> None:
        """Send a message to the page, from any thread."""
        if threading.get_ident() == self._thread:
            self._say_now(told)
        else:
            self._loop.call_soon_threadsafe(self._say_now, told)

    def _say_now(self, told: m.Told) -> None:
        if isinstance(told, m.Thinking):
            self._thinking = told.who, told.stage
        if self.tell is not None:
            self.tell(told)

    async def _tell_position(self, answers: int | None = None, *, again: bool = True) -> None:
        """Send the position; again : even if the same was the last one sent."""
        if self._record is not None:
            told = await self._threads.do(self._record.told, self._opponent, answers)
            content = replace(told, id=None)
            if again or content != self._position:
                self._say(told)
            self._position = content

    def _stop_pause(self) -> None:
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None


def _board_message(record: LiveRecord, said: m.AskBoard) -> m.BoardTold:
    check_has_boards(record.game.rules)
    state = record.state if said.ply is None else record.state_at(said.ply)
    return board_told(state, said.line, said.id)


def _settings_for(chosen: m.SearchSettings, game: OfferedGame) -> tuple[m.SearchSettings, dict[str, Any]]:
    """Return the settings that a page has chosen, for a new game, and as arguments of `MCTS`."""
    if chosen.tuned and not game.tuned:
        chosen = replace(chosen, tuned=False)
    return chosen, planner_settings(chosen, game.rules)


def _check_settings(settings: dict[str, Any]) -> None:
    from branchwise.search.settings.settings import Settings

    Settings(**settings)
