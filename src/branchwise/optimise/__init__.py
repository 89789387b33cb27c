"""Searching for the best line of a problem of one player: nested search, NRPA, classical methods."""
