"""Comparing methods on the same problem of one player, by the lines they find and the time they take.

Imports `arena` and `optimise`; `cli` imports it.
"""
