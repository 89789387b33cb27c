"""Checking rules: the contract, plain against compiled, random games, faults and the moves that lead to them.

The highest room of `rules`; searches, `testing` and what is above may import it.
"""
