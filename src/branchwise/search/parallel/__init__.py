"""Searching in several threads or processes.

Imports `search.drivers`; sessions may import it.
"""
