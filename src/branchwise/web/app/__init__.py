"""The server: addresses, connections, signatures, guards, and how it is started.

The highest room of `web`; `cli.serve` imports it.
"""
