"""Environments of Gymnasium as states, and problems as environments.

Imports `interop.shared`; public names are in `interop.gymnasium`.
"""
