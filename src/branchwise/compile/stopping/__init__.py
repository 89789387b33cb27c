"""Stopping rules that never end: time limits, recursion, checks in loops.

Imports `compile.language`; the rooms above may import it.
"""
