"""One simulation: selecting a child, expanding a leaf, playing out, nodes of chance.

Imports `core.backup`; other descents and planners may import it.
"""
