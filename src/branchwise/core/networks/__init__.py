"""Kernels of small networks: inputs from cells, layers, and the simulation whose leaf a network evaluates.

Knows no game. Imports the rest of `core`.
"""
