"""Plain pictures of boards: grids of cells as text and SVG, shapes, films of several boards.

Imports only `common`; rules of games and everything above them may import it.
"""
