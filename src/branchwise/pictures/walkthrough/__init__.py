"""A walk-through of simulations as text, SVG and HTML, and its captions.

Imports `pictures.tree`; `search.trace` may import it.
"""
