"""The best line of a problem of one player: nested Monte Carlo search, NRPA, and classical methods."""
