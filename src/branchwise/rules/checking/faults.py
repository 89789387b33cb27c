"""Reporting faults of the rules: the problem, the moves before it, the mend, a command to reproduce it."""

from __future__ import annotations

import difflib
import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from contextlib import AbstractContextManager
from types import FunctionType
from typing import Any

import numpy as np

from branchwise.common.errors import BranchwiseError, GameError, LeaveRule, RuleLeftError
from branchwise.common.name_and_options import format_spec
from branchwise.compile.language.numba_messages import drawing_line
from branchwise.compile.language.unsupported import NAMED
from branchwise.compile.stopping.time_limits import left_at
from branchwise.game.kinds.corrections import line_text, near, nearest_attribute, source_line
from branchwise.game.kinds.game_kinds import is_simulator, starts_at_random
from branchwise.game.kinds.random_numbers import DRAWING, Draws
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import action_word, apply_legal
from branchwise.rules.facts.game_type import DeclaredReturns

_LONGEST_MOVE_TEXT = 2000
ENDLESS_MEND = "let the loop, or the recursion, end in this state too"

_PACKAGE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
_NUMPY = os.path.dirname(np.__file__)
_PYTHON = os.path.dirname(os.__file__)


class Line:
    """One line of play from the start of a game, and the errors for faults found on it.

    source : the game's name on the command line; derived from the class by default.
    seed : the seed with which `check_game` plays this line as its first game, if there is one.
    declared : checks the returns; by default against what the class declares.
    """

    def __init__(
        self,
        game: type[Game],
        source: str | None = None,
        seed: int | None = None,
        declared: DeclaredReturns | None = None,
    ) -> None:
        self.game = game
        self.start: Game | None = None
        """The state in which the line begins, once it has begun."""
        self.declared = declared or DeclaredReturns(game, game)
        self.actions: list[int] = []
        self.rewards: tuple[float, ...] = (0.0,) * game.num_players
        """Of the last move, one a player."""
        self.returns: tuple[float, ...] = self.rewards
        """Rewards of all moves so far, discounted."""
        self.random = Draws(~(seed or 0))
        """What rules draw from that draw what happens."""
        self.drawn_from = self.random.counter
        """Where it stood before the last move."""
        self.paid: list[tuple[tuple[float, ...], float]] = []
        """Of each move: its rewards, and what they count."""
        self.dimensions = 0
        """How many numbers a continuous action is, once one is known."""
        self.weight = 1.0
        """What rewards count now."""
        self._source = source or _source(game)
        self._seed = seed

    def fault(
        self, problem: str, mend: str | None = None, *, rule: str | None = None, then: Any = None
    ) -> GameError:
        """Return the error for a problem after the moves so far.

        rule : the faulty method; the error says where it is in the source.   then : the action that causes
        the fault, if any.
        """
        if rule is not None:
            problem += self.location_of(rule)
        played = self.spelt(self.actions if then is None else [*self.actions, then])
        after = played[: len(self.actions)]
        return GameError(problem, after=shown(after), mend=mend, replay=self._replay(" ".join(played)))

    def raised(self, method: str, error: Exception, *, then: Any = None) -> GameError:
        """Return the error for an exception that a method of the rules raised."""
        if isinstance(error, RuleLeftError | BranchwiseError | RecursionError | RuntimeWarning):
            return self.fault(*told_of(f"{self.game.__name__}.{method}", error, then), then=then)
        call = f"{self.game.__name__}.{method}" + ("" if then is None else f"({then})")
        location = users_line(error)
        where = f" ({location})" if location else ""
        if isinstance(error, AttributeError) and isinstance(error.obj, Draws):
            return self.fault(f"{call} fails: random has no {error.name}{where}", advice(error), then=then)
        if isinstance(error, AttributeError) and isinstance(error.obj, Game):
            what = f"{self.game.__name__} has no field, constant or method {error.name}"
            mend = nearest_attribute(self.game, str(error.name))
            return self.fault(f"{call} fails: {what}{where}", mend, then=then)
        problem, advised = told_of(f"{self.game.__name__}.{method}", error, then)
        mend = advised or (
            f"{method} has to work in every state that play can lead to"
            if then is None
            else "apply_action has to take every action that legal_actions gives"
        )
        return self.fault(problem, mend, then=then)

    def location_of(self, method: str) -> str:
        """Return file, line and text of the start of a method, in brackets, or "" if they are unknown."""
        function = _function(getattr(self.game, method, None))
        code = None if function is None else function.__code__
        return "" if code is None else source_line(code.co_filename, code.co_firstlineno)

    def drawing(self, method: str) -> str:
        """Return where `method`, or a function that it may call, uses random numbers, in brackets, or ""."""
        waiting: list[object] = [getattr(self.game, method, None)]
        seen = set()
        while waiting:
            function = _function(waiting.pop())
            if function is None or function in seen:
                continue
            seen.add(function)
            line = drawing_line(self.game, function)
            if line is not None:
                return source_line(function.__code__.co_filename, line)
            named, names = function.__globals__, function.__code__.co_names
            waiting += [getattr(self.game, name, named.get(name)) for name in names]
        return ""

    def calling(self, method: str, *, then: Any = None) -> AbstractContextManager[None]:
        """Report anything that a method of the rules raises as a fault of that method."""
        return _Call(self, method, then)

    def spelt(self, actions: Sequence[Any]) -> list[str]:
        """Return the actions as people write them; those without a usable name as numbers."""
        texts = [str(action) for action in actions]
        try:
            state = self.game() if self.start is None else self.start.copy()
            random = Draws(~(self._seed or 0))
            for index, action in enumerate(actions):
                texts[index] = action_word(state, action)
                if index + 1 < len(actions):  # the last one may be the action that never returns
                    apply_legal(state, action, random)
        except Exception:  # the reported fault or a related one; numbers will do
            pass
        return texts

    def _replay(self, moves: str) -> str:
        drawn = is_simulator(self.game) or starts_at_random(self.game)  # moves do not tell all
        by_seed = self._seed is not None and (drawn or len(moves) > _LONGEST_MOVE_TEXT)
        if self._source is not None:
            what = f"--games 1 --seed {self._seed}" if by_seed else f"--moves {_quoted(moves)}"
            plain = shlex.quote(self._source) == self._source
            return f"branchwise check {self._source if plain else _quoted(self._source)} {what}"
        name, options = self.game.__name__, self.game._options
        game = f"{name}.configured{format_spec('', options)}" if options else name
        if by_seed:
            return f"branchwise.testing.check_game({game}, games=1, seed={self._seed})"
        return f"branchwise.testing.replay_moves({game}, {moves!r}.split())"


class _Call:
    """A call of a method of the rules; `contextlib` would take longer than most rules do."""

    def __init__(self, line: Line, method: str, then: Any) -> None:
        self._line = line
        self._method = method
        self._then = then

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, LeaveRule):
            error = left_at(error.__traceback__)
        if isinstance(error, Exception):
            raise self._line.raised(self._method, error, then=self._then) from error


def told_of(rule: str, error: Exception, then: Any = None) -> tuple[str, str | None]:
    """Return the problem, as one sentence, and the mend for an exception that a rule raised.

    then : the action that the rule was called with, if any.
    """
    call = rule + ("" if then is None else f"({then})")
    if isinstance(error, RuleLeftError):
        location = "" if error.file is None else f" ({line_text(error.file, error.line)})"
        return f"{call} does not end{location}", ENDLESS_MEND
    found = users_line(error)
    where = f" ({found})" if found else ""
    if isinstance(error, BranchwiseError):
        return f"{call} fails: {error.problem}{where}", error.mend
    if isinstance(error, RecursionError):
        return f"{call} calls itself without end{where}", "let the recursion end in this state too"
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, RuntimeWarning):  # NumPy warns where compiled rules raise
        told = f"ZeroDivisionError: {error}"
    return f"{call} raised {told}{where}", advice(error)


def error_of_users(error: Exception, kinds: tuple[type, ...]) -> BranchwiseError | None:
    """Return the error for a user's method that raised `error` where nothing was searched; None if none did.

    kinds : the classes whose methods are meant, such as `Game`.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        owner = frame.f_locals.get("self")
        if isinstance(owner, kinds) and _is_users(frame.f_code.co_filename):
            problem, mend = told_of(f"{type(owner).__name__}.{frame.f_code.co_name}", error)
            return (GameError if isinstance(owner, Game) else BranchwiseError)(problem, mend=mend)
    return None


def shown(moves: Sequence[str]) -> str:
    if not moves:
        return "the start"
    if len(moves) <= 100:
        return " ".join(moves)
    return f"{' '.join(moves[:10])} ... {' '.join(moves[-10:])} ({len(moves):,} moves)"


def _quoted(text: str) -> str:
    """Return `text` quoted for a shell: with double quotes if possible, which every shell understands."""
    return shlex.quote(text) if set(text) & set('"$`\\!') else f'"{text}"'


def _source(game: type[Game]) -> str | None:
    """Return the game's name on the command line, or None if it has none."""
    if game.__module__.startswith("branchwise.games."):
        return game.name
    path = getattr(sys.modules.get(game.__module__), "__file__", None)
    if path is None or not os.path.isfile(path) or "<" in (game._base or game).__qualname__:
        return None
    return format_spec(f"{near(path)}:{game.__name__}", game._options)


def advice(error: Exception) -> str | None:
    """Return advice on an exception that Python raised, or None."""
    text = str(error)
    if isinstance(error, AttributeError) and isinstance(error.obj, Draws):
        return f"it has {DRAWING}"
    if isinstance(error, UnboundLocalError):
        return f"give {error.name or 'it'} a value before the first if or loop"
    if isinstance(error, NameError):
        return _advice_on_name(error)
    if isinstance(error, IndexError):
        if "only integers" in text:
            return "use // instead of /, whose result is a fraction"
        return "look whether an index is in range before it is used, or find out why it is not"
    if isinstance(error, OverflowError) and "out of bounds for" in text:
        return "give the field a wider type"
    if isinstance(error, TypeError) and "NoneType" in text:
        return "let every way through a method end in a return, and use -1 for none"
    if isinstance(error, ValueError) and "read-only" in text:
        return NAMED["changing"].advice
    if isinstance(error, TypeError) and "positional argument" in text:
        return "call it with the arguments that its definition has; self comes by itself"
    return None


def _advice_on_name(error: NameError) -> str | None:
    *_, (frame, _line) = traceback.walk_tb(error.__traceback__)
    state = next((value for value in frame.f_locals.values() if isinstance(value, Game)), None)
    if error.name and state is not None and hasattr(type(state), error.name):
        return f"write self.{error.name}"
    known = [*frame.f_locals, *frame.f_globals]
    close = difflib.get_close_matches(error.name or "", known, n=1)
    return f"did you mean {close[0]}?" if close else "define it in the module, or import it"


def _function(method: object) -> FunctionType | None:
    while True:
        inner = getattr(method, "__wrapped__", None) or getattr(method, "fget", None)
        if inner is None:
            return method if isinstance(method, FunctionType) else getattr(method, "__func__", None)
        method = inner


def users_line(error: Exception) -> str | None:
    """Return file, line and text of the innermost frame of `error` in the user's own code."""
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    users = [(path, line) for path, line in frames if _is_users(path)]
    if not users:
        return None
    return line_text(*users[-1])


def _is_users(path: str) -> bool:
    """Return whether a file belongs to the user; built-in games count, other files of libraries do not."""
    if _inside(path, _PACKAGE):
        return _inside(path, os.path.join(_PACKAGE, "games"))
    if _inside(path, _NUMPY) or path.startswith("<frozen"):
        return False
    return not _inside(path, _PYTHON) or "site-packages" in path


def _inside(path: str, folder: str) -> bool:
    return path.startswith(folder + os.sep)
