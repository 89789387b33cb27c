"""A game in progress: state, turn, moves, undo, text and JSON.

Imports `rules.knowledge`; everything that plays, shows or stores games may import it.
"""
