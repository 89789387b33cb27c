"""Rules of games in general: facts, what players know, a game in progress, checking, faults.

Imports `compile` and `game`; searches and everything above may import it.
"""
