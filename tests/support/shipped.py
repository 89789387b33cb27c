"""What tests of all games that ship have to know of them."""

from branchwise.games import GAMES

WITH_CHANCE = ("backgammon", "cant_stop", "pig", "yahtzee")

WITHOUT_LEVELS = WITH_CHANCE
"""Games whose levels nobody has measured yet."""

WITH_LEVELS = tuple(sorted(set(GAMES.builtin) - set(WITHOUT_LEVELS)))
