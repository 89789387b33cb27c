"""The bots that choose moves: random, flat, MCTS and its relatives, minimax, people.

Imports `bots.base`; `bots.servers` and `bots.strength` may import it.
"""
