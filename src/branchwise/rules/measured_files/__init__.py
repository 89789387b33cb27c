"""Files of measurements beside a game, such as levels and tuned settings: places and digests of rules.

Imports `rules.facts`; `search`, `bots` and `arena` may import it.
"""
