"""Molecules: scores against published values and sums of atoms, validity of all, and searches."""

import pickle
import random
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest

import branchwise as bw
from branchwise.compare.comparison import compare
from branchwise.optimise.classical import depth_first

pytest.importorskip("rdkit")
pytest.importorskip("selfies")

from branchwise.problems.molecules import (
    ALPHABET,
    FREQUENCIES,
    STOP,
    ZINC,
    Molecule,
    forget_scores,
    penalised_logp,
    qed,
)

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"
METHYLENE = 0.1441 + 2 * 0.1230
"""What a CH2 adds to the logP of Wildman and Crippen, 1999: a carbon C1 and two hydrogens H1."""


def read(smiles):
    from rdkit import Chem

    return Chem.MolFromSmiles(smiles)


def finished(smiles, objective="qed", **settings):
    state = Molecule.from_smiles(smiles, objective, **settings)
    if not state.is_terminal():
        state.play("stop")
    return state


def played(state, line):
    end = state.clone()
    for action in line:
        end.apply_action(action)
    return end


def random_states(count, seed=1, **settings):
    """Yield each state of random words, by how frequent tokens are and uniformly in turn."""
    source, draws = random.Random(seed), bw.Random(seed)
    for number in range(count):
        state = Molecule("qed", **settings)
        while not state.is_terminal():
            yield state
            legal = state.legal_actions()
            state.apply_action(state.playout_action(draws) if number % 2 else source.choice(legal))
        yield state


# --- scores ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("smiles", "published"),
    [
        ("N=C(CCSCc1csc(N=C(N)N)n1)NS(N)(=O)=O", 0.253),
        ("CNC(=NCCSCc1nc[nH]c1C)NC#N", 0.234),
        ("CCCCCNC(=N)NN=Cc1c[nH]c2ccc(CO)cc12", 0.234),
    ],
)
def test_drug_likeness_is_that_of_rdkits_documentation(smiles, published):
    assert 0.0 <= qed(read(smiles)) - published < 0.001  # cut off there


def test_penalised_logp_adds_up_from_its_terms():
    from rdkit.Contrib.SA_Score import sascorer

    for smiles, logp, ring in (
        ("C", 0.1441 + 4 * 0.1230, 0),
        ("c1ccccc1", 6 * (0.1581 + 0.1230), 0),
        ("C1CCCCC1", 6 * METHYLENE, 0),
        ("C1CCCCCCCCC1", 10 * METHYLENE, 4),
        ("C1CCCCCC1C1CC1", 8 * METHYLENE + 2 * 0.1230, 1),
    ):
        molecule = read(smiles)
        access = sascorer.calculateScore(molecule)
        plain = logp - access - ring
        assert penalised_logp(molecule, normalised=False) == pytest.approx(plain, abs=1e-9), smiles
        terms = {"logp": logp, "access": -access, "ring": -ring}
        expected = sum((value - ZINC[name][0]) / ZINC[name][1] for name, value in terms.items())
        assert penalised_logp(molecule) == pytest.approx(expected, abs=1e-9)
        assert finished(smiles, "penalised_logp").rewards() == (penalised_logp(molecule),)


def test_a_score_is_computed_again_after_it_was_forgotten():
    state = finished(ASPIRIN)
    before = state.score()
    forget_scores()
    assert state.score() == before == qed(read(ASPIRIN))


# --- molecules and tokens -------------------------------------------------------------------------------


def test_molecules_come_back_from_their_tokens():
    from rdkit import Chem

    for smiles in (
        *(ASPIRIN, "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "CC(C)Cc1ccc(cc1)C(C)C(=O)O", "C#CCN", "FC(F)F", "BrCCl"),
        *("c1ccc2ccccc2c1", "C1CC2CCC1C2", "CS(=O)(=O)N", "O=C1c2ccccc2C(=O)c2ccccc12"),
    ):
        state = Molecule.from_smiles(smiles)
        assert state.smiles() == Chem.CanonSmiles(smiles)
        again = Molecule("qed")
        for word in state.selfies().replace("][", "] [").split():
            again.play(word)
        assert again == state
        assert str(state) == state.smiles()


def test_every_state_is_a_valid_molecule_and_only_the_end_pays():
    from rdkit import Chem

    ends = atoms = 0
    for state in random_states(150, tokens=25):
        if not state.selfies():
            assert state.rewards() == (0.0,)
            continue
        molecule = read(state.smiles())
        assert molecule is not None
        assert Chem.SanitizeMol(molecule) == Chem.SanitizeFlags.SANITIZE_NONE
        assert 1 <= molecule.GetNumAtoms() <= 25
        if state.is_terminal():
            ends, atoms = ends + 1, atoms + molecule.GetNumAtoms()
            assert state.rewards() == (state.score(),) == (qed(state.molecule()),)
            assert 0.0 <= state.score() <= 1.0
        else:
            assert state.rewards() == (0.0,)
    assert ends == 150
    assert atoms > 500


def test_a_molecule_that_ends_by_itself_cannot_be_changed_by_any_tokens():
    source, closed = random.Random(5), 0
    for state in random_states(300, seed=2, tokens=30):
        words = state.selfies().replace("][", "] [").split()
        if state.is_terminal() and 0 < len(words) < 30 and built(words, 30).is_terminal():
            closed += 1
            for _ in range(40):
                more = source.choices(ALPHABET, k=30 - len(words))
                assert decoded("".join(words + more)) == decoded("".join(words))
    assert closed > 50


def test_a_token_that_says_a_length_never_ends_a_molecule():
    for words in (
        *("[C] [Branch1] [F]", "[C] [=Branch2] [C] [F]"),
        *("[C] [C] [=N] [Ring2] [F]", "[C] [C] [=C] [=Ring1] [F]"),
    ):
        assert not built(words.split(), 20).is_terminal()


def test_a_chain_continues_after_a_closed_branch_only_if_there_is_room():
    words = ["[C]", "[Branch2]", "[Ring1]", "[C]", "[F]"]  # the branch has 17 tokens, [F] among them
    assert (
        decoded("".join(words) + 16 * "[C]")
        == decoded("".join(words))
        != decoded("".join(words) + 17 * "[C]")
    )
    assert built(words, 21).is_terminal()
    assert not built(words, 22).is_terminal()


def built(words, tokens):
    state = Molecule("qed", tokens=tokens)
    for word in words:
        state.play(word)
    return state


def decoded(words):
    import selfies

    return selfies.decoder(words)


def test_what_is_legal_and_when_it_is_over():
    state = Molecule("qed", tokens=3)
    atoms = [token for token in ALPHABET if "Branch" not in token and "Ring" not in token]
    assert [state.action_to_string(action) for action in state.legal_actions()] == atoms
    state.play("[C]")
    assert state.legal_actions() == list(range(len(ALPHABET) + 1))
    assert (state.current_player(), state.num_actions) == (0, len(ALPHABET) + 1)
    assert not played(state, [state.action_from_string("[O]")]).is_terminal()
    assert played(state, [state.action_from_string("[=O]")]).is_terminal()
    assert played(state, [state.action_from_string("[F]")]).is_terminal()
    assert played(state, [STOP]).is_terminal()
    branch = played(state, [state.action_from_string("[Branch1]")])
    assert not played(branch, []).is_terminal()
    assert played(branch, [branch.action_from_string("[F]")]).is_terminal()  # the third token
    longer = Molecule("qed", tokens=4)
    for token in ("[C]", "[Branch1]", "[F]"):  # [F] says how long the branch is
        longer.play(token)
    assert not longer.is_terminal()


def test_illegal_actions_are_refused_and_change_nothing():
    state = Molecule("qed")
    for wrong in (STOP, len(ALPHABET) + 1, -1, ALPHABET.index("[Ring1]") + 1):
        with pytest.raises(bw.ActionError, match="is not legal in <Molecule without atoms>"):
            state.apply_action(wrong)
    with pytest.raises(bw.ActionError, match="legal are \\[C\\]"):
        state.play("stop")
    with pytest.raises(bw.ActionError, match='"Xe" cannot be added'):
        state.play("Xe")
    assert state == Molecule("qed")
    over = finished("C")
    for move in ("[C]", 1, STOP):
        with pytest.raises(bw.ActionError, match="the molecule is complete"):
            over.play(move)
    with pytest.raises(bw.GameError, match="without atoms has no score"):
        state.score()


def test_copies_are_independent_and_go_to_other_processes():
    state = Molecule.from_smiles("CCO")
    twin = state.clone()
    twin.play("[N]")
    assert (state.smiles(), twin.smiles()) == ("CCO", "CCON")
    assert state != twin
    again = pickle.loads(pickle.dumps(twin))
    assert again == twin
    assert hash(again) == hash(twin)
    assert Molecule("qed") != Molecule("penalised_logp")
    assert Molecule("qed") != Molecule("qed", tokens=9)


def test_frequencies_are_those_of_the_molecules_that_come_with_rdkit():
    import selfies
    from rdkit import Chem, RDConfig, rdBase

    counted = Counter()
    with rdBase.BlockLogs():
        for row in (Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi").read_text().splitlines()[:1500]:
            molecule = read(row.split()[0])
            if molecule is not None and "." not in row.split()[0]:
                flat = Chem.MolToSmiles(molecule, isomericSmiles=False)
                with suppress(selfies.EncoderError):
                    counted.update([*selfies.split_selfies(selfies.encoder(flat)), "stop"])
    for token, count in FREQUENCIES.items():
        assert 1000 * counted[token] / counted.total() == pytest.approx(count, abs=3 + 0.3 * count), token


def test_playouts_draw_tokens_by_how_frequent_they_are():
    state, draws = Molecule.from_smiles("CC"), bw.Random(1)
    drawn = Counter(state.playout_action(draws) for _ in range(4000))
    total = sum(FREQUENCIES.values())
    for action in (STOP, 1, 2, ALPHABET.index("[Branch1]") + 1):
        share = FREQUENCIES[state.action_to_string(action)] / total
        assert drawn[action] / 4000 == pytest.approx(share, abs=0.03)
        assert state.prior(action) == FREQUENCIES[state.action_to_string(action)]
    first = Molecule("qed")
    assert {first.playout_action(draws) for _ in range(300)} <= set(first.legal_actions())
    assert Molecule("qed", alphabet=("[C]", "[P]")).prior(2) == 1.0


# --- searches -------------------------------------------------------------------------------------------


def test_searches_find_the_best_of_all_small_molecules():
    state = Molecule("qed", tokens=3, alphabet=("[C]", "[=C]", "[N]", "[O]", "[=O]", "[Ring1]"))
    best = depth_first(state)
    assert best.is_optimal
    for result in (
        bw.NRPA(level=2, iterations=20, seed=1).search(state),
        bw.NestedSearch(level=2, seed=1).search(state),
    ):
        assert result.best_score == best.best_score == pytest.approx(result.end.score())
        assert result.end.is_terminal()
    found = bw.MCTS(seed=1, playout="uniform").search(state, simulations=3000)
    assert found.ended_by == "proven"
    assert found.value == pytest.approx(best.best_score)


def test_the_same_seed_finds_the_same_molecule():
    state = Molecule("penalised_logp", tokens=10)
    one, other = (bw.NRPA(level=1, iterations=60, seed=3).search(state) for _ in range(2))
    assert one.best_line == other.best_line
    assert one.best_score == pytest.approx(played(state, one.best_line).score())
    assert one.best_moves[0] in ALPHABET
    trees = [
        [
            (child.action, child.visits, child.value)
            for child in bw.MCTS(seed=1).search(state, simulations=80).children
        ]
        for _ in range(2)
    ]
    assert trees[0] == trees[1]


def test_methods_compare_on_molecules_and_leave_the_start_as_it_is():
    state = Molecule("qed", tokens=8)
    methods = ["mcts(selection=puct)", "nrpa(level=1)", "nested(level=1)", "annealing", "genetic"]
    result = compare(state, methods, steps=120, seeds=1, seed=1)
    assert [one.method for one in result.methods] == methods
    for one in result.methods:
        assert one.best == pytest.approx(played(state, one.runs[0].best_line).score())
        assert one.best > 0.35
    assert state == Molecule("qed", tokens=8)


# --- settings and pictures ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"objective": "qedd"}, 'did you mean "qed"'),
        ({"tokens": 0}, "tokens = 0 is outside its range"),
        ({"tokens": 2.5}, "tokens = 2.5 is not a whole number"),
        ({"alphabet": ("[C]", "[Xx]")}, "no token of SELFIES"),
        ({"alphabet": ("[C]", "[C]")}, "has each token once"),
        ({"alphabet": ("[Ring1]",)}, "an atom among them"),
    ],
)
def test_impossible_settings_are_refused(settings, problem):
    with pytest.raises(bw.BranchwiseError, match=problem):
        Molecule(**settings)


@pytest.mark.parametrize(
    ("smiles", "problem"),
    [
        ("C1CC", "cannot be written as SELFIES"),
        ("C[Si](C)C", r'"\[Si\]" cannot be added'),
        ("CCCCCCCCCC", "the molecule is complete"),
    ],
)
def test_molecules_that_cannot_be_built_are_refused(smiles, problem):
    with pytest.raises(bw.ActionError, match=problem):
        Molecule.from_smiles(smiles, tokens=8)


@pytest.mark.parametrize("missing", ["rdkit", "selfies"])
def test_without_a_package_one_error_says_how_to_get_it(missing, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == missing]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(bw.SettingsError, match=f"{missing} is not installed") as error:
        Molecule("qed")
    assert 'pip install "branchwise[molecules]"' in str(error.value)


def test_pictures_are_rdkits():
    for state in (Molecule("qed"), Molecule.from_smiles(ASPIRIN)):
        picture = ElementTree.fromstring(state.to_svg(200, 100))
        assert picture.get("width") == "200px"
        assert picture.get("height") == "100px"
    assert len(Molecule.from_smiles(ASPIRIN).to_svg()) > 2 * len(Molecule.from_smiles("C").to_svg())
    assert Molecule.from_smiles("CC")._repr_svg_() == Molecule.from_smiles("CC").to_svg()
    assert str(Molecule("qed")) == "no atom yet"
    assert repr(Molecule.from_smiles("CC")) == "<Molecule [C][C]>"
