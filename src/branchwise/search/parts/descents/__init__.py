"""The parts for ways down the tree; every search has exactly one.

Imports `search.parts.options`; only `search.composition` imports it.
"""
