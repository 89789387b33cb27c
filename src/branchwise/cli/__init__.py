"""The command line, a command a module.

The highest package: imports whatever a command needs, when it runs; nothing imports it.
"""
