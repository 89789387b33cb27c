"""The Universal Game Interface and the Universal Chess Interface, which are nearly the same.

Imports `engines`; bots and their servers may import it.
"""
