"""Broken JSON of states and of levels: always one clear error, never one of Python's own."""

import copy
import json
import random

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim

MUTATIONS = 1500

STRANGE = [
    *(None, True, -1, 0, 7, 300, 2**70, 10**400, 1.5, float("nan"), float("inf"), "", "x", "1", "\ud800"),
    *([], [1], [None], [[1, 2], [3]], [["x"] * 7] * 6, [[[[]]]], {}, {"a": 1}),
]
PUNCTUATION = '0123456789.-e[]{}",:ntfINa \\u\x00'


class Mixed(bw.Game):
    """A game with a field of every kind."""

    num_players = 2
    num_actions = 2

    done: bool = False
    marks: bw.Array[bool, 3] = False
    weight: np.float32 = 0.5
    heights: bw.Array[np.uint8, 2, 2] = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0

    def apply_action(self, action):
        self.done = True

    def is_terminal(self):
        return self.done

    def returns(self):
        return (0.0, 0.0)


def places(value, path=()):
    yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*path, key))


def with_strange_values(text, source):
    content = json.loads(text)
    for _ in range(source.choice([1, 1, 2, 3])):
        path = source.choice(list(places(content)))
        value = copy.deepcopy(source.choice(STRANGE))
        if not path:
            return json.dumps(value)
        owner = content
        for key in path[:-1]:
            owner = owner[key]
        deed = source.random()
        if deed < 0.8:
            owner[path[-1]] = value
        elif deed < 0.9:
            del owner[path[-1]]
        elif isinstance(owner, dict):
            owner[source.choice(["game", "fields", "levels", ""])] = owner.pop(path[-1])
        else:
            owner.append(value)
    return json.dumps(content)


def with_strange_letters(text, source):
    letters = list(text)
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(letters))
        letters[at : at + source.randrange(2)] = source.choice(["", source.choice(PUNCTUATION)])
    return "".join(letters)


def mutated(text, source):
    return source.choice([with_strange_values, with_strange_values, with_strange_letters])(text, source)


@pytest.mark.parametrize("state", [ConnectFour.from_actions("d1 d2"), Nim(), Mixed()], ids=lambda s: s.name)
def test_a_broken_state_is_a_game_error_and_what_is_read_is_what_was_written(state):
    source = random.Random(f"states of {state.name}")
    refused = 0
    for _ in range(MUTATIONS):
        text = mutated(state.to_json(), source)
        try:
            read = type(state).from_json(text)
        except bw.GameError as error:
            refused += 1
            str(error).encode()
        else:
            again = json.loads(read.to_json())["fields"]
            for name, value in json.loads(text)["fields"].items():
                assert np.allclose(again[name], value, equal_nan=True)
                assert np.array(again[name]).dtype.kind == np.array(value).dtype.kind or name == "weight"
    assert refused > MUTATIONS / 4


@pytest.mark.parametrize(
    ("field", "value", "mend"),
    [
        ("heights", [0] * 4, "it contains 2 by 2 of whole numbers, as np.uint8"),
        ("heights", [[0.5, 1], [1, 1]], "it contains 2 by 2 of whole numbers, as np.uint8"),
        ("marks", [0, 1, 5], "it contains 3 of true or false, as np.bool"),
        ("weight", "1", "it contains numbers, as np.float32"),
    ],
)
def test_a_field_of_another_shape_or_kind_is_named_with_what_it_holds(field, value, mend):
    content = json.loads(Mixed().to_json())
    content["fields"][field] = value
    with pytest.raises(bw.GameError, match=f"the field {field} of this mixed state") as caught:
        Mixed.from_json(json.dumps(content))
    assert caught.value.mend == mend


@pytest.mark.parametrize("text", ["[" * 100_000, "", "7", "null", '{"game": "nim", "fields": [1]}', 7, None])
def test_what_is_no_object_of_a_state_or_of_levels_is_refused(text):
    with pytest.raises(bw.GameError, match="this is not the JSON of a nim state"):
        Nim.from_json(text)
    with pytest.raises(bw.SettingsError, match="this text has no levels"):
        bw.Ladder.from_json(text)


def test_broken_levels_are_a_settings_error_and_others_can_be_written_again():
    text = bw.load_ladder("connect_four").to_json()
    source = random.Random("levels")
    refused = 0
    for _ in range(MUTATIONS):
        broken = mutated(text, source)
        try:
            ladder = bw.Ladder.from_json(broken)
        except bw.SettingsError as error:
            refused += 1
            str(error).encode()
        else:
            assert all(isinstance(level.bot, str) and isinstance(level.elo, float) for level in ladder.levels)
            assert isinstance(hash(ladder.levels), int)
            ladder.to_json()
    assert refused > MUTATIONS / 4
