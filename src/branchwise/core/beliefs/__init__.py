"""Planning from a belief: particles, searches from them, their backup.

Imports `core.descents`; `search` may import it.
"""
