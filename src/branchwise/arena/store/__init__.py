"""The file in which matches are kept: its tables, its protection against foreign code, and exports.

Imports `arena.records`; matches, tournaments, `web` and `cli` may import it.
"""
