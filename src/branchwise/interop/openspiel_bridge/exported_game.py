"""Games as Python games of OpenSpiel, on which its algorithms run."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, ClassVar

import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from branchwise.common.players import CHANCE, SIMULTANEOUS, TERMINAL
from branchwise.game.kinds.continuous_actions import refuse
from branchwise.game.kinds.game_kinds import starts_at_random
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.interop.openspiel_bridge.exported_position import SEED_LENGTH, SEED_PARTS, Position
from branchwise.interop.openspiel_bridge.options import from_parameters, to_parameters
from branchwise.interop.shared.episode import episode_facts, game_class, legal_of
from branchwise.interop.shared.observations import OBSERVATIONS, empty_parts, make_observer
from branchwise.rules.facts.facts import GameFacts
from branchwise.rules.facts.game_type import declared_sum, game_type
from branchwise.rules.knowledge.information import observation_text

PREFIX = "branchwise_"
"""Names of our games in OpenSpiel begin with it, because they share its names."""

_ONE_PLAYER = pyspiel.PrivateInfoType.SINGLE_PLAYER
_OTHERS = {
    CHANCE: int(pyspiel.PlayerId.CHANCE),
    SIMULTANEOUS: int(pyspiel.PlayerId.SIMULTANEOUS),
    TERMINAL: int(pyspiel.PlayerId.TERMINAL),
}
"""OpenSpiel's numbers for what is no player, by ours."""


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
        self.facts = fitting_facts(self.rules)
        self.hides = hides_information(self.rules)
        self.draws_start = starts_at_random(self.rules)
        start = self.rules.new_initial_state(Random(0))
        self._start = Position(start, self.facts, draws_start=self.draws_start, hides=self.hides)
        make_observer(self.rules, self.observation)  # raises if there is none
        super().__init__(
            openspiel_type(self.base, self.rules),
            _info(self.rules, self.facts),
            to_parameters(self.rules, self.observation),
        )

    def new_initial_state(self, state: str | None = None) -> OpenSpielState:
        """Return the state in which the game starts; state : the JSON of another one, by `Game.to_json`.

        A drawn start is drawn by chance, before the first move.
        """
        if state is None:
            return OpenSpielState(self, deepcopy(self._start))
        return OpenSpielState(self, Position(self.rules.from_json(state), self.facts, hides=self.hides))

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded_game, (self.base, str(self))

    def max_chance_nodes_in_history(self) -> int:
        """Return the most outcomes of chance in a game: as many as moves, as rules do not say it apart."""
        drawn = SEED_LENGTH * (self.draws_start + self.facts.max_game_length * self.facts.only_draws)
        return drawn + (self.facts.max_game_length if self.facts.num_outcomes else 0)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return the observer of what a player sees now, or, with perfect recall, has seen and done.

        None for what is private or public alone, if information is hidden.
        """
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if self.hides and not (kind.public_info and kind.private_info == _ONE_PLAYER):
            return None
        if kind.public_info and not kind.perfect_recall:
            return OpenSpielObserver(self)
        return RecallObserver() if self.hides else IIGObserverForPublicInfoGame(kind, params)


class OpenSpielState(pyspiel.State):
    """A state as OpenSpiel sees it: a position of the game, which copies share until they differ."""

    def __init__(self, game: OpenSpielGame, position: Position) -> None:
        super().__init__(game)
        self._position = position

    @property
    def state(self) -> Game:
        """The state of the game; change it by `apply_action` of this object alone."""
        return self._position.state

    def current_player(self) -> int:
        """Return the player to move, or OpenSpiel's number for chance, for all at once, or for the end."""
        player = self._position.player
        return player if player >= 0 else _OTHERS[player]

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(legal_of(self.state, player))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes that can happen, and their probabilities."""
        return self._position.outcomes()

    def _apply_action(self, action: int) -> None:
        self._position = self._position.to_change()
        self._position.apply(action)

    def _apply_actions(self, actions: list[int]) -> None:
        self._position = self._position.to_change()
        self._position.apply_joint(actions)

    def _action_to_string(self, player: int, action: int) -> str:
        return str(action) if player == _OTHERS[CHANCE] else self.state.action_to_string(action)

    def is_terminal(self) -> bool:
        """Whether the game is over; a problem that pays on the way also ends by its length."""
        return self._position.player == TERMINAL

    def returns(self) -> list[float]:
        """Return what each player was paid so far, undiscounted."""
        return list(self._position.total)

    def rewards(self) -> list[float]:
        """Return what each player was paid for the last decision and the chance after it."""
        return list(self._position.last)

    @property
    def has_begun(self) -> bool:
        """Whether the start is known; a drawn one is not before chance has given a seed."""
        return self._position.has_begun

    def seen_by(self, player: int) -> str:
        """Return all that a player has seen and done, where information is hidden, as text."""
        recall = self._position.recall
        return f"player {player}: {recall.text(player) if recall else ''}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded_state, (self.get_game(), self.serialize())

    def __str__(self) -> str:
        """Return the board and all fields, so that two states have different texts."""
        drawn, fields = str(self.state), repr(self.state)
        lines = ["" if drawn == fields else drawn, fields, self._position.undrawn()]
        return "\n".join(filter(None, lines))


class OpenSpielObserver:
    """Writes observations in OpenSpiel's form: `tensor`, and `dict` of its parts by name."""

    def __init__(self, game: OpenSpielGame) -> None:
        self._observer = make_observer(game.rules, game.observation)
        self.tensor, self.dict = empty_parts(self._observer)

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write what `player` sees of a state; zeros before the start is drawn."""
        self.tensor.fill(0.0)
        if state.has_begun:
            self._observer.write(state.state, player, self.dict)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return what `player` sees, as text."""
        if not state.get_game().hides:
            return str(state)
        if not state.has_begun:
            return ""
        return observation_text(type(state.state), player, None, state.state.observation(player))


class RecallObserver:
    """Writes all that a player has seen and done, as text, in OpenSpiel's form."""

    tensor = None

    def __init__(self) -> None:
        self.dict: dict[str, Any] = {}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Do nothing; there is no array of a whole history."""

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return the information state."""
        return state.seen_by(player)


def fitting_facts(rules: type[Game]) -> GameFacts:
    """Return the facts of a game; raises `GameError` for one that OpenSpiel's Python games cannot be."""
    refuse(rules, "OpenSpiel does not have", mend="bw.to_pettingzoo makes an environment of it")
    return episode_facts(rules, "OpenSpiel")


def openspiel_type(base: type[Game], rules: type[Game]) -> Any:
    """Return OpenSpiel's type of a variant `rules` of the class `base`."""
    kind, words = game_type(rules), pyspiel.GameType
    players = {base.num_players, rules.num_players}
    chance = "DETERMINISTIC" if kind.chance == "deterministic" else "EXPLICIT_STOCHASTIC"
    return words(
        short_name=PREFIX + base.name,
        long_name=base.name.replace("_", " ").title() + " (Branchwise)",
        dynamics=getattr(words.Dynamics, kind.dynamics.upper()),
        chance_mode=getattr(words.ChanceMode, chance),
        information=getattr(words.Information, f"{kind.information.upper()}_INFORMATION"),
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
    total = declared_sum(rules.new_initial_state(Random(0)), facts)
    draws = facts.only_draws or starts_at_random(rules)
    return pyspiel.GameInfo(
        num_distinct_actions=facts.num_actions,
        max_chance_outcomes=max(facts.num_outcomes, SEED_PARTS if draws else 0),
        num_players=facts.num_players,
        min_utility=facts.min_return,
        max_utility=facts.max_return,
        utility_sum=total,
        max_game_length=facts.max_game_length,
    )


def loaded(game: str | type[Game], observation: str) -> Any:
    """Return the `pyspiel.Game` that `to_openspiel` describes."""
    rules = game_class(game, "connect_four")
    fitting_facts(rules)
    make_observer(rules, observation)
    return pyspiel.load_game(registered(rules._base or rules), to_parameters(rules, observation))


_REGISTERED: dict[str, type[OpenSpielGame]] = {}


def registered(base: type[Game]) -> str:
    """Make a class known to OpenSpiel, and return its name there."""
    name = PREFIX + base.name
    if name not in _REGISTERED or _REGISTERED[name].base is not base:
        fitting_facts(base)
        _REGISTERED[name] = type(f"{base.__name__}Game", (OpenSpielGame,), {"base": base})
        pyspiel.register_game(openspiel_type(base, base), _REGISTERED[name])
    return name


def _loaded_game(base: type[Game], name: str) -> Any:
    """Return a pickled game, in a process that may not know the class yet."""
    registered(base)
    return pyspiel.load_game(name)


def _loaded_state(game: Any, text: str) -> Any:
    return game.deserialize_state(text)
