"""A game on the page: which are offered, positions, records, opponents.

Imports `web.protocol`; `web.search` and sessions may import it.
"""
