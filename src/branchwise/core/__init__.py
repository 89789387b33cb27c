"""Kernels of searches: functions over arrays and states that Numba compiles. They know no game and no file.

Imports only `common`; `compile`, `search` and other planners may import it.
"""
