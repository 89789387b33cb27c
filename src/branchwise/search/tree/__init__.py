"""Reading search trees: nodes, order of children, lines, drawings, files.

Imports `search.composition`; sessions, results and what is above may import it.
"""
