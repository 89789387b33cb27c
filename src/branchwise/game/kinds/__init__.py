"""What a class of rules may contain, one kind of problem a module: fields, hidden information, joint moves.

The lowest room of `game`; code that needs to know a game's kind may import it.
"""
