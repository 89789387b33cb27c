"""What tests of all games that ship have to know of them."""

from branchwise.games import GAMES

WITH_OUTCOMES = (
    "cliff_walking",
    "frozen_lake",
    "micro_grid",
    "racetrack",
    "sailing",
    "taxi",
    "twenty_forty_eight",
)
"""Problems that pay rewards on the way and have outcomes of chance."""

FROM_RANDOM_STARTS = ("acrobot", "cart_pole", "driving", "mountain_car", "pendulum", "sliding_puzzle")
"""Problems that pay rewards on the way and draw their start; some are simulators, too."""

PAYING = (*WITH_OUTCOMES, *FROM_RANDOM_STARTS)
"""Those with chance or a drawn start that pay rewards on the way."""

CONTINUOUS = ("pendulum",)
"""Problems whose actions are vectors, which the page does not show."""

PUZZLES = (
    "circuit_routing",
    "left_move",
    "morpion",
    "motion_planning",
    "peg_solitaire",
    "same_game",
    "snake_in_the_box",
    "sokoban",
    "tsp",
    "tsptw",
    "weak_schur",
)
"""Those without chance, which all pay rewards on the way."""

FOR_ONE = ("blackjack", *PAYING, *PUZZLES)

ON_THE_PAGE = tuple(name for name in FOR_ONE if name not in CONTINUOUS)

WITH_CHANCE = ("backgammon", "blackjack", "cant_stop", "pig", "yahtzee", *PAYING)

_SMALL = {"same_game": "same_game(rows=5,columns=5,colours=3)"}


def small(name):
    """Return the text form of a game that takes moments to check in plain Python."""
    return _SMALL.get(name, name)


WIDE = ("breakthrough", "checkers", "dots_and_boxes", "lines_of_action", "nine_mens_morris")
"""Games whose forced wins only the slow tests look for: it takes seconds."""

UNMEASURED = (
    "backgammon",
    "breakthrough",
    "checkers",
    "dots_and_boxes",
    "kalah",
    "lines_of_action",
    "nine_mens_morris",
    "yahtzee",
)
"""Games whose levels nobody has measured yet. Those for one player have none."""

WITH_LEVELS = tuple(sorted(set(GAMES.builtin) - {*UNMEASURED, *FOR_ONE}))
