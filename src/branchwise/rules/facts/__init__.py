"""What planners need to know of a game: facts, type, options, rewards, dice.

The lowest room of `rules`; everything above may import it.
"""
