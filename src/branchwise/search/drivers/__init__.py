"""Drivers of a simulation: compiled with the rules of a game, or in Python for any other state."""
