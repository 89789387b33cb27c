"""What searches call on a compiled state besides its rules: a table of methods for each kind of game.

`compile.states.prepared_rules` puts the tables of a class's kinds together. Methods call the rules of the
class, and hand over what these return as arrays.
"""
