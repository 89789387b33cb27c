"""What a search is composed of: for each concern its kernels, numbers and memory, one a module.

Imports `search.settings`; only `search.composition` and what is above import it.
"""
