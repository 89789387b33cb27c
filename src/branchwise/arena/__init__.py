"""Matches between bots: playing and storing them, and estimating which bot is stronger."""
