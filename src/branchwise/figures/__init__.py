"""Figures of what was measured, each drawn from a table that is kept beside it."""
