"""Who is to move, where it is none of the players: numbers as OpenSpiel has them.

So a node's player says what kind of node it is.
"""

CHANCE = -1
SIMULTANEOUS = -2
NO_PLAYER = -3
"""Nobody knows yet."""
TERMINAL = -4
"""The game is over."""
