"""Playing one game between bots, with clocks and penalties for faults."""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from branchwise.arena.play.status_board import BEGINNING, BUILDING, CLOSING, RULES, THINKING, WARMING
from branchwise.arena.play.time_control import CLOSE_PATIENCE, TimeControl
from branchwise.arena.records.playback import reached_text
from branchwise.arena.records.record import (
    FAULTS,
    ChildRecord,
    GamePlan,
    GameRecord,
    MoveRecord,
    returns_after_fault,
)
from branchwise.bots import BOTS, load_bot
from branchwise.bots.base.warm_up import rehearse
from branchwise.common.errors import ActionError, BranchwiseError, EngineError, ResignedError
from branchwise.common.players import CHANCE, NO_ACTION, SIMULTANEOUS
from branchwise.compile.code.progress import compiling_now
from branchwise.game.kinds.continuous_actions import Plain, as_plain, as_vector, check_vector, has_box
from branchwise.rules.facts.dice import PlayersDice
from branchwise.rules.facts.game_type import pays, proofs_hold
from branchwise.rules.playthrough.joint_choice import chooser_views
from branchwise.rules.playthrough.playthrough import Playthrough
from branchwise.search.results.result import Child, SearchResult
from branchwise.search.settings.move_limit import Limit

if TYPE_CHECKING:
    from branchwise.arena.play.status_board import StatusBoard
    from branchwise.bots.base.bot import Bot
    from branchwise.game.rules_class import Game

BUILD_PATIENCE = 60.0
RULES_PATIENCE = 60.0
_KEPT_CHILDREN = 12
_KEPT_LINE = 32
_LONGEST_DETAIL = 2000


@dataclass(frozen=True)
class Terms:
    """Terms common to all games of a match.

    proofs : whether a game ends when its outcome is proven; see `Referee`.   at_once : whether bots play
    without waiting for their code, because there are no time limits.
    """

    bots: tuple[str, ...]
    control: TimeControl
    proofs: bool = True
    at_once: bool = False


class FaultError(Exception):
    """A bot lost the game by a fault, or resigned; seat : the player.   ending : one of `ENDINGS`."""

    def __init__(self, seat: int, ending: str, detail: str) -> None:
        super().__init__(detail)
        self.seat, self.ending = seat, ending
        self.detail = detail[:_LONGEST_DETAIL].encode(errors="replace").decode()


class Referee:
    """Plays one game between bots; hidden dice draw outcomes of chance and the draws of simulators.

    A game can end earlier than by the rules:

    - by a fault, or because a bot resigns: the bot gets the worst return, and the others those of
      `returns_after_fault`. In a game for one player, to resign is a fault: nobody wins by it;
    - by proof, in games of two: if the player who has just moved has proven a win in its own search, or if
      the last searches of both have proven the same other outcome. Proofs of a bot that may not play by them
      (`Bot.keeps_proofs`) do not count. In a game of chance only a proven win counts, because any other
      proven value may be a mean of several endings;
    - after `max_game_length` moves: every return is the middle of the bounds, or the rewards so far if
      rewards are paid on the way.
    """

    def __init__(
        self,
        game: type[Game],
        plan: GamePlan,
        terms: Terms,
        board: StatusBoard,
        check: Callable[[], object] = lambda: None,
        warm: set[int] | None = None,
    ) -> None:
        """Prepare a game; check : called each time a bot has run, while the status board still names it.

        Bots of Branchwise do not need this check.
        warm : bots, by index in the match, whose code is ready; bots that get it in this game are added.
        """
        self._warm = set(plan.seating) if warm is None else warm
        self._game = game
        self._check = check
        self._plan = plan
        self._terms = terms
        self._board = board
        self._bots: list[Bot] = []
        self._moves: list[MoveRecord] = []
        self._claims: dict[int, float] = {}
        self._result: SearchResult | None = None
        """Result of the last bot's search for its answer, if there is one."""

        self._played: Playthrough[Game] = Playthrough(PlayersDice(plan.dice).start(game))
        self._clocks = [terms.control.clock] * game.num_players

    def play(self) -> GameRecord:
        """Play the game to its end. Raises only what the rules raise."""
        began, started = time.time(), time.perf_counter()
        game = self._game
        fault, detail = None, ""
        try:
            self._seat_bots()
            ending, returns = self._play()
        except FaultError as lost:
            ending, detail = lost.ending, lost.detail
            fault = lost.seat if ending in FAULTS or game.num_players == 1 else None
            paid = self._played.paid if pays(game) else ()
            returns = returns_after_fault(lost.seat, game.num_players, game.min_return, game.max_return, paid)
        finally:
            self._clear()
        return GameRecord(
            plan=self._plan,
            returns=returns,
            ending=ending,
            fault=fault,
            detail=detail,
            began=began,
            seconds=time.perf_counter() - started,
            moves=tuple(self._moves),
        )

    def _seat_bots(self) -> None:
        for seat, index in enumerate(self._plan.seating):
            self._board.note(BUILDING, seat, BUILD_PATIENCE)
            try:
                bot = load_bot(self._terms.bots[index], seed=self._plan.seeds[seat])
                bot.impatient = self._terms.at_once
                self._bots.append(bot)
                bot.new_game()
            except BaseException as error:
                raise _raised(seat, error) from None
            finally:
                self._check_after(seat)

    def _check_after(self, seat: int) -> None:
        if seat >= len(self._bots) or not _comes_with_branchwise(self._bots[seat]):
            self._check()

    def _clear(self) -> None:
        for seat, bot in enumerate(self._bots):
            self._board.note(CLOSING, seat, CLOSE_PATIENCE)
            with suppress(BaseException):
                bot.close()
            self._check_after(seat)
        self._board.note(RULES, limit=RULES_PATIENCE)

    def _play(self) -> tuple[str, tuple[float, ...]]:
        """Return how the game ended and each player's return; raises `FaultError`."""
        game, board = self._game, self._board
        board.note(RULES, limit=RULES_PATIENCE)
        dice = PlayersDice(self._plan.dice)
        played = self._played = Playthrough(dice.start(game), self._plan.opening)
        mover = next((move.player for move in reversed(played.moves) if move.player >= 0), None)
        while (seat := played.player) is not None:
            if played.ply >= game.max_game_length:
                if pays(game):
                    return "length", played.paid
                return "length", ((game.min_return + game.max_return) / 2,) * game.num_players
            if played.is_chance:
                self._play_outcome(played, dice.roll(played.state, mover), dice)
                continue
            if played.is_joint:
                self._play_together(played)
                continue
            action, seconds = self._answer(seat, played, played.state.legal_actions)
            try:
                move = _move_record(played.ply, seat, action, seconds, self._clocks[seat], self._result)
                proven = self._proven_returns(move, played.state)
            except BaseException as error:  # an invalid search result
                raise _raised(seat, error) from None
            played.play(action, dice.random(seat) if played.draws or played.observes else None)
            mover = seat
            self._moves.append(replace(move, reached=reached_text(played)))
            board.note_move(action, seconds)
            if proven is not None and not played.is_over:
                return "proof", proven
        return "end", played.returns or ()

    def _play_outcome(self, played: Playthrough[Game], outcome: int, dice: PlayersDice) -> None:
        ply = played.ply
        played.play(outcome, dice.random(CHANCE) if played.draws or played.observes else None)
        self._moves.append(MoveRecord(ply, CHANCE, outcome, reached=reached_text(played)))
        self._board.note_move(outcome, 0.0)

    def _play_together(self, played: Playthrough[Game]) -> None:
        """Ask each player with a choice in turn, and play what they chose at once; raises `FaultError`.

        No bot sees what another has chosen, and nothing of their searches is recorded.
        """
        joint: list[Any] = [NO_ACTION] * self._game.num_players
        taken = 0.0
        for seat in chooser_views(played.state):
            joint[seat], seconds = self._answer(seat, played, partial(played.state.legal_actions, seat))
            taken += seconds
        ply = played.ply
        action = played.play(tuple(joint))
        self._moves.append(MoveRecord(ply, SIMULTANEOUS, action, taken))
        self._board.note_move(0, taken)

    def _answer(
        self, seat: int, played: Playthrough[Game], list_legal: Callable[[], list[int]]
    ) -> tuple[Plain, float]:
        """Return a legal action and the seconds that it took; raises `FaultError`.

        list_legal : returns the legal actions of numbered games.
        """
        legal = None if has_box(self._game) else list_legal()
        bot, shown, moves = self._bots[seat], played.shown(seat), played.shown_moves()
        remaining = self._clocks[seat]
        try:
            before_result = bot.result
            limit = None if remaining is None else self._shown_clocks()
            self._board.note(*self._thinking(seat, remaining))
            before = time.perf_counter()
            answer = bot.choose(shown, limit, moves)
            seconds = time.perf_counter() - before
            result = bot.result
        except BaseException as error:
            raise _raised(seat, error) from None
        finally:
            self._check_after(seat)
            self._board.note(RULES, limit=RULES_PATIENCE)
        if compiling_now() is None:
            self._warm.add(self._plan.seating[seat])
        tells = isinstance(result, SearchResult) and result is not before_result
        self._result = result if tells else None
        self._check_time(seat, seconds)
        if legal is None:
            return _checked_vector(seat, answer, played.state), seconds
        return _checked(seat, answer, legal), seconds

    def _shown_clocks(self) -> Limit:
        clocks = tuple(max(left or 0.0, 0.0) for left in self._clocks)
        return Limit(clocks=clocks, increments=(self._terms.control.increment,) * len(clocks))

    def _thinking(self, seat: int, remaining: float | None) -> tuple[int, int, float]:
        """Return the status for a bot that is about to think; compiling may take as long as thinking."""
        limit = self._terms.control.deadline(remaining)
        if self._warm.issuperset(self._plan.seating):
            return THINKING, seat, limit
        return BEGINNING, seat, 2 * limit

    def _check_time(self, seat: int, seconds: float) -> None:
        control, remaining = self._terms.control, self._clocks[seat]
        if control.seconds is not None and seconds > control.seconds + control.allowance:
            raise FaultError(seat, "time", f"took {seconds:.3f} s for a move of {control.seconds:g} s")
        if remaining is not None:
            if seconds > remaining + control.allowance:
                raise FaultError(seat, "time", f"took {seconds:.3f} s with {remaining:.3f} s on the clock")
            self._clocks[seat] = remaining - seconds + control.increment

    def _proven_returns(self, move: MoveRecord, state: Game) -> tuple[float, ...] | None:
        """Return the players' returns if a proof of `move`, made at `state`, ends the game; else None."""
        game, seat = self._game, move.seat
        self._claims.pop(seat, None)
        if not self._terms.proofs or game.num_players != 2 or not self._bots[seat].keeps_proofs:
            return None
        if pays(game) or not proofs_hold(game, game):
            return None
        if move.lower is None or move.lower != move.upper:
            return None
        if self._result is None or self._result.state != state:  # a proof of another position
            return None
        value = move.lower
        rest = game.min_return + game.max_return - value
        agreed = not game.num_outcomes and self._claims.get(1 - seat) == rest
        if value == game.max_return or agreed:
            return (value, rest) if seat == 0 else (rest, value)
        self._claims[seat] = value
        return None


def warm_up(game: type[Game], terms: Terms, index: int, seat: int, board: StatusBoard) -> None:
    """Let a bot choose twice in a game that does not count, so that its code is compiled."""
    board.note(WARMING, seat, terms.control.patience)
    rehearse(
        game,
        partial(load_bot, terms.bots[index], seed=0),
        before_close=lambda: board.note(CLOSING, seat, CLOSE_PATIENCE),
    )


def _checked(seat: int, answer: Any, legal: Sequence[int]) -> int:
    """Return a bot's answer as a legal action; raises `FaultError` for anything else."""
    try:
        if isinstance(answer, bool):
            raise TypeError
        action = operator.index(answer)
    except BaseException:
        raise FaultError(seat, "illegal", f"answered {_shown(answer)}, which is no action number") from None
    if action not in legal:
        raise FaultError(seat, "illegal", f"answered {_shown(action)}, which is not legal there")
    return action


def _checked_vector(seat: int, answer: Any, state: Game) -> tuple[float, ...]:
    """Return the answer of a bot as a legal continuous action; raises `FaultError` for anything else."""
    try:
        vector = None if isinstance(answer, bool | str) else as_vector(answer)
    except BaseException:
        vector = None
    if vector is None:
        raise FaultError(seat, "illegal", f"answered {_shown(answer)}, which is no vector of numbers")
    try:
        return tuple(check_vector(state, vector).tolist())
    except ActionError as error:
        raise FaultError(seat, "illegal", f"answered {_shown(vector.tolist())}: {error.problem}") from None


def _comes_with_branchwise(bot: Bot) -> bool:
    """Whether a bot is one of Branchwise's; a level can be any bot."""
    cls = type(bot)
    return cls.name != "level" and f"{cls.__module__}:{cls.__qualname__}" in BOTS.builtin.values()


def _raised(seat: int, error: BaseException) -> FaultError:
    if isinstance(error, FaultError):
        return error
    told = str(error) if isinstance(error, BranchwiseError) else _shown(error)
    if isinstance(error, ResignedError):
        return FaultError(seat, "resigned", told)
    illegal = isinstance(error, EngineError) and error.illegal
    return FaultError(seat, "illegal" if illegal else "error", told)


def _shown(value: Any) -> str:
    """Return a short text for any value."""
    try:
        return repr(value)[:200]
    except BaseException:
        return f"a {type(value).__name__} that cannot be shown"


def _move_record(
    ply: int, seat: int, action: Plain, seconds: float, clock: float | None, result: SearchResult | None
) -> MoveRecord:
    """Return the record of a move, with the search's figures if it has any for the action."""
    chosen: Child | None = None
    if result is not None and result.player == seat:
        chosen = next((child for child in result.children if as_plain(child.action) == action), None)
    if result is None or chosen is None:
        return MoveRecord(ply, seat, action, seconds, clock)
    return MoveRecord(
        ply=ply,
        seat=seat,
        action=action,
        seconds=seconds,
        clock=clock,
        simulations=int(result.simulations),
        value=_real(chosen.value),
        lower=_finite(chosen.lower),
        upper=_finite(chosen.upper),
        line=tuple(_as_plain(action) for action in result.moves_of(chosen.line)[:_KEPT_LINE]),
        children=tuple(
            ChildRecord(_as_plain(child.action), int(child.visits), _real(child.value), _real(child.proven))
            for child in result.children[:_KEPT_CHILDREN]
        ),
    )


def _finite(number: float) -> float | None:
    return None if math.isinf(number) else float(number)


def _as_plain(action: Any) -> Plain:
    """Return an action as a record holds it; numbers of NumPy become Python's."""
    plain = as_plain(action)
    return tuple(map(float, plain)) if isinstance(plain, tuple) else int(plain)


def _real(number: float | None) -> float | None:
    return None if number is None else float(number)
