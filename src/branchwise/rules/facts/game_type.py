"""The type of a game, in OpenSpiel's terms: derived from the methods of its class.

Methods do not show how the players' returns are related, so a class may declare it: `utility`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from types import FunctionType
from typing import Any, Literal, Protocol, get_args

from branchwise.common.errors import GameError
from branchwise.game.definition.requirements import require_rules
from branchwise.game.kinds.game_kinds import Utility, is_simulator, num_arguments, pays_rewards, said_utility
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.rules_class import Game

Dynamics = Literal["sequential", "simultaneous"]
Chance = Literal["deterministic", "explicit_stochastic", "sampled_stochastic"]
Information = Literal["perfect", "imperfect"]
Rewards = Literal["terminal", "rewards"]

_TOLERANCE = 1e-6
"""Tolerance for sums of returns, relative to the difference of the bounds."""

_SIGNS: dict[str, dict[str, dict[str, int]]] = {
    "dynamics": {"simultaneous": {"apply_actions": 1}},
    "chance": {
        "sampled_stochastic": {"sample_outcome": 1, "apply_action": 2, "setup": 1},
        "explicit_stochastic": {"chance_outcomes": 0},
    },
    "information": {"imperfect": {"observation": 1, "determinize": 2, "observe": 2}},  # and hidden fields
}
"""By aspect and word: the methods that mark a class of that kind, with their number of arguments."""

_OF_OPENSPIEL = {
    "dynamics": ("dynamics", {"SEQUENTIAL": "sequential", "SIMULTANEOUS": "simultaneous"}),
    "chance": (
        "chance_mode",
        {
            "DETERMINISTIC": "deterministic",
            "EXPLICIT_STOCHASTIC": "explicit_stochastic",
            "SAMPLED_STOCHASTIC": "sampled_stochastic",
        },
    ),
    # In a one-shot game all choose at once: there is nothing that a player could see before.
    "information": (
        "information",
        {"PERFECT_INFORMATION": "perfect", "IMPERFECT_INFORMATION": "imperfect", "ONE_SHOT": "perfect"},
    ),
    "utility": ("utility", {word.upper(): word for word in get_args(Utility)}),
    "rewards": ("reward_model", {"TERMINAL": "terminal", "REWARDS": "rewards"}),
}
"""By aspect: the attribute of OpenSpiel's `GameType`, and our word for each of its values."""

MEND_RETURNS = 'correct returns, or say utility = "general_sum"'
"""Advice for returns that contradict the utility."""

MEND_REWARDS = 'correct the rewards, or say utility = "general_sum"'
"""The same for rewards."""


class Bounds(Protocol):
    """The players of a game and the bounds of their returns: a `Game` class, or `GameFacts`."""

    @property
    def num_players(self) -> int: ...
    @property
    def min_return(self) -> float: ...
    @property
    def max_return(self) -> float: ...


@dataclass(frozen=True)
class GameType:
    """The kind of a game, in OpenSpiel's terms; see `game_type`.

    >>> print(GameType(chance="explicit_stochastic", utility="zero_sum"))
    zero-sum, chance
    """

    dynamics: Dynamics = "sequential"
    """Whether players move in turn or all at once."""
    chance: Chance = "deterministic"
    """Whether there is chance, and whether its outcomes are listed with probabilities or only sampled."""
    information: Information = "perfect"
    """Whether every player sees the whole state."""
    utility: Utility | None = None
    """How the players' returns are related; None if the game does not say."""
    rewards: Rewards = "terminal"
    """Whether players are rewarded only at the end, or during the game."""

    def __str__(self) -> str:
        """Return how the game differs from a plain one, the utility first."""
        words = [
            "" if self.utility is None else self.utility.replace("_", "-"),
            "simultaneous moves" if self.dynamics == "simultaneous" else "",
            {"explicit_stochastic": "chance", "sampled_stochastic": "sampled chance"}.get(self.chance, ""),
            "hidden information" if self.information == "imperfect" else "",
            "rewards on the way" if self.rewards == "rewards" else "",
        ]
        return ", ".join(filter(None, words))

    def to_dict(self) -> dict[str, str | None]:
        """Return the five words by name, for JSON."""
        return asdict(self)


def game_type(game: Any) -> GameType:
    """Return the type of a game, given as a `Game` class or as any state.

    The type of a class follows from its methods and its `utility`. An OpenSpiel state has its game's own
    type. Any other state object counts as a game with perfect information, in which players move in turn
    unless it has `apply_actions`, deterministic unless it `simulates`, and with rewards if it has a method
    `rewards` and no `returns`; it may have an attribute `utility`. Raises `GameError` for an incomplete class
    and for an unknown word.

    >>> from branchwise.games.nim import Nim
    >>> game_type(Nim) == GameType(utility="zero_sum")
    True
    """
    if isinstance(game, Game):
        game = type(game)
    if isinstance(game, type) and issubclass(game, Game):
        if not game._complete:
            require_rules(game)
        rewards: Rewards = "rewards" if pays(game) else "terminal"
        return GameType(**_shown(game), utility=said_utility(game), rewards=rewards)
    if isinstance(game, type | str):
        raise GameError(f"{game!r} is no game", mend='give a class, such as bw.load_game("connect_four")')
    kind = _openspiel_type(game)
    if kind is None:
        return GameType(
            dynamics="simultaneous" if callable(getattr(game, "apply_actions", None)) else "sequential",
            chance="sampled_stochastic" if simulates(type(game)) else "deterministic",
            utility=said_utility(game),
            rewards="rewards" if pays(game) else "terminal",
        )
    return GameType(**_translated(kind))


def check_kind(name: str, game: Any, kind: GameType, *, joint: bool = False) -> None:
    """Raise `GameError` for a type of game that cannot be searched by its states; game : as in `game_type`.

    joint : whether players may move at once, which only `MCTS` plans for.
    """
    if kind.dynamics == "simultaneous" and not joint:
        raise GameError(
            f"{name} has players who move at once (its method apply_actions), which only MCTS plans for",
            mend="search it with bw.MCTS, or let the bots mcts and random play it",
        )
    if kind.information == "imperfect":
        by = ""
        if isinstance(game, Game):
            sign = _sign(type(game), _SIGNS["information"]["imperfect"])
            by = f" (its field {game._hidden[0].name})" if game._hidden else f" (its method {sign})"
        raise GameError(f"{name} has hidden information{by}, which a search of the state would see")
    if kind.chance == "sampled_stochastic" and not (isinstance(game, Game) or simulates(type(game))):
        raise GameError(
            f"{name} draws its chance from random numbers of its own, which MCTS does not plan for",
            mend="a state whose apply_action(self, action, random) draws from `random` is planned for",
        )


def check_in_turn(game: type[Game], what: str) -> None:
    """Raise `GameError` for a game in which players move at once, which `what` does not show.

    >>> from branchwise.games.goofspiel import Goofspiel
    >>> check_in_turn(Goofspiel, "this command")
    Traceback (most recent call last):
    branchwise.common.errors.GameError: players of goofspiel move at once, which this command does not show
    """
    if game_type(game).dynamics == "simultaneous":
        raise GameError(f"players of {game.name} move at once, which {what} does not show")


def check_joint_is_open(game: type[Game], what: str) -> None:
    """Raise `GameError` for a game in which players move at once and do not see everything."""
    kind = game_type(game)
    if kind.dynamics == "simultaneous" and kind.information == "imperfect":
        raise GameError(
            f"players of {game.name} move at once and do not see everything, which {what} does not show"
        )


def check_open(game: type[Game], what: str) -> None:
    """Raise `GameError` for a game with hidden information, which `what` would show, or with joint moves.

    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> check_open(KuhnPoker, "this command")
    Traceback (most recent call last):
    branchwise.common.errors.GameError: kuhn_poker has hidden information, which this command would show
    """
    check_in_turn(game, what)
    if game_type(game).information == "imperfect":
        raise GameError(f"{game.name} has hidden information, which {what} would show")


def simulates(states: type) -> bool:
    """Whether states of this class draw what an action leads to, in `apply_action(self, action, random)`.

    A class that is no `Game` may have other arguments with defaults; one called `random` has none.

    >>> class Walk:
    ...     def apply_action(self, action, random): ...
    >>> class Chess:
    ...     def apply_action(self, action, check=True): ...
    >>> simulates(Walk), simulates(Chess)
    (True, False)
    """
    if issubclass(states, Game):
        return is_simulator(states)
    rule = getattr(states, "apply_action", None)
    if not isinstance(rule, FunctionType) or rule.__defaults__:
        return False
    code = rule.__code__
    return code.co_argcount == 3 and code.co_varnames[2] == "random"


def declared_sum(game: Any, bounds: Bounds) -> float | None:
    """Return the sum of the players' returns if the game declares it, else None.

    game : as in `game_type`. With two players and a constant sum it is the sum of the bounds, which are the
    least and the greatest return of either. OpenSpiel's games give their own.
    """
    utility = _utility(game)
    if utility == "zero_sum":
        return 0.0
    if utility != "constant_sum":
        return None
    openspiels = openspiel_game(game)
    if openspiels is not None:
        told = openspiels.utility_sum()
        return None if told is None else float(told)
    return bounds.min_return + bounds.max_return if bounds.num_players == 2 else None


def pays(game: Any) -> bool:
    """Whether a game pays rewards on the way and has no returns; game : as in `game_type`.

    A state that is no `Game` has a method `rewards` then, for those of the last move.
    """
    if isinstance(game, Game):
        game = type(game)
    if isinstance(game, type) and issubclass(game, Game):
        return pays_rewards(game)
    return callable(getattr(game, "rewards", None)) and not callable(getattr(game, "returns", None))


def proofs_hold(game: Any, bounds: Bounds) -> bool:
    """Whether proven bounds may be passed up the tree, as far as the game declares; see `core.backup.prove`.

    With two players, the bounds of one follow from those of the other if the returns always add up to
    min_return + max_return. One player, or more than two, need no such sum. Rewards of two players have to
    be declared to be zero-sum.
    """
    if bounds.num_players != 2:
        return True
    if pays(game):
        return _utility(game) == "zero_sum"
    if _utility(game) in ("general_sum", "identical"):
        return False
    total = declared_sum(game, bounds)
    return total is None or _near(total, bounds.min_return + bounds.max_return, bounds)


class DeclaredReturns:
    """Compares the returns of finished games with the utility that the game declares.

    With three or more players, a constant sum is taken from the first game seen.
    """

    def __init__(self, game: Any, bounds: Bounds) -> None:
        self._bounds = bounds
        self._utility = game_type(game).utility  # raises for an incomplete class
        self._sum = declared_sum(game, bounds)

    def problem(self, returns: Sequence[float]) -> str | None:
        """Return how returns contradict the utility, as the end of a sentence; None if they do not."""
        said = f'utility is "{self._utility}"'
        if self._utility == "identical":
            same = _near(max(returns), min(returns), self._bounds)
            return None if same else f"which differ, but {said}"
        total = sum(returns)
        if self._utility == "constant_sum" and self._sum is None:
            self._sum = total
        if self._sum is None or _near(total, self._sum, self._bounds):
            return None
        what = f"{self._sum:g}"
        if self._utility == "constant_sum":
            two = self._bounds.num_players == 2
            what = f"min_return + max_return, {what}" if two else f"{what}, as in another game"
        return f"which add up to {total:g}, but {said}: they must add up to {what}"

    def reward_problem(self, rewards: Sequence[float]) -> str | None:
        """Return the same of the rewards of one move, of which a constant sum says nothing."""
        return None if self._utility == "constant_sum" else self.problem(rewards)


def _near(first: float, second: float, bounds: Bounds) -> bool:
    span = bounds.max_return - bounds.min_return
    if math.isinf(span):
        span = max(1.0, abs(first), abs(second))
    return abs(first - second) <= _TOLERANCE * span


def _utility(game: Any) -> Utility | None:
    """Return the utility alone, which is faster than the whole type."""
    return said_utility(game) if _openspiel_type(game) is None else game_type(game).utility


def _shown(game: type[Game]) -> dict[str, Any]:
    """Return, by aspect, the words that a class's methods show, where these are not the default."""
    found = {}
    for aspect, words in _SIGNS.items():
        for word, rules in words.items():
            if _sign(game, rules) is not None:
                found[aspect] = word
                break
    if hides_information(game):
        found["information"] = "imperfect"
    return found


def _sign(game: type, rules: dict[str, int]) -> str | None:
    """Return the first of these methods that `game` has with the right number of arguments."""
    for name, arguments in rules.items():
        owner = next((owner for owner in game.__mro__ if name in vars(owner)), Game)
        drawn = name != "apply_action" or is_simulator(game)
        if owner is not Game and num_arguments(game, name) == arguments and drawn:
            return name
    return None


def openspiel_method(state: Any, name: str) -> Callable[[], Any] | None:
    """Return a method of OpenSpiel's states or games; None if there is none.

    A method of that name of a `Game` is the class's own.
    """
    is_own = isinstance(state, Game) or (isinstance(state, type) and issubclass(state, Game))
    found = None if is_own else getattr(state, name, None)
    return found if callable(found) else None


def openspiel_game(state: Any) -> Any:
    """Return the game of one of OpenSpiel's states; None for any other."""
    method = openspiel_method(state, "get_game")
    return None if method is None else method()


def _openspiel_type(game: Any) -> Any:
    openspiels = openspiel_game(game)
    method = openspiel_method(game if openspiels is None else openspiels, "get_type")
    return None if method is None else method()


def _translated(kind: Any) -> dict[str, Any]:
    """Return our words for an OpenSpiel type; raises `GameError` for an unknown value."""
    found = {}
    for aspect, (attribute, words) in _OF_OPENSPIEL.items():
        value = getattr(getattr(kind, attribute, None), "name", None)
        if value is None:
            continue
        if value not in words:
            name = getattr(kind, "short_name", "this game")
            raise GameError(f"{name} has {attribute} {value}, which Branchwise does not know")
        found[aspect] = words[value]
    return found
