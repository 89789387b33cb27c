"""Tables of decision processes: files, layouts, and one clear error for each fault."""

import numpy as np
import pytest
from scipy import sparse

import branchwise as bw
from branchwise.problems.decision_process import DecisionProcess

WORK = [[0.7, 0.3, 0.0], [0.0, 0.6, 0.4], [0.0, 0.0, 1.0]]
REPAIR = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
P = np.array([WORK, REPAIR])
R = np.array([[10.0, -3.0], [6.0, -3.0], [0.0, -8.0]])


def value(*given, **named):
    return bw.solve(bw.from_matrices(*given, **{"discount": 0.9, **named})).value


EXPECTED = bw.solve(DecisionProcess).value


def test_every_layout_has_the_same_value(tmp_path):
    pairs = [(state, action) for state in range(3) for action in range(2)]
    rows = np.array([P[action, state] for state, action in pairs])
    paid = np.array([R[pair] for pair in pairs])
    places, actions = map(list, zip(*pairs, strict=True))
    entries = np.broadcast_to(R.T[:, :, None], (2, 3, 3))
    found = [
        value(P, R),
        value(P, entries),
        value([sparse.csr_matrix(matrix) for matrix in P], R),
        value([sparse.coo_matrix(P[0]), P[1]], list(map(sparse.csc_matrix, entries))),
        value(P.transpose(1, 0, 2), R),
        value(rows, paid, state_indices=places, action_indices=actions),
        value(sparse.csr_matrix(rows), paid, state_indices=places, action_indices=actions),
    ]
    np.savez(tmp_path / "toolbox.npz", P=P, R=R)
    np.savez(tmp_path / "quantecon.npz", Q=P.transpose(1, 0, 2), R=R)
    np.savez(tmp_path / "pairs.npz", Q=rows, R=paid, s_indices=places, a_indices=actions)
    lines = ["state,action,next,probability,reward"]
    lines += [
        f"{state},{action},{after},{P[action, state, after]},{R[state, action]}"
        for state, action in reversed(pairs)
        for after in range(3)
    ]
    (tmp_path / "machine.csv").write_text("\n".join(lines))
    for name in ("toolbox.npz", "quantecon.npz", "pairs.npz", "machine.csv"):
        found.append(value(tmp_path / name))
        found.append(bw.solve(bw.load_game(f"decision_process(file='{tmp_path / name}')")).value)
    assert found == pytest.approx([EXPECTED] * len(found), abs=1e-9)


def test_a_process_is_a_game_that_is_searched_and_played():
    state = bw.from_matrices(P, R, discount=0.9, start=1)
    assert (state.place, state.legal_actions(), str(state)) == (1, [0, 1], "state 1 of 3")
    state.apply_action(0)
    assert [outcome for outcome, _ in state.chance_outcomes()] == [0, 1]
    state.apply_action(1)
    assert state.place == 2
    game = DecisionProcess.configured(horizon=8)
    result = bw.MCTS(seed=1).search(game(place=2), simulations=2000)
    assert result.best_action == bw.solve(game(place=2)).policy[game(place=2)] == 1


def test_tables_where_the_layout_is_open_need_it_named():
    square = np.stack([np.eye(2), np.full((2, 2), 0.5)])
    with pytest.raises(bw.GameError, match="can be read in two ways"):
        value(square, np.ones((2, 2)))
    rewards = [[0, 1], [0, 0]]  # by the second layout, action 1 leads from state 0 to state 1 for sure
    first, second = (
        value(square, rewards, layout=name) for name in ("action-state-next", "state-action-next")
    )
    assert first != pytest.approx(second)


def changed(array, place, number):
    found = array.copy()
    found[place] = number
    return found


@pytest.mark.parametrize(
    ("given", "named", "told"),
    [
        ((changed(P, (0, 1, 1), 0.5), R), {}, "state 1, action 0: the probabilities add up to 0.9, not to 1"),
        ((changed(P, (0, 1, 1), -0.6), R), {}, "state 1, action 0, next state 1: the probability is -0.6"),
        ((changed(P, (1, 2, 0), np.nan), R), {}, "state 2, action 1, next state 0: the probability is nan"),
        ((changed(P, (1, 2, 0), np.inf), R), {}, "the probability is inf"),
        (
            (P, changed(R, (2, 1), np.inf)),
            {},
            "state 2, action 1, next state 0: the probability is 1, the reward is inf",
        ),
        ((P, changed(R, (2, 1), np.nan)), {}, "the reward is nan"),
        ((P, changed(R, (2, 1), 1e300)), {}, "the reward is 1e\\+300"),
        ((P, R[:2]), {}, r"rewards have the shape \(2, 2\)"),
        ((P[:, :2], R), {}, "does not fit"),
        ((P[0], R), {}, r"have the shape \(3, 3\)"),
        (([sparse.eye(3), sparse.eye(2)], R), {}, "all must be"),
        ((P, [sparse.eye(3)]), {}, "rewards are 1 matrices"),
        (("words", "words"), {}, "a file has its own rewards"),
        ((P, "words"), {}, "rewards are no array of numbers"),
        ((P, R), {"discount": 1.5}, "the discount is 1.5"),
        ((P, R), {"discount": float("nan")}, "the discount is nan"),
        ((P, R), {"start": 3}, "the start is state 3"),
        ((P, R), {"layout": "ssa"}, "layout='ssa'"),
        ((P, R), {"layout": "state-action-next"}, "does not fit layout='state"),
        ((P[0], R[:, 0]), {"state_indices": [0, 1, 2]}, "belong together"),
        ((P[0], R[:, 0]), {"state_indices": [0, 1, 3], "action_indices": [0, 0, 0]}, "from 0 to 2"),
        ((P[0], R[:, 0]), {"state_indices": [0, 1, 1], "action_indices": [0, 0, 0]}, "has action 0 twice"),
        ((P[0], R[:, 0]), {"state_indices": [0, 1], "action_indices": [0, 0]}, "there are 3 rows"),
        ((P[0], R[:, 0]), {"state_indices": [0, 1, 0.5], "action_indices": [0, 0, 0]}, "whole numbers"),
    ],
)
def test_faults_of_tables_are_named_by_state_and_action(given, named, told):
    with pytest.raises(bw.GameError, match=told):
        value(*given, **named)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no rows"),
        ("state,action,next,probability\n", "line 1: there is no column reward"),
        ("state,action,next,probability,reward\n", "has no rows"),
        ("state,action,next,probability,reward\n0,0,0,1\n", "line 2 has 4 cells, and line 1 names 5 columns"),
        (
            "state,action,next,probability,reward\n0,0,0,1,1\n\n0,1,x,1,1\n",
            "line 4: next is 'x'",
        ),
        ("state,action,next,probability,reward\n0,0,-1,1,1\n", "line 2: next is '-1'"),
        (
            "state,action,next,probability,reward\n0,0,0,nan,1\n",
            "line 2: probability is 'nan'",
        ),
        ("state,action,next,probability,reward\n0,0,0,1,inf\n", "line 2: reward is 'inf'"),
        ("state,action,next,probability,reward\n0,0,999999999999,1,1\n", "line 2: next is '999999999999'"),
        (
            "state,action,next,probability,reward\n0,0,99999999,1,1\n0,9999,0,1,1\n",
            "are more than 200,000,000 pairs",
        ),
        ("state,action,next,probability,reward\n0,0,0,0.5,1\n", "add up to 0.5"),
    ],
)
def test_faults_of_a_file_are_named_by_line(text, told, tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(bw.GameError, match=told):
        bw.from_matrices(file, discount=0.9)


def test_other_files_are_refused(tmp_path):
    for name, arrays, told in (
        ("a.npz", {"P": P}, "it has|needs P and R|has the arrays P"),
        ("b.npz", {"P": P, "R": R, "X": R}, "has the arrays"),
        ("c.npz", {"P": np.array([None]), "R": R}, "cannot be read as .npz"),
    ):
        np.savez(tmp_path / name, **arrays)
        with pytest.raises(bw.GameError, match=told):
            bw.from_matrices(tmp_path / name, discount=0.9)
    with pytest.raises(bw.GameError, match="cannot be read"):
        bw.from_matrices(tmp_path / "none.csv", discount=0.9)
