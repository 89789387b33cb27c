"""Environments of PettingZoo as states, and games as environments.

Imports `interop.shared`; public names are in `interop.pettingzoo`.
"""
