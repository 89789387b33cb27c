"""Searches for the best line of one player: nested search, NRPA, beams, sweeps, policies.

Imports `core.numbers` and `core.machine`; `optimise` may import it.
"""
