"""Searches, trees, walk-throughs, optimising, perft.

Imports `cli.terminal`; `cli.app` imports it when asked.
"""
