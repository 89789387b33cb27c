"""Simulations watched phase by phase: the stepper and the walk-through.

Imports `search.run`; `search.planner` imports it when asked.
"""
