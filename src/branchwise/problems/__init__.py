"""Problems of one player for planning, each an example of how to write one.

They are found like games: `bw.load_game("frozen_lake")`.
"""
