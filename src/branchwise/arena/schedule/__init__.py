"""Which games are played: openings, seats, pairings and brackets, all decided before a game begins.

Imports `arena.records` and `arena.statistics`; the runner and what is above may import it.
"""
