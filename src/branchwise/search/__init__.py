"""Monte Carlo Tree Search: settings, composition, sessions, runs, results, trees.

Imports `rules`, `compile` and `core`; planners on top of it, bots and everything above may import it.
"""
