"""Random numbers and logarithms of kernels.

Imports `core.machine`; every kernel above may import it.
"""
