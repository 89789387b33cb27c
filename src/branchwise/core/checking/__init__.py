"""Kernels that play random games for the checker, and show what players observe.

Imports `core.simulation`; `compile` may import it.
"""
