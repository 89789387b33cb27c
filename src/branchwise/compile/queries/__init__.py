"""Compiled answers about a game without a search: observations, views, exact values, histories, perft.

The highest room of `compile`; `rules` and what is above may import it.
"""
