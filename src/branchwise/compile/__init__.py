"""Compiling rules classes: the native type of states, and machine code kept on disk."""
