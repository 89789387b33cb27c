"""What every package uses: errors, players' numbers, checks of arguments, texts with options, processes.

Imports nothing of the project; everything may import it.
"""
