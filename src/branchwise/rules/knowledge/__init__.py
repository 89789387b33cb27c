"""What a player knows: information states, histories of planners, observations, dealing anew.

Imports `rules.facts`; `rules.playthrough` and what is above may import it.
"""
