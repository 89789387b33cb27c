"""Other ways down the tree: open loop, drawn outcomes, joint moves, what one observer sees.

Imports `core.simulation`; beliefs and `search.parts` may import it.
"""
