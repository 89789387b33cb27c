"""OpenSpiel both ways: search its games, and run its algorithms on ours.

`branchwise.from_openspiel` and `branchwise.to_openspiel` are the functions to call; here are the classes of
games and states that `to_openspiel` makes.
"""

from branchwise.interop.bridges import from_openspiel, needs, to_openspiel

needs("pyspiel", "branchwise.interop.openspiel", "open_spiel")

from branchwise.interop.openspiel_bridge.exported_game import OpenSpielGame, OpenSpielState  # noqa: E402

__all__ = ["OpenSpielGame", "OpenSpielState", "from_openspiel", "to_openspiel"]
