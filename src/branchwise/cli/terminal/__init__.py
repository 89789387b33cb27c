"""What commands share: the screen, options, seats.

The lowest room of `cli`.
"""
