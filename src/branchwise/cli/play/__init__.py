"""Playing in the terminal.

Imports `cli.terminal`; `cli.app` imports it when asked.
"""
