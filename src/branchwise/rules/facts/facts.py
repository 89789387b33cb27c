"""Facts about a game that a planner needs, for states of any class."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter, index
from types import MethodType
from typing import Any, SupportsIndex, cast

import numpy as np

from branchwise.common.errors import ActionError, GameError
from branchwise.common.name_and_options import some_of
from branchwise.common.players import CHANCE, GREATEST_REWARD, NO_ACTION, SIMULTANEOUS
from branchwise.game.kinds.continuous_actions import (
    box_of,
    box_varies,
    check_vector,
    has_box,
    refuse,
    same_action,
    sample_vector,
    vector_text,
    whole_of,
)
from branchwise.game.kinds.game_kinds import is_simulator, samples_outcomes, written_rule
from branchwise.game.kinds.random_numbers import Draws, Random
from branchwise.game.kinds.simultaneous_moves import check_joint_move, joint_text, takes_turns
from branchwise.game.rules_class import Game
from branchwise.rules.facts.game_type import (
    check_kind,
    game_type,
    openspiel_game,
    pays,
    proofs_hold,
    simulates,
)
from branchwise.rules.facts.given_to_bots import Shown

NEEDED_METHODS = ("current_player", "legal_actions", "apply_action", "is_terminal", "returns")
"""Methods of a state object; one that pays on the way has `rewards` in place of `returns`."""
NO_LIMIT = 2**31 - 1
_CHANCES = 4
"""Factor by which some games of OpenSpiel, as coop_box_pushing, exceed the chance nodes that they declare."""
_NO_BOX = np.zeros(0)


@dataclass(frozen=True)
class GameFacts:
    """Bounds of a game: players, distinct actions and outcomes of chance, returns, the most moves.

    opposed : whether there are two players, and one's return follows from the other's.
    samples, simulates : whether the rules draw outcomes of chance, or the results of actions, so that these
    cannot be listed.
    pays : whether rewards are paid on the way. `discount` and `horizon` are then as in `Game`; returns may
    be without bounds.
    low, high : the box of continuous actions at the given state.   whole : which of their numbers are whole.
    box_varies : whether the box depends on the state.   draws_actions : whether the rules have
    `sample_action`.
    joint : whether players move at once at some nodes.   alone : whether chance or single players move at
    others.
    by_content : whether states with the same content are equal, so that a search can find them again.
    """

    name: str
    num_players: int
    num_actions: int
    min_return: float
    max_return: float
    max_game_length: int
    num_outcomes: int = 0
    pays: bool = False
    discount: float = 1.0
    horizon: int = 0
    opposed: bool = True
    samples: bool = False
    simulates: bool = False
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    box_varies: bool = False
    draws_actions: bool = False
    by_content: bool = True
    joint: bool = False
    alone: bool = True
    whole: tuple[bool, ...] = ()

    @property
    def dimensions(self) -> int:
        """Dimensions of a continuous action; 0 if actions are numbered."""
        return len(self.low)

    @property
    def only_draws(self) -> bool:
        """Whether what chance brings can only be drawn, because it cannot be listed."""
        return self.samples or self.simulates

    @property
    def num_moves(self) -> int:
        """Number of distinct moves of all players, if actions are numbered."""
        return self.num_players * self.num_actions

    @property
    def is_bounded(self) -> bool:
        """Whether returns have a lower and an upper bound."""
        return math.isfinite(self.max_return - self.min_return)

    @property
    def no_gain(self) -> float:
        """Return that counts as a gain of 0: the worst one; -1 if there is none."""
        return self.min_return if self.is_bounded else -1.0

    @property
    def span(self) -> float:
        """Difference between the returns that count as gains of 1 and of 0; 2 without bounds."""
        return self.max_return - self.min_return if self.is_bounded else 2.0

    @property
    def middle(self) -> float:
        """Proven returns above it are best reached early, those below it late; -inf: all early."""
        return -math.inf if self.pays else (self.min_return + self.max_return) / 2

    @property
    def sum_of_two(self) -> float:
        """The sum of two players' returns if it is constant."""
        return self.min_return + self.max_return if self.is_bounded else 0.0


def game_facts(state: Any) -> GameFacts:
    """Return the facts of the game of `state`: a `Game`, an OpenSpiel state, or anything like it.

    Any object with OpenSpiel's methods `current_player, legal_actions, apply_action, is_terminal, returns`
    and `clone` or `copy` will do; one with `rewards` and no `returns` pays on the way, and one that has
    `apply_action(self, action, random)` is a simulator. Attributes or methods num_players (else 2),
    min_return (else -1), max_return (else 1) and max_game_length (else 10,000) are read where it has them.
    Raises `GameError` naming what is missing, or for a type of game that needs a planner of its own, such as
    hidden information; `facts_of` does not.
    """
    check_is_state(state)
    check_kind(name_of(state), state, game_type(state))
    return _facts(state)


def searched_facts(state: Any) -> GameFacts:
    """Return the same for a search that plans for players who move at once, too."""
    check_is_state(state)
    check_kind(name_of(state), state, game_type(state), joint=True)
    return _facts(state)


def facts_of(state: Any, *, joint: bool = False) -> GameFacts:
    """Return the facts of the game of `state`, whether or not players see everything.

    Raises `GameError` naming what is missing, and for games with simultaneous moves.   joint : whether those
    of a `Game` are accepted.
    """
    check_is_state(state)
    check_kind(name_of(state), state, replace(game_type(state), information="perfect"), joint=joint)
    return _facts(state)


def num_players_of(state: Any) -> int:
    """Return the number of players of the game of a state."""
    return int(_fact(_source_of_facts(state), ("num_players",), 2))


def _source_of_facts(state: Any) -> Any:
    game = openspiel_game(state)
    return state if game is None else game


def _facts(state: Any) -> GameFacts:
    source = _source_of_facts(state)
    paying = pays(state)
    low, high = box_of(state) if has_box(state) else (_NO_BOX, _NO_BOX)
    unknown = math.inf if paying else 1.0
    facts = GameFacts(
        name=name_of(state),
        num_players=num_players_of(state),
        num_actions=0 if low.size else int(_fact(source, ("num_actions", "num_distinct_actions"), NO_LIMIT)),
        min_return=float(_fact(source, ("min_return", "min_utility"), -unknown)),
        max_return=float(_fact(source, ("max_return", "max_utility"), unknown)),
        max_game_length=int(_fact(source, ("max_game_length",), Game.max_game_length))
        + _CHANCES * int(_fact(source, ("max_chance_nodes_in_history",), 0)),
        num_outcomes=int(_fact(source, ("num_outcomes", "max_chance_outcomes"), 0)),
        pays=paying,
        discount=float(_fact(source, ("discount",), 1.0)) if paying else 1.0,
        horizon=int(_fact(source, ("horizon",), 0)) if paying else 0,
        samples=isinstance(state, Game) and samples_outcomes(type(state)),
        simulates=simulates(type(state)),
        by_content=compares_by_content(type(state)),
        joint=state._joint if isinstance(state, Game) else game_type(state).dynamics == "simultaneous",
        alone=not isinstance(state, Game) or takes_turns(type(state)),
        low=tuple(low.tolist()),
        whole=tuple(whole_of(state, low.size).tolist()),
        high=tuple(high.tolist()),
        box_varies=box_varies(state),
        draws_actions=bool(low.size) and callable(getattr(state, "sample_action", None)),
    )
    facts = replace(facts, opposed=facts.num_players == 2 and proofs_hold(state, facts))
    if (
        facts.num_players < 1
        or not facts.min_return < facts.max_return
        or not (facts.is_bounded or paying)
        or not 0.0 <= facts.discount <= 1.0
        or facts.horizon < 0
    ):
        raise GameError(f"{facts.name} has impossible bounds: {facts}")
    return facts


def compares_by_content(states: type) -> bool:
    """Whether states of a class compare by content: it has methods `__eq__` and `__hash__` of its own.

    >>> from branchwise.games.nim import Nim
    >>> compares_by_content(Nim), compares_by_content(object)
    (True, False)
    """
    plain: Any = object
    kind: Any = states
    return kind.__eq__ is not plain.__eq__ and kind.__hash__ not in (None, plain.__hash__)


def check_is_game(game: Any) -> None:
    """Raise `GameError` for what is no rules class, such as a state."""
    if not (isinstance(game, type) and issubclass(game, Game)):
        given = f"a state of {game.name}" if isinstance(game, Game) else repr(game)
        raise GameError(f"{given} is no game", mend='give a class, such as bw.load_game("connect_four")')


def check_is_state(state: Any) -> None:
    """Raise `GameError` for a class, and for an object without the methods of a state."""
    if isinstance(state, Shown):
        raise state.not_a_state()
    if isinstance(state, type):
        raise GameError(
            f"{state.__name__} is a class, not a state", mend=f"give a state: {state.__name__}() is the start"
        )
    if isinstance(state, str):
        raise GameError(
            f'"{state}" is a text, not a state', mend=f'bw.load_game("{state}")() is the start of a game'
        )
    for method in NEEDED_METHODS:
        is_needed = not (method == "returns" and pays(state)) and not (
            method == "legal_actions" and has_box(state)
        )
        if is_needed and not callable(getattr(state, method, None)):
            raise GameError(
                f"a {type(state).__name__} cannot be searched: it has no method {method}",
                mend=f"a state needs {', '.join(NEEDED_METHODS)} and clone, as in OpenSpiel; where it pays "
                "on the way, rewards in place of returns",
            )
    if not callable(getattr(state, "clone", None)) and not callable(getattr(state, "copy", None)):
        raise GameError(
            f"a {type(state).__name__} cannot be searched: it has neither clone nor copy",
            mend="add def clone(self): return an independent copy of the state",
        )


def action_text(state: Any, action: Any) -> str:
    """Return how people write `action`, by the state's `action_to_string` where it has one."""
    if _is_joint_move(state, action):
        return joint_text(state, action)
    write = getattr(state, "action_to_string", None)
    if write is None and has_box(state):
        return vector_text(action)
    return str(action) if write is None else str(write(action))


def action_word(state: Any, action: Any) -> str:
    """Return a legal action as one word that `legal_action` reads: its text, or its number or numbers.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> action_word(ConnectFour(), 3)
    'd1'
    """
    text = action_text(state, action)
    number = vector_text(action) if has_box(state) else str(action)
    if text.split() != [text]:
        return number
    try:
        return text if same_action(legal_action(state, text), action) else number
    except ActionError:
        return number


def legal_actions(state: Any) -> list[int]:
    """Return the legal actions of a state that is not over; the outcomes where chance is to move."""
    if state.current_player() == CHANCE and callable(getattr(state, "chance_outcomes", None)):
        return [int(outcome) for outcome, _ in state.chance_outcomes()]
    return [int(action) for action in state.legal_actions()]


def legal_action(state: Any, move: Any) -> Any:
    """Return `move`, a number or a text, as the number of a legal action, or of an outcome of chance.

    A continuous action is returned as a vector.

    Raises `ActionError` with the legal moves for anything else, and if the game is over.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> legal_action(ConnectFour(), "d1"), legal_action(ConnectFour(), 3)
    (3, 3)
    """
    over = bool(state.is_terminal())
    is_chance = not over and state.current_player() == CHANCE
    if isinstance(state, Game):
        return state.check_action(move)
    if over:
        raise ActionError(f'"{move}" cannot be played: the game is over')
    if has_box(state):
        return check_vector(state, move)
    if not over and state.current_player() == SIMULTANEOUS:
        return check_joint_move(state, move, name_of(state), num_players_of(state))
    if isinstance(move, str) and not is_chance and hasattr(state, "action_from_string"):
        return int(state.action_from_string(move))
    texts = {action: action_text(state, action) for action in legal_actions(state)}
    number: int | None
    if isinstance(move, str):
        named = [action for action, text in texts.items() if text == move.strip()]
        number = named[0] if named else int(move) if move.strip().isdecimal() else None
    else:
        number = _whole(move)
    if number not in texts:
        raise ActionError(
            f'"{move}" is not a legal move here', mend=f"legal moves are {some_of(texts.values())}"
        )
    return number


def random_action(state: Any, source: random.Random) -> Any:
    """Return one of the legal actions, all equally likely; a continuous one as playouts draw it.

    Where all players move at once it is a tuple with an action of each.
    """
    if has_box(state):
        return sample_vector(state, Random(source.getrandbits(64)))
    if state.current_player() == SIMULTANEOUS:
        legal = [state.legal_actions(player) for player in range(num_players_of(state))]
        return tuple(source.choice(actions) if actions else NO_ACTION for actions in legal)
    return int(source.choice(state.legal_actions()))


def _is_joint_move(state: Any, action: Any) -> bool:
    """Whether an action is a move of all players at once: a tuple with an action of each."""
    if type(action) is not tuple:
        return False
    return state._joint if isinstance(state, Game) else callable(getattr(state, "apply_actions", None))


def copied(state: Any) -> Any:
    """Return an independent copy of a state."""
    return copying_rule(type(state))(state)


def copying_rule(states: type) -> Callable[[Any], Any]:
    """Return a function that copies a state of this class."""
    rule: Callable[[Any], Any] | None = getattr(states, "clone", None) or getattr(states, "copy", None)
    return rule or _copied_by_its_own


def _copied_by_its_own(state: Any) -> Any:
    """Return a copy of a state whose methods are not its class's."""
    return state.clone() if hasattr(state, "clone") else state.copy()


def apply_legal(state: Any, action: Any, random: Draws | None = None) -> object:
    """Apply an action that is known to be legal, and return what the rule returns.

    A `Game` does not check the action again.   random : source of a simulator's random numbers. Where
    players move at once, a tuple is a joint move.
    """
    if _is_joint_move(state, action):
        joint_rule: Callable[..., object] = written_rule(type(state).apply_actions)
        return joint_rule(state, action)
    rule: Callable[..., object] = legal_rule(type(state))
    if random is not None and simulates(type(state)):
        return rule(state, action, random)
    return rule(state, action)


def legal_rule(states: type) -> Callable[[Any, int], object]:
    """Return a function that applies a legal action to a state of this class: for a `Game`, its unchecked
    rule.

    For a simulator it also takes the source of random numbers.
    """
    if issubclass(states, Game):
        return written_rule(states.apply_action)
    return cast(Any, _apply_randomly) if simulates(states) else _play


def _play(state: Any, action: int) -> object:
    # Were it named `_apply_action`, pybind11 would take it for the method of that name of an OpenSpiel state
    # in Python, and refuse to call that method.
    return state.apply_action(action)


def _apply_randomly(state: Any, action: int, random: Draws) -> object:
    return state.apply_action(action, random)


def draws_what_happens(state: Any) -> bool:
    """Whether the rules of a state draw at random, so that moves alone do not determine the states."""
    return simulates(type(state)) or (isinstance(state, Game) and samples_outcomes(type(state)))


def check_is_listed(state: Any, what: str) -> None:
    """Raise `GameError` if transitions can only be drawn; what : the feature that needs a list.

    The same for continuous actions.
    """
    refuse(state, f"cannot be listed, so there is no {what}")
    if draws_what_happens(state):
        raise GameError(
            f"what happens in {name_of(state)} is drawn by its rules and cannot be listed, so there is no "
            f"{what}",
            mend="search it with MCTS",
        )


def check_is_repeatable(game: type, mend: str) -> None:
    """Raise `GameError` for a simulator, whose moves do not determine a position."""
    if issubclass(game, Game) and is_simulator(game):
        raise GameError(
            f"what a move in {game.name} leads to is drawn by its rules, so that moves alone do not give a "
            "position again",
            mend=mend,
        )


def reward_of(state: Any, given: object, facts: GameFacts) -> tuple[float, ...]:
    """Return the rewards of the move just applied to `state`, one a player.

    given : what applying it returned: None for 0, a number with one player, else one a player. A state that
    is no `Game` is asked for its `rewards`. Raises `GameError` for anything else, and for what is not finite.
    """
    if not isinstance(state, Game):
        given = state.rewards()
    if given is None:
        return (0.0,) * facts.num_players
    try:
        numbers = tuple(map(float, given)) if isinstance(given, Iterable) else (float(cast(Any, given)),)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != facts.num_players or not all(abs(n) <= GREATEST_REWARD for n in numbers):
        one = "a finite number" if facts.num_players == 1 else f"{facts.num_players} finite numbers"
        raise GameError(
            f"{facts.name}.apply_action returned {given!r}, but a reward is {one}",
            mend=f"return {one}, or nothing for 0",
        )
    return numbers


def binder(states: type) -> Callable[[Any], Callable[[int], object]]:
    """Return a function that, for one state, returns a function to apply many actions to it."""
    if issubclass(states, Game):
        return partial(MethodType, written_rule(states.apply_action))
    return attrgetter("apply_action")


def is_over(state: Any) -> bool:
    """Return whether the game is over; raises `GameError` for an answer that is neither yes nor no."""
    over = state.is_terminal()
    if isinstance(over, np.ndarray) and over.size != 1:
        raise GameError(
            f"{type(state).__name__}.is_terminal gave an array of {over.size}, not True or False",
            mend="let any() or all() make one of it, such as (self.board == 0).all()",
        )
    return bool(over)


def check_searchable(state: Any, facts: GameFacts) -> None:
    """Raise `GameError` if no search can start from `state`."""
    if is_over(state):
        raise GameError(
            f"this {facts.name} game is over: there is nothing to search",
            mend="check state.is_terminal() first",
        )
    player = state.current_player()
    if player == CHANCE:
        raise GameError(
            f"chance is to move in this {facts.name} state: there is nothing to decide",
            mend="apply one of state.chance_outcomes() first, or let bw.Playthrough(state).draw() draw one",
        )
    if player == SIMULTANEOUS and facts.joint:
        return
    if not 0 <= player < facts.num_players:
        raise GameError(
            f"{facts.name}.current_player gave {player}, but players are 0 to {facts.num_players - 1}"
        )


def _whole(move: object) -> int | None:
    try:
        return index(cast(SupportsIndex, move))
    except TypeError:
        return None


def _fact(source: Any, names: tuple[str, ...], default: float) -> Any:
    for name in names:
        value = getattr(source, name, None)
        if value is not None:
            return value() if callable(value) else value
    return default


def name_of(state: Any) -> str:
    """Return the name of the game of a state."""
    if isinstance(state, Game):
        return state.name
    game = openspiel_game(state)
    short_name = getattr(getattr(game, "get_type", lambda: None)(), "short_name", None)
    own = getattr(state, "name", None)
    return short_name or (own if isinstance(own, str) else type(state).__name__)
