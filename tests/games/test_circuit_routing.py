"""Circuit routing: wires against another program's paths, boards of files, and what is refused."""

import heapq
import random
from itertools import pairwise

import numpy as np
import pytest

import branchwise as bw
from branchwise.problems.circuit_routing import BLOCKED, ROUTED, CircuitRouting


def steps(state, cell):
    """Yield the neighbours of a cell and what it costs to go there."""
    layer, row, column = np.unravel_index(cell, (2, state.height, state.width))
    for r, c in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
        if 0 <= r < state.height and 0 <= c < state.width:
            yield int(np.ravel_multi_index((layer, r, c), (2, state.height, state.width))), 1
    yield (cell + state.area) % (2 * state.area), state.via


def shortest(state, net):
    """Return the length of the shortest wire that a net can have, or infinity, by Dijkstra's search."""
    first, last = state.pins[net].tolist()
    found = {first: 0, first + state.area: 0}
    waiting = [(0, cell) for cell in found]
    while waiting:
        length, cell = heapq.heappop(waiting)
        if cell % state.area == last:
            return length
        for other, cost in steps(state, cell):
            is_open = state.owner[other] in (0, net + 1)
            if is_open and length + cost < found.get(other, np.inf):
                found[other] = length + cost
                heapq.heappush(waiting, (length + cost, other))
    return np.inf


def in_sequence(game, nets):
    """Return the state after each net was routed by the first way, in this order."""
    state = game()
    for net in nets:
        state.apply_action(5 * net)
    return state


def test_wires_lead_from_pin_to_pin_over_cells_of_their_own():
    source = random.Random(1)
    unrouted = 0
    for board in range(1, 9):
        state = CircuitRouting.configured(rows=9, columns=11, nets=11, board=board)()
        while not state.is_terminal():
            action = source.choice(state.legal_actions())
            net, before = action // 5, state.copy()
            assert state.prior(action) > 0
            reward = state.apply_action(action)
            best = shortest(before, net)
            if state.status[net] != ROUTED:
                assert reward == -state.fine
                assert best == np.inf
                unrouted += 1
                assert state.owner.tolist() == before.owner.tolist()
                continue
            cells = state.wire(net)
            assert [cells[0] % state.area, cells[-1] % state.area] == state.pins[net].tolist()[::-1]
            length = sum(dict(steps(state, a))[b] for a, b in pairwise(cells))
            assert reward == -length <= -best
            changed = np.flatnonzero(state.owner != before.owner)
            pins = {int(pin) + layer * state.area for pin in state.pins[net] for layer in range(2)}
            assert set(cells) - pins == set(changed.tolist())
            assert (before.owner[changed] == 0).all()
            assert (state.owner[changed] == net + 1).all()
        routed = -sum(state.status != ROUTED) * state.fine - state.length()
        assert state.min_return <= routed <= state.max_return
    assert unrouted > 0


def test_a_net_alone_takes_a_shortest_path_and_ways_differ():
    for board in range(1, 6):
        game = CircuitRouting.configured(rows=10, columns=10, nets=1, obstacles=0.2, board=board)
        assert game().apply_action(0) == -shortest(game(), 0)
    game = CircuitRouting.configured(rows=10, columns=10, nets=1, obstacles=0.0, board=1)
    ends = [game.from_actions([way]).owner.tolist() for way in range(5)]
    assert ends[1] != ends[2]
    for layer, way in enumerate(("a-top", "a-bottom")):
        wired = np.array(game.from_actions([way]).owner).reshape(2, -1)
        assert (wired[layer] != 0).sum() > 2 == (wired[1 - layer] != 0).sum()


def test_nrpa_routes_boards_on_which_nets_in_sequence_fail():
    game = CircuitRouting.configured(board=3)
    distances = [shortest(game(), net) for net in range(game.num_nets)]
    for order in (range(game.num_nets), np.argsort(distances).tolist()):
        assert (in_sequence(game, order).status != ROUTED).any()
    result = bw.NRPA(level=2, iterations=50, seed=1).search(game(), playouts=1000)
    assert (result.end.status == ROUTED).all()
    assert result.best_score == -result.end.length()
    assert -result.best_score >= sum(distances)


def test_boards_are_read_from_a_file(tmp_path):
    file = tmp_path / "board.txt"
    file.write_text("A.^.B\n\n.._#.\nB...A\n")
    state = CircuitRouting.configured(file=str(file), via=2)()
    top, bottom = np.array(state.owner).reshape(2, 3, 5)
    assert top.tolist() == [[1, 0, BLOCKED, 0, 2], [0, 0, 0, BLOCKED, 0], [2, 0, 0, 0, 1]]
    assert bottom.tolist() == [[1, 0, 0, 0, 2], [0, 0, BLOCKED, BLOCKED, 0], [2, 0, 0, 0, 1]]
    assert state.play("a") // 5 == 0
    assert state.length() == shortest(state, 0) == 6


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("A..\n..\nA..\n", "row 2 has 2 cells, and row 1 has 3"),
        ("A.x\n..A\n", "row 1 has 'x'\n.*letters are pins"),
        ("A.B\n..A\n", "has 1 pins B, not 2"),
        ("...\n...\n", "has no pins"),
        ("A.A\n", "is a board of 1 by 3 cells, not from 2 to 50"),
        ("", "is a board of 0 by 0 cells"),
    ],
)
def test_a_bad_file_is_reported(tmp_path, text, told):
    file = tmp_path / "board.txt"
    file.write_text(text)
    with pytest.raises(bw.GameError, match=rf"circuit_routing\(file='.*board\.txt'\):? {told}"):
        CircuitRouting.configured(file=str(file))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"rows": 1}, r"circuit_routing\(rows=1\) is not from 2 to 50"),
        ({"nets": 27}, r"circuit_routing\(nets=27\) is not from 1 to 26"),
        ({"via": 0}, r"circuit_routing\(via=0\) is not from 1 to 20"),
        ({"obstacles": 0.6}, r"circuit_routing\(obstacles=0.6\) is not from 0 to 0.5"),
        ({"rows": 3, "columns": 3}, "12 nets do not fit on board 1"),
        ({"file": "none.txt", "rows": 9}, "has its own board\n.*file= or rows="),
        ({"file": "none.txt"}, "cannot be read"),
    ],
)
def test_options_that_cannot_be_are_reported(options, told):
    with pytest.raises(bw.GameError, match=told):
        CircuitRouting.configured(**options)
