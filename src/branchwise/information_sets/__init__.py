"""Searches on a table of the information sets of all players: outcome sampling, multiple-observer search.

Imports `search`; bots and what is above may import it.
"""
