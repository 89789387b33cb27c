"""Running simulations in one thread: compiled, in the interpreter, in batches.

Imports `search.composition`; `search.parallel` and sessions may import it.
"""
