"""Figures of measurements, each drawn from a table that is saved with it."""
