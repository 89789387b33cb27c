"""Composing a search: the parts chosen, its Numba type, its arrays.

Imports `search.parts`; drivers and trees may import it.
"""
