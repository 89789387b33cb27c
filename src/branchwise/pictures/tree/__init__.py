"""A search tree as text, SVG and Graphviz.

Imports `drawing`; `search.tree` may import it.
"""
