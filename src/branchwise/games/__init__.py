"""The built-in games, each an example of how to write one, and finding games by their text form.

Problems of `branchwise.problems` are found here, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from branchwise.catalogue.registry import Registry
from branchwise.common.name_and_options import parse_spec

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game

GAMES = Registry(
    kind="game",
    base="branchwise.game.rules_class:Game",
    builtin={
        "acrobot": "branchwise.problems.acrobot:Acrobot",
        "amazons": "branchwise.games.amazons:Amazons",
        "atari_go": "branchwise.games.atari_go:AtariGo",
        "backgammon": "branchwise.games.backgammon:Backgammon",
        "battleship": "branchwise.games.battleship:Battleship",
        "blackjack": "branchwise.games.blackjack:Blackjack",
        "blokus_duo": "branchwise.games.blokus_duo:BlokusDuo",
        "breakthrough": "branchwise.games.breakthrough:Breakthrough",
        "cant_stop": "branchwise.games.cant_stop:CantStop",
        "cart_pole": "branchwise.problems.cart_pole:CartPole",
        "checkers": "branchwise.games.checkers:Checkers",
        "chess": "branchwise.games.chess:Chess",
        "chinese_checkers": "branchwise.games.chinese_checkers:ChineseCheckers",
        "circuit_routing": "branchwise.problems.circuit_routing:CircuitRouting",
        "cliff_walking": "branchwise.problems.cliff_walking:CliffWalking",
        "clobber": "branchwise.games.clobber:Clobber",
        "connect_four": "branchwise.games.connect_four:ConnectFour",
        "dark_hex": "branchwise.games.dark_hex:DarkHex",
        "domineering": "branchwise.games.domineering:Domineering",
        "dots_and_boxes": "branchwise.games.dots_and_boxes:DotsAndBoxes",
        "driving": "branchwise.problems.driving:Driving",
        "frozen_lake": "branchwise.problems.frozen_lake:FrozenLake",
        "go": "branchwise.games.go:Go",
        "goofspiel": "branchwise.games.goofspiel:Goofspiel",
        "havannah": "branchwise.games.havannah:Havannah",
        "hearts": "branchwise.games.hearts:Hearts",
        "hex": "branchwise.games.hex:Hex",
        "kalah": "branchwise.games.kalah:Kalah",
        "konane": "branchwise.games.konane:Konane",
        "kuhn_poker": "branchwise.games.kuhn_poker:KuhnPoker",
        "leduc_poker": "branchwise.games.leduc_poker:LeducPoker",
        "left_move": "branchwise.problems.left_move:LeftMove",
        "liars_dice": "branchwise.games.liars_dice:LiarsDice",
        "light_dark": "branchwise.problems.light_dark:LightDark",
        "lines_of_action": "branchwise.games.lines_of_action:LinesOfAction",
        "matrix_game": "branchwise.games.matrix_game:MatrixGame",
        "micro_grid": "branchwise.problems.micro_grid:MicroGrid",
        "mnk": "branchwise.games.mnk:MNK",
        "morpion": "branchwise.problems.morpion:Morpion",
        "motion_planning": "branchwise.problems.motion_planning:MotionPlanning",
        "mountain_car": "branchwise.problems.mountain_car:MountainCar",
        "nim": "branchwise.games.nim:Nim",
        "nine_mens_morris": "branchwise.games.nine_mens_morris:NineMensMorris",
        "nogo": "branchwise.games.nogo:NoGo",
        "oshi_zumo": "branchwise.games.oshi_zumo:OshiZumo",
        "othello": "branchwise.games.othello:Othello",
        "peg_solitaire": "branchwise.problems.peg_solitaire:PegSolitaire",
        "pendulum": "branchwise.problems.pendulum:Pendulum",
        "phantom_tic_tac_toe": "branchwise.games.phantom_tic_tac_toe:PhantomTicTacToe",
        "pig": "branchwise.games.pig:Pig",
        "pocman": "branchwise.problems.pocman:Pocman",
        "quoridor": "branchwise.games.quoridor:Quoridor",
        "racetrack": "branchwise.problems.racetrack:Racetrack",
        "rock_paper_scissors": "branchwise.games.rock_paper_scissors:RockPaperScissors",
        "rock_sample": "branchwise.problems.rock_sample:RockSample",
        "sailing": "branchwise.problems.sailing:Sailing",
        "same_game": "branchwise.problems.same_game:SameGame",
        "sealed_goofspiel": "branchwise.games.sealed_goofspiel:SealedGoofspiel",
        "sliding_puzzle": "branchwise.problems.sliding_puzzle:SlidingPuzzle",
        "snake_in_the_box": "branchwise.problems.snake_in_the_box:SnakeInTheBox",
        "sokoban": "branchwise.problems.sokoban:Sokoban",
        "sudo_tic_tac_toe": "branchwise.games.sudo_tic_tac_toe:SudoTicTacToe",
        "taxi": "branchwise.problems.taxi:Taxi",
        "tic_tac_toe": "branchwise.games.tic_tac_toe:TicTacToe",
        "tiger": "branchwise.problems.tiger:Tiger",
        "tron": "branchwise.games.tron:Tron",
        "tsp": "branchwise.problems.tsp:TSP",
        "tsptw": "branchwise.problems.tsptw:TSPTW",
        "twenty_forty_eight": "branchwise.games.twenty_forty_eight:TwentyFortyEight",
        "ultimate_tic_tac_toe": "branchwise.games.ultimate_tic_tac_toe:UltimateTicTacToe",
        "weak_schur": "branchwise.problems.weak_schur:WeakSchur",
        "y": "branchwise.games.y:Y",
        "yahtzee": "branchwise.games.yahtzee:Yahtzee",
    },
)


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
