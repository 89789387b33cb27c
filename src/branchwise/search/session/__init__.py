"""A search of one root, or of a belief, that can go on.

Imports `search.parallel`; results and runs may import it.
"""
