"""The arrays of a search tree: layout, statistics, children, tables of nodes, the path of a simulation.

Imports `core.numbers`; everything that reads or changes trees may import it.
"""
