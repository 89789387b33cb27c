"""What tests of all games that ship have to know of them."""

from branchwise.games import GAMES

WITH_OUTCOMES = (
    "cliff_walking",
    "decision_process",
    "frozen_lake",
    "inventory",
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
"""Problems whose actions are vectors."""

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
    "vehicle_routing",
    "weak_schur",
)
"""Those without chance, which all pay rewards on the way."""

FOR_ONE = ("blackjack", "job_shop", *PAYING, *PUZZLES)

HIDDEN = (
    "battleship",
    "dark_hex",
    "hearts",
    "kuhn_poker",
    "leduc_poker",
    "liars_dice",
    "phantom_tic_tac_toe",
    "sealed_goofspiel",
)
"""Games with hidden information, which levels refuse."""

AT_ONCE = ("goofspiel", "matrix_game", "oshi_zumo", "rock_paper_scissors", "tron")
"""Games in which players move at once, which levels refuse."""

PARTLY_SEEN = ("light_dark", "pocman", "rock_sample", "tiger")
"""Partially observed problems, which the page, levels and bridges refuse."""

WITH_CHANCE = (
    "backgammon",
    "blackjack",
    "cant_stop",
    "goofspiel",
    "hearts",
    "kuhn_poker",
    "leduc_poker",
    "liars_dice",
    "pig",
    "sealed_goofspiel",
    "yahtzee",
    *PAYING,
)

_SMALL = {
    "atari_go": "atari_go(size=3)",
    "clobber": "clobber(rows=3,columns=4)",
    "domineering": "domineering(rows=4,columns=4)",
    "go": "go(size=3,komi=0.5,max_moves=7)",
    "havannah": "havannah(size=3)",
    "hex": "hex(size=4)",
    "konane": "konane(rows=4,columns=5)",
    "nogo": "nogo(size=3)",
    "othello": "othello(size=4)",
    "same_game": "same_game(rows=5,columns=5,colours=3)",
    "y": "y(size=4)",
}


def small(name):
    """Return the text form of a game that takes moments to check in plain Python."""
    return _SMALL.get(name, name)


WIDE = (
    "amazons",
    "atari_go",
    "blokus_duo",
    "breakthrough",
    "checkers",
    "chess",
    "chinese_checkers",
    "clobber",
    "domineering",
    "dots_and_boxes",
    "go",
    "konane",
    "lines_of_action",
    "nine_mens_morris",
    "nogo",
    "quoridor",
)
"""Games whose forced wins only the slow tests look for: it takes seconds."""

UNMEASURED = (
    "amazons",
    "atari_go",
    "blokus_duo",
    "breakthrough",
    "checkers",
    "chess",
    "chinese_checkers",
    "clobber",
    "domineering",
    "dots_and_boxes",
    "go",
    "havannah",
    "hex",
    "kalah",
    "konane",
    "lines_of_action",
    "nine_mens_morris",
    "nogo",
    "othello",
    "quoridor",
    "y",
)
"""Games whose levels nobody has measured yet. Those for one player have none."""

WITH_LEVELS = tuple(sorted(set(GAMES.builtin) - {*UNMEASURED, *FOR_ONE, *HIDDEN, *AT_ONCE, *PARTLY_SEEN}))
