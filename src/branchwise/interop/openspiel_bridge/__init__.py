"""Games of OpenSpiel as states, and games as OpenSpiel's.

Imports `interop.shared`; public names are in `interop.openspiel`.
"""
