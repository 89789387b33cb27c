"""What a user sets: settings, selection rules, playouts, budgets, clocks, tuned settings.

The lowest room of `search`; all others may import it.
"""
