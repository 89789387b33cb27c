"""What tests of all games that ship have to know of them."""

from branchwise.games import GAMES

WITH_CHANCE = ("backgammon", "pig")

WITHOUT_LEVELS = ("backgammon", "pig")
"""Games whose levels nobody has measured yet."""

WITH_LEVELS = tuple(sorted(set(GAMES.builtin) - set(WITHOUT_LEVELS)))
