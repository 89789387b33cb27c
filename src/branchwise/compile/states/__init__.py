"""Numba's types of states and searches, and a game's rules prepared for them.

Imports `compile.stopping`; `compile.code` and `compile.answers` may import it.
"""
