"""Searching for the best line of a problem of one player."""
