"""Exact kernels: reachable states, their values, minimax, perft.

Imports `core.simulation`; `compile`, `bots` and `testing` may import it.
"""
