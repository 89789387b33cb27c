"""Statistics of results: scores, Elo, ratings, sequential tests and mean returns, with their uncertainty.

Imports `arena.records`; results, tuning, figures and users may import it.
"""
