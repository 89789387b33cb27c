"""What compositions are made of: each part gives what kernels know, and nothing of it is missing."""

import itertools

import pytest

import branchwise as bw
from branchwise.common.errors import GameError
from branchwise.core.simulation.search_arrays import NUMBERS, Scratch
from branchwise.core.tree.node_fields import OPTIONS
from branchwise.core.tree.simulation_path import Visit
from branchwise.rules.facts.facts import facts_of
from branchwise.search.composition import composition
from branchwise.search.composition.composition import DESCENTS, PARTS, Composition
from branchwise.search.parts.plan import Descent, Part
from branchwise.search.settings.settings import Settings

KINDS = {
    "connect_four": {},
    "go": {"selection": "rave"},
    "pig": {"selection": "puct"},
    "yahtzee": {},
    "pig ": {"open_loop": True},
    "twenty_forty_eight": {"outcome_widening": 2.0},
    "racetrack": {},
    "pendulum": {},
    "rock_paper_scissors": {"joint": "exp3"},
    "goofspiel": {"joint": "regret_matching"},
    "tic_tac_toe": {"transpositions": True, "backup": "power"},
    "nim": {"evaluator": lambda states: [[0.0, 0.0] for _ in states], "batch_size": 4},
    "same_game": {"spread": True, "playout": "nst"},
}
"""By game: settings that need a part of their own."""


def composed(name, **settings):
    state = bw.load_game(name.strip())()
    facts = facts_of(state, joint=True)
    return Composition(state, facts, Settings(**settings), proofs=False)


@pytest.mark.parametrize(("name", "settings"), KINDS.items())
def test_parts_give_only_what_searches_have(name, settings):
    found = composed(name, **settings)
    assert {*found.scratch} <= {*Scratch._fields}
    assert {*found.visit} <= {*Visit._fields}
    assert {*found.kept} <= {*OPTIONS}
    assert {*found.numbers} == {name for name, _ in NUMBERS} | {"c", *found.rule.options}


@pytest.mark.parametrize(("name", "settings"), KINDS.items())
def test_a_search_goes_down_its_tree_in_one_way(name, settings):
    found = composed(name, **settings)
    assert [part for part in found.parts if isinstance(part, Descent)] == [found.descent]
    assert found.descent in DESCENTS
    kernels = found.native.table.statics
    assert ("simulate" in kernels) != ("descend" in kernels)


def test_constants_are_the_same_names_in_every_composition():
    names = [{*composed(name, **settings).native.table.constants} for name, settings in KINDS.items()]
    assert all(one == names[0] for one in names)
    given = [{*part.constants(composed("nim"))} for part in PARTS]
    assert not any(one & other for one, other in itertools.combinations(given, 2))


class Extra(Part):
    """A part that needs nothing but its entry."""

    def applies(self, plan):
        return plan.settings.max_depth == 7

    def check(self, plan):
        if plan.settings.playouts > 1:
            raise GameError("extra needs one playout")

    def kernels(self, plan):
        return {"look": PARTS[0].kernels(plan)["mean"], "extra": PARTS[0].kernels(plan)["select"]}

    def constants(self, plan):
        return {"is_extra": self.applies(plan)}

    def options(self, plan):
        return ["squares"]

    def scratch(self, plan):
        return {"marks": 11}


def test_a_new_part_needs_only_its_entry(monkeypatch):
    usual = composed("connect_four", max_depth=7)
    monkeypatch.setattr(composition, "PARTS", (*PARTS, Extra()))
    without, added = composed("connect_four"), composed("connect_four", max_depth=7)
    assert not without.native.table.constants["is_extra"]
    assert "extra" not in without.native.table.statics
    assert added.native.table.constants["is_extra"]
    assert added.native.table.statics["extra"] is usual.native.table.statics["select"]
    assert added.native.table.statics["look"] is usual.native.table.statics["mean"]
    assert added.kept == ("squares",)
    assert added.scratch["marks"] == 11
    assert added.native is not usual.native
    with pytest.raises(GameError, match="extra needs one playout"):
        composed("connect_four", max_depth=7, playouts=2)
