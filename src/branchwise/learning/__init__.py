"""Learning a network by self-play: rounds of games, training, checkpoints, and how strong it has become.

Imports `arena`, `networks` and `search`; the command line may import it.
"""
