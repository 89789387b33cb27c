"""Exact values and optimal policies of games whose states, or histories, can be listed.

Imports `equilibrium`, `testing` and what is below; `bots` and `cli` may import it.
"""
