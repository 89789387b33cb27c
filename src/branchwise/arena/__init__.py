"""Matches between bots: playing and storing them, and estimating which bot is stronger.

Imports `bots`; `compare`, `figures`, `web` and `cli` may import it.
"""
