"""What tests of all games that ship have to know of them."""

from branchwise.games import GAMES

PAYING = ("cliff_walking", "frozen_lake", "racetrack", "sailing", "taxi", "twenty_forty_eight")
"""Those that pay rewards on the way; all have chance."""

FOR_ONE = ("blackjack", *PAYING)

WITH_CHANCE = ("backgammon", "cant_stop", "pig", "yahtzee", *FOR_ONE)

UNMEASURED = ("backgammon", "yahtzee")
"""Games whose levels nobody has measured yet. Those for one player have none."""

WITH_LEVELS = tuple(sorted(set(GAMES.builtin) - {*UNMEASURED, *FOR_ONE}))
