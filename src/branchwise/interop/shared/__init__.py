"""What bridges to several libraries have in common: copied environments, episodes, observations.

The lowest room of `interop`.
"""
