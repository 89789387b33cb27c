"""The Python of rules: what is rewritten before Numba sees it, what is refused, and in which words.

Among the lowest rooms of `compile`; all others may import it.
"""
