"""Comparing methods on the same problem of one player: the lines they find, and after how long."""
