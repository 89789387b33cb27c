"""What tests of all games that ship have to know of them."""

from branchwise.games import GAMES

WITH_OUTCOMES = ("cliff_walking", "frozen_lake", "racetrack", "sailing", "taxi", "twenty_forty_eight")
"""Problems that pay rewards on the way and have outcomes of chance."""

FROM_RANDOM_STARTS = ("acrobot", "cart_pole", "mountain_car", "sliding_puzzle")
"""Problems that pay rewards on the way, deterministic but for their start, which is drawn."""

PAYING = (*WITH_OUTCOMES, *FROM_RANDOM_STARTS)
"""Those that pay rewards on the way."""

FOR_ONE = ("blackjack", *PAYING)

WITH_CHANCE = ("backgammon", "cant_stop", "pig", "yahtzee", *FOR_ONE)

UNMEASURED = ("backgammon", "yahtzee")
"""Games whose levels nobody has measured yet. Those for one player have none."""

WITH_LEVELS = tuple(sorted(set(GAMES.builtin) - {*UNMEASURED, *FOR_ONE}))
