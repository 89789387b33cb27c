"""The Go Text Protocol; see docs/engines.md.

Imports `engines`; bots and their servers may import it.
"""
