"""Searching for the best line of a problem of one player: nested search, NRPA, classical methods.

Imports `search` and `core.lines`; bots, `compare` and what is above may import it.
"""
