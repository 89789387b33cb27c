"""Machine code: the thread that compiles, the cache on disk, bundles, what is said meanwhile, calls.

Imports `compile.states`; `compile.answers` and planners may import it.
"""
