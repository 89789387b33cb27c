"""Boards as data: how a game's board looks, what its cells hold, and which squares an action touches.

Imports `common` and `drawing`; the class `Game`, pictures, the page and everything above may import it.
"""
