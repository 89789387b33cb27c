"""Records of games, and playing them back.

The lowest room of `arena`.
"""
