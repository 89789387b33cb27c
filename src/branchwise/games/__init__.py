"""The built-in games, each an example of how to write one, and finding games by their text form.

Problems of `branchwise.problems` are found here, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from branchwise.catalogue.registry import Registry
from branchwise.common.name_and_options import parse_spec, snake_case

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game

_CLASSES = {
    "games": """
        Amazons AtariGo Backgammon Battleship Blackjack BlokusDuo Breakthrough CantStop Checkers
        Chess ChineseCheckers Clobber ConnectFour DarkHex Domineering DotsAndBoxes Go Goofspiel
        Havannah Hearts Hex Kalah Konane KuhnPoker LeducPoker LiarsDice LinesOfAction MatrixGame MNK
        Nim NineMensMorris OshiZumo Othello PhantomTicTacToe Pig Quoridor RockPaperScissors
        SealedGoofspiel SudoTicTacToe TicTacToe Tron TwentyFortyEight UltimateTicTacToe Y Yahtzee
    """,
    "problems": """
        Acrobot CartPole CircuitRouting CliffWalking DecisionProcess Driving FrozenLake Inventory
        JobShop LeftMove LightDark MicroGrid Morpion MotionPlanning MountainCar PegSolitaire Pendulum
        Pocman Racetrack RockSample Sailing SameGame SlidingPuzzle SnakeInTheBox Sokoban Taxi Tiger TSP
        TSPTW VehicleRouting WeakSchur
    """,
}
"""The classes by package, each in the module of its name: AtariGo is `atari_go` in `games/atari_go.py`."""

GAMES = Registry(
    kind="game",
    base="branchwise.game.rules_class:Game",
    builtin={
        snake_case(name): f"branchwise.{package}.{snake_case(name)}:{name}"
        for package, names in _CLASSES.items()
        for name in names.split()
    },
)
GAMES.builtin["nogo"] = "branchwise.games.nogo:NoGo"


def load_game(text: str) -> type[Game]:
    """Return the game that `text` names: `name`, `name(option=value,...)` or `file.py:Class`.

    Raises `UnknownNameError` for an unknown game or option, with the nearest known one, `SettingsError` for a
    text that cannot be read, and `GameError` for an invalid value.

    >>> load_game("connect_four(rows=5,columns=5)").num_actions
    5
    """
    name, options = parse_spec(text)
    game: type[Game] = GAMES.find(name)
    return game.configured(**options) if options else game


def register_game(game: type[Game], name: str | None = None) -> None:
    """Register `game` under its own or another `name`, for `load_game` and the command line."""
    GAMES.register(name or game.name, game)


def game_names() -> list[str]:
    """Return the names of all known games."""
    return GAMES.names()


def is_shipped(game: type[Game]) -> bool:
    """Whether a game, or a variant, is one of those that come with Branchwise."""
    return game.__module__.startswith(("branchwise.games.", "branchwise.problems."))


def __getattr__(name: str) -> Any:
    """Provide the built-in games as attributes: `branchwise.games.ConnectFour`."""
    for place in GAMES.builtin.values():
        if place.endswith(f":{name}"):
            return GAMES.find(place)
    raise AttributeError(f"module 'branchwise.games' has no attribute {name!r}")
