"""Experiments of many matches: sweeps, the tuner, and measuring levels.

The highest room of `arena`; `cli` and figures may import it.
"""
