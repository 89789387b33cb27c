"""Games, checking rules, this installation, speed.

Imports `cli.terminal`; `cli.app` imports it when asked.
"""
