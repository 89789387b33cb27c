"""Matches between bots: playing them, storing them, and estimating which bot is stronger."""
