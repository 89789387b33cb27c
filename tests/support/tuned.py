"""Settings as they were found for a game, without the hours of play."""

from branchwise.rules.measured_files.digest import rules_digest
from branchwise.search.settings.tuned import TunedSettings


def tuned_settings(rules, name, **fields):
    """Return settings of the game of the class `rules` that won 50 Elo; fields : what is otherwise."""
    found = {
        "game": name,
        "rules": rules_digest(rules),
        "found": {"c": 0.2, "reuse": False},
        "confirmed": True,
        "unit": "elo",
        "gain": 50.0,
        "low": 1.0,
        "high": 99.0,
        "games": 100,
        "simulations": 100,
        "of_defaults": 100,
        "command": f"branchwise tune {name}",
        "seconds": 1.0,
        "versions": {},
    }
    return TunedSettings(**(found | fields))
