"""Bots that are programs in other processes.

Imports `bots.base` and `engines`; `bots.servers` may import it.
"""
