"""The page and the servers of engines.

Imports `cli.terminal`; `cli.app` imports it when asked.
"""
