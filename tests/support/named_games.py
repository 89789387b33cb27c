"""Games written to files with any names for their fields, constants, properties and helpers."""

import keyword

import branchwise as bw
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.game.definition.names import RULES
from branchwise.game.kinds.game_kinds import PLAYOUT_CONSTANTS, STANDARD_CONSTANTS
from branchwise.game.random_starter import INNER
from branchwise.rules.facts.facts import game_facts
from branchwise.search.drivers.interpreted_states import InterpretedState

KINDS = ("field", "constant", "property", "helper")

_HEAD = """
import numpy as np
import branchwise as bw


class Named(bw.Game):
    num_players = 2
    num_actions = 3
    max_game_length = 100
    score_of_game: np.int16 = 0
    player_of_game: np.int8 = 0
"""

_RULES = """
    def current_player(self):
        return self.player_of_game

    def legal_actions(self):
        for action in range(1 + (self.score_of_game + {reads}) % 3):
            yield action

    def apply_action(self, action):
        mark = action + 1
{steps}
        self.score_of_game += 1 + mark % 3
        self.player_of_game = 1 - self.player_of_game

    def is_terminal(self):
        return self.score_of_game >= 25

    def returns(self):
        return (1.0, -1.0) if (self.score_of_game + {reads}) % 2 else (-1.0, 1.0)
"""


SAMPLE = ("nim", "pig", "rock_paper_scissors", "hearts", "driving", "pendulum", "rock_sample")
"""Games of all kinds: together their states have every internal name."""


def internal_names(games=SAMPLE):
    """Return every name that searches reach on states of these games, and that has no meaning for users."""
    nim = bw.load_game("nim")()
    found = {INNER, *dir(InterpretedState), *vars(InterpretedState(nim, game_facts(nim), []))}
    for name in games:
        state = compiled_type(bw.load_game(name))
        found.update(state.rules.internal, state.rules.listing, state.known_constants)
    meant = {*RULES, *STANDARD_CONSTANTS, *PLAYOUT_CONSTANTS, *dir(bw.Game)}
    return sorted(n for n in found - meant if not n.startswith("_") and not keyword.iskeyword(n))


def source(named):
    """Return the source of a game whose moves depend on all its attributes; named : kind by name."""
    body, steps, read = [], [], []
    for place, (name, kind) in enumerate(named.items()):
        factor = 2 + place % 5
        if kind == "field":
            body.append(f"    {name}: np.int16 = {place % 7}")
            steps.append(f"        self.{name} = (self.{name} * {factor} + action + mark) % 11")
        elif kind == "constant":
            body.append(f"    {name} = {3 + place}")
        elif kind == "property":
            body.append(f"    @property\n    def {name}(self):\n        return self.score_of_game % {factor}")
        else:
            body.append(f"    def {name}(self, mark):\n        return (mark * {factor} + 1) % 13")
        steps.append(
            f"        mark = self.{name}(mark)" if kind == "helper" else f"        mark += self.{name}"
        )
        if kind != "helper":
            read.append(f"self.{name}")
    rules = _RULES.format(reads=" + ".join(read[:5]) or "0", steps="\n".join(steps))
    return _HEAD + "\n".join(body) + "\n" + rules


def written(file, named):
    """Write the game to a file and return its class."""
    file.write_text(source(named), encoding="utf-8")
    return bw.load_game(str(file))
