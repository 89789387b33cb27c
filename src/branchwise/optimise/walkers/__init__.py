"""Walkers that play lines, compiled or not, alone or in a team.

The lowest room of `optimise`.
"""
