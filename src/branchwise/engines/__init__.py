"""Programs that play, in other processes, and the protocols that they speak; see docs/engines.md.

Imports `rules`; bots may import it.
"""
