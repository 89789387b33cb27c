"""Tuning, sweeps, calibration, levels.

Imports `cli.terminal`; `cli.app` imports it when asked.
"""
