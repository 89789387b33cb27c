"""The interface of all bots."""

from __future__ import annotations

import inspect
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import ActionError, GameError, SettingsError
from branchwise.common.name_and_options import format_spec, snake_case
from branchwise.game.kinds.game_kinds import is_partially_observed
from branchwise.rules.facts.given_to_bots import Shown

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game
    from branchwise.search.results.result import SearchResult
    from branchwise.search.settings.move_limit import Limit

_NUM_ARGUMENTS = 3


class Bot(ABC):
    """Chooses actions. A subclass needs `choose`; its constructor's arguments are its options.

    >>> class First(Bot):
    ...     name = "first"
    ...     def choose(self, state):
    ...         return state.legal_actions()[0]
    >>> from branchwise.games.nim import Nim
    >>> First().choose(Nim())
    0
    """

    name: ClassVar[str] = "bot"
    """What people and files call it; a subclass that sets none is called after its class."""

    result: SearchResult | None = None
    """Result of the last search, for bots that search."""

    impatient: bool = False
    """Whether a person waits for the bot, so that it begins to search before its code is compiled."""

    plays_uncompiled: bool = False
    """Whether an impatient bot plays the same moves as with its code compiled.

    It does not if its limit is time, because it plays worse until the code is ready.
    """

    restricts: ClassVar[bool] = False
    """Whether the bot keeps to the actions of a limit; others refuse such a limit."""

    keeps_proofs: bool = True
    """Whether the bot plays by its proofs, so that a proof can end a game."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in vars(cls) and cls.name in (Bot.name, snake_case(cls.__bases__[0].__name__)):
            cls.name = snake_case(cls.__name__)
        for name, where in _REPLACED.items():
            if name in vars(cls):
                raise GameError(
                    f"{cls.__name__}.{name} would never be called", mend=f"{where} of choose takes its place"
                )
        written = vars(cls).get("choose")
        if isinstance(written, FunctionType):
            cls.choose = _checking(_taking_all(written))  # type: ignore[method-assign]

    @abstractmethod
    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        """Return a legal action of `state`; the game is not over, and `state` is not changed.

        In a game with hidden information, `state` is an `InformationState`: what the player to move knows,
        never the state itself. Where all players move at once, it is a `JointChoice`: the state with the
        player who is asked; in a partially observed problem a `History`. All are `rules.shown.Shown`.
        limit : for this choice; None: only the bot's own limits.   moves : the actions that led from the
        start of the game to `state`; None if they are not known. A subclass may leave out `moves`, or both.
        A bot that gives up the game raises `ResignedError`.
        """

    def stop(self) -> None:  # noqa: B027 - most bots choose at once
        """End the current choice as soon as possible; called from another thread."""

    def abandon(self) -> None:
        """End the current choice, whose answer nobody wants any more; called from another thread.

        Afterwards the bot is closed. By default the same as `stop`; a bot that waits for a program may end
        that program.
        """
        self.stop()

    def ponder(self, state: Any) -> None:  # noqa: B027 - most bots do not
        """Start to think about `state` while another player chooses, until `choose` or `stop` is called."""

    def new_game(self) -> None:  # noqa: B027 - most bots keep nothing from move to move
        """Forget the last game, because a new one begins."""

    def check_game(self, game: type[Game]) -> None:  # noqa: B027 - most bots play any game
        """Raise a `BranchwiseError` if the bot cannot play `game`; called before any game."""

    def check_restricts(self) -> None:
        """Raise `SettingsError` if the bot cannot keep to some of the legal actions."""
        if not self.restricts:
            raise SettingsError(
                f"{self.name} cannot be restricted to some of the moves", mend="use mcts, which can"
            )

    def close(self) -> None:  # noqa: B027 - most bots have none
        """Release the bot's resources outside Python: processes, connections, files."""

    @classmethod
    def option_names(cls) -> list[str]:
        """Return the options that the constructor takes."""
        return list(inspect.signature(cls).parameters)

    def options(self) -> dict[str, object]:
        """Return the options given, for the bot's text form."""
        return {}

    def __repr__(self) -> str:
        given = {k: v for k, v in self.options().items() if v is not None}
        words = {k: getattr(v, "__name__", type(v).__name__) for k, v in given.items() if callable(v)}
        return format_spec(self.name, {**given, **words})


_REPLACED = {
    "set_moves": "the argument moves",
    "set_limits": "the argument limit",
    "set_clocks": "the argument limit, with its clocks and increments,",
}
"""Methods of the earlier interface, with their replacements."""


def _taking_all(written: FunctionType) -> Callable[..., int]:
    """Return `choose` with all three arguments, for a bot whose `choose` takes fewer."""
    kinds = [parameter.kind for parameter in inspect.signature(written).parameters.values()]
    taken = sum(kind is kind.POSITIONAL_OR_KEYWORD or kind is kind.POSITIONAL_ONLY for kind in kinds) - 1
    if taken >= _NUM_ARGUMENTS or inspect.Parameter.VAR_POSITIONAL in kinds:
        return written

    @wraps(written)
    def choose(self: Bot, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        action: int = written(self, *(state, limit, moves)[:taken])
        return action

    return choose


def _checking(choose: Callable[..., int]) -> Callable[..., int]:
    """Return `choose` with a check that the bot can keep to the limit."""

    @wraps(choose)
    def checked(self: Bot, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        if isinstance(limit, int | float):
            raise SettingsError(
                f"{limit!r} is no limit", mend="give a bw.Limit, such as bw.Limit(seconds=0.2)"
            )
        if limit is not None and limit.restriction:
            self.check_restricts()
        return choose(self, state, limit, moves)

    return checked


def check_not_over(state: Any) -> None:
    """Raise `ActionError` if the game is over, `GameError` if `state` is no state.

    What a player is shown in place of a state counts as one.
    """
    if not isinstance(state, Shown):
        from branchwise.rules.facts.facts import check_is_state

        check_is_state(state)
    if state.is_terminal():
        raise ActionError(
            "the game is over: there is nothing to choose", mend="check state.is_terminal() first"
        )


def check_sees_all(game: type[Game], bot: str) -> None:
    """Raise `SettingsError` for a game with hidden information, for a bot that searches states.

    The same for a partially observed problem and, unless the bot is mcts, where players move at once.
    """
    if game._joint and bot != "mcts":
        raise SettingsError(
            f"players of {game.name} move at once, which {bot} does not plan for", mend="use mcts or random"
        )
    if is_partially_observed(game):
        raise SettingsError(
            f"{game.name} is partially observed, and {bot} searches states, which its player does not see",
            mend="use pomcp or random",
        )
    from branchwise.game.kinds.hidden_information import hides_information

    if hides_information(game):
        raise SettingsError(
            f"{game.name} has hidden information, and {bot} searches states, which no player sees",
            mend="use ismcts, pimc or random",
        )


def check_hides(game: type[Game], so: str) -> None:
    """Raise `GameError` for a game that hides nothing; so : the rest of the sentence, why it is refused."""
    from branchwise.game.kinds.hidden_information import hides_information

    if not hides_information(game):
        raise GameError(f"{game.name} hides nothing, {so}", mend="use the bot mcts")


def seeded(seed: int | None) -> random.Random:
    """Return a random generator for a bot; the same for the same `seed`, a new one for None."""
    whole_number("seed", seed, -(2**127), 2**127, optional=True)
    return random.Random(seed)
