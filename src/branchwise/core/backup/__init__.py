"""The way back from a leaf: means, rewards, proofs, transpositions, moves' statistics; and keeping a subtree.

Imports `core.tree`; `core.simulation` and the rooms above may import it.
"""
