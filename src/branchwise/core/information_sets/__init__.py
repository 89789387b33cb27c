"""Searches on information sets: regret tables, outcome sampling, consistent histories, best responses.

Imports `core.descents`; `compile` and `information_sets` may import it.
"""
