"""What bots have in common: the interface, following a game, thinking in a thread, warming up.

The lowest room of `bots`; bots of users import it as `bw.Bot`.
"""
