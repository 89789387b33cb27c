"""Results of searches, and how they are read from trees.

Imports `search.session`; runs and planners may import it.
"""
