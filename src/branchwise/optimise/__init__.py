"""Searching for the best line of a problem of one player: nested Monte Carlo search, NRPA, classical methods."""
