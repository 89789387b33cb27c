"""Figures of measurements, each drawn from a table that is saved with it.

Imports `arena` for catalogues alone; `cli` imports it.
"""
