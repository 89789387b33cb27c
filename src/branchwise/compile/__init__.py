"""From rules to machine code: language, sources, types of states, code on disk, rules that can be stopped.

Imports `core` and `game`; `rules`, `search` and what is above may import it.
"""
