"""Experiments of many matches: sweeps, the tuner, and measuring levels."""
