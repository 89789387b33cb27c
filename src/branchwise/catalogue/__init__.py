"""Finding games and bots by name or file, and consent to run a file's code.

Imports only `common`; everything that takes names may import it.
"""
