"""Bots of a measured strength: levels, their file, tuned settings.

Imports `bots.players`; `arena.tuning`, `web` and `cli` may import it.
"""
