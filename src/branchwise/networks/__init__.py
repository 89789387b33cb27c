"""Small networks that value states: what they see of a game, their weights, and their files.

Imports `rules` and what is below it; searches and everything above may import it.
"""
