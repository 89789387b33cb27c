"""Where code and constants of rules come from, and fingerprints of everything that compiled code depends on.

Among the lowest rooms of `compile`; all others may import it.
"""
