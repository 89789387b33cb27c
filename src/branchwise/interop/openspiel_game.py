"""Games as Python games of OpenSpiel, on which its algorithms run."""

from __future__ import annotations

from typing import Any, ClassVar

import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from branchwise.boxes import refuse
from branchwise.errors import GameError
from branchwise.game import Game
from branchwise.interop.episode import game_class
from branchwise.interop.observations import OBSERVATIONS, empty_parts, make_observer
from branchwise.interop.openspiel_options import from_parameters, to_parameters
from branchwise.players import CHANCE
from branchwise.rules.dice import possible_outcomes
from branchwise.rules.facts import GameFacts, apply_legal, game_facts, reward_of
from branchwise.rules.type import declared_sum, game_type
from branchwise.traits import is_simulator, samples_outcomes, starts_at_random

PREFIX = "branchwise_"
"""Names of our games in OpenSpiel begin with it, because they share its names."""


class OpenSpielGame(pyspiel.Game):
    """A game as OpenSpiel's algorithms see it; `to_openspiel` makes one.

    There is a subclass for each class of rules, and OpenSpiel holds it under the game's name.
    """

    base: ClassVar[type[Game]]
    """The class of the rules, without options."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        self.observation: str = given.get("observation", OBSERVATIONS[0])
        options = {name: value for name, value in given.items() if name != "observation"}
        self.rules = self.base.configured(**from_parameters(self.base, options))
        check_fits(self.rules)
        make_observer(self.rules, self.observation)  # raises if there is none
        self.facts = game_facts(self.rules())
        super().__init__(
            openspiel_type(self.base, self.rules),
            _info(self.rules, self.facts),
            to_parameters(self.rules, self.observation),
        )

    def new_initial_state(self, state: str | None = None) -> OpenSpielState:
        """Return the state in which the game starts; state : the JSON of another one, by `Game.to_json`."""
        return OpenSpielState(self, self.rules() if state is None else self.rules.from_json(state))

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded_game, (self.base, str(self))

    def max_chance_nodes_in_history(self) -> int:
        """Return the most outcomes of chance in a game: as many as moves, as rules do not say it apart."""
        return self.facts.max_game_length if self.facts.num_outcomes else 0

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return the observer of a state, or of the moves that led to it."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return OpenSpielObserver(self)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class OpenSpielState(pyspiel.State):
    """A state as OpenSpiel sees it: a state of the game, and what was paid on the way to it."""

    def __init__(self, game: OpenSpielGame, state: Game) -> None:
        super().__init__(game)
        self.state = state
        """The state of the game; change it by `apply_action` of this object alone."""
        self._decisions = 0
        self._last = [0.0] * game.facts.num_players
        self._total = [0.0] * game.facts.num_players

    def current_player(self) -> int:
        """Return the player to move, or OpenSpiel's number for chance or for the end."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        player = self.state.current_player()
        return int(pyspiel.PlayerId.CHANCE) if player == CHANCE else player

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.state.legal_actions())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes that can happen, and their probabilities."""
        return sorted(possible_outcomes(self.state))

    def _apply_action(self, action: int) -> None:
        facts: GameFacts = self.get_game().facts
        by_chance = self.state.current_player() == CHANCE
        given = apply_legal(self.state, action)
        if not by_chance:
            self._decisions += 1
            self._last = [0.0] * facts.num_players
        if facts.pays:
            for player, reward in enumerate(reward_of(self.state, given, facts)):
                self._last[player] += reward
                self._total[player] += reward
        elif self.state.is_terminal():
            self._last = self._total = [float(value) for value in self.state.returns()]

    def _action_to_string(self, player: int, action: int) -> str:
        return str(action) if player == int(pyspiel.PlayerId.CHANCE) else self.state.action_to_string(action)

    def is_terminal(self) -> bool:
        """Whether the game is over; a problem that pays on the way also ends by its length."""
        facts: GameFacts = self.get_game().facts
        return bool(self.state.is_terminal()) or (facts.pays and self._decisions >= facts.max_game_length)

    def returns(self) -> list[float]:
        """Return what each player was paid so far, undiscounted."""
        return list(self._total)

    def rewards(self) -> list[float]:
        """Return what each player was paid for the last decision and the chance after it."""
        return list(self._last)

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded_state, (self.get_game(), self.serialize())

    def __str__(self) -> str:
        """Return the board and all fields, so that two states have different texts."""
        drawn, fields = str(self.state), repr(self.state)
        return fields if drawn == fields else f"{drawn}\n{fields}"


class OpenSpielObserver:
    """Writes observations in OpenSpiel's form: `tensor`, and `dict` of its parts by name."""

    def __init__(self, game: OpenSpielGame) -> None:
        self._observer = make_observer(game.rules, game.observation)
        self.tensor, self.dict = empty_parts(self._observer)

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write what `player` sees of a state."""
        self._observer.write(state.state, player, self.dict)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return what `player` sees, as text."""
        return str(state)


def check_fits(rules: type[Game]) -> None:
    """Raise `GameError` for a game that OpenSpiel's Python games cannot be."""
    refuse(rules, "OpenSpiel does not have")
    drawn = (
        "the result of an action"
        if is_simulator(rules)
        else "the start"
        if starts_at_random(rules)
        else "outcomes of chance"
        if samples_outcomes(rules)
        else None
    )
    if drawn is not None:
        raise GameError(
            f"{rules.name} draws {drawn}, but a Python game of OpenSpiel lists what chance can do",
            mend="bw.to_pettingzoo makes an environment of it",
        )


def openspiel_type(base: type[Game], rules: type[Game]) -> Any:
    """Return OpenSpiel's type of a variant `rules` of the class `base`."""
    kind, words = game_type(rules), pyspiel.GameType
    players = {base.num_players, rules.num_players}
    return words(
        short_name=PREFIX + base.name,
        long_name=base.name.replace("_", " ").title() + " (Branchwise)",
        dynamics=words.Dynamics.SEQUENTIAL,
        chance_mode=getattr(words.ChanceMode, kind.chance.upper()),
        information=words.Information.PERFECT_INFORMATION,
        utility=getattr(words.Utility, (kind.utility or "general_sum").upper()),
        reward_model=getattr(words.RewardModel, kind.rewards.upper()),
        min_num_players=min(players),
        max_num_players=max(players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=to_parameters(base, OBSERVATIONS[0]),
    )


def _info(rules: type[Game], facts: GameFacts) -> Any:
    total = declared_sum(rules(), facts)
    return pyspiel.GameInfo(
        num_distinct_actions=facts.num_actions,
        max_chance_outcomes=facts.num_outcomes,
        num_players=facts.num_players,
        min_utility=facts.min_return,
        max_utility=facts.max_return,
        utility_sum=total,
        max_game_length=facts.max_game_length,
    )


def loaded(game: str | type[Game], observation: str) -> Any:
    """Return the `pyspiel.Game` that `to_openspiel` describes."""
    rules = game_class(game, "connect_four")
    check_fits(rules)
    make_observer(rules, observation)
    return pyspiel.load_game(registered(rules._base or rules), to_parameters(rules, observation))


_REGISTERED: dict[str, type[OpenSpielGame]] = {}


def registered(base: type[Game]) -> str:
    """Make a class known to OpenSpiel, and return its name there."""
    name = PREFIX + base.name
    if name not in _REGISTERED or _REGISTERED[name].base is not base:
        check_fits(base)
        _REGISTERED[name] = type(f"{base.__name__}Game", (OpenSpielGame,), {"base": base})
        pyspiel.register_game(openspiel_type(base, base), _REGISTERED[name])
    return name


def _loaded_game(base: type[Game], name: str) -> Any:
    """Return a pickled game, in a process that may not know the class yet."""
    registered(base)
    return pyspiel.load_game(name)


def _loaded_state(game: Any, text: str) -> Any:
    return game.deserialize_state(text)
