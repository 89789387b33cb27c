"""Matches, tournaments, comparisons, and their results.

Imports `cli.terminal` and `cli.play`; `cli.app` imports it when asked.
"""
