"""Judging strategies of small games: policies, expected returns, best responses, exploitability.

Imports `rules`; users and benchmarks import it, and planners do not.
"""
