"""The parts that any descent may have: choices, expansion, playouts, values, transpositions.

Imports `search.parts.plan`; other parts and `search.composition` may import it.
"""
