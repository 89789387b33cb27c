"""Judging strategies of small games: policies, expected returns, best responses, exploitability."""
