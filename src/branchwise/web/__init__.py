"""The explorer: a page to play and to watch searches, and an HTTP interface.

Imports `bots` and `search`; `cli` imports it.
"""
