"""Pictures and texts of searches: trees, walk-throughs, reports of simulations.

Imports `drawing` and `game`; `search` and what is above may import it.
"""
