"""Running searches until a limit: of states, of what a player knows, of beliefs, in the background.

Imports `search.results`; `search.trace` and `search.planner` may import it.
"""
