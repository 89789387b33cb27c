"""What happens when a class of rules is defined: its declarations are read, checked, and its methods wrapped.

Imports `game.kinds`; only `game.rules_class` imports it.
"""
