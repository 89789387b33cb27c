"""Playing games in separate processes: the referee, clocks, and communication with the arena.

Imports `arena.records`; the runner and what is above may import it.
"""
