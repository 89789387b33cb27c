"""Best lines are kept in files, one for each problem, and are played again when they are loaded."""

import json
import threading
import time

import pytest

import branchwise as bw
from support.puzzles import Stairs

SHORT = "left_move(moves=8)"


def weak(state):
    return bw.NestedSearch(level=1, seed=3, compiled=False).search(state, playouts=2)


@pytest.fixture
def kept(tmp_path):
    return bw.BestLines(tmp_path / "lines")


def test_a_better_line_takes_the_place_of_the_best_one(kept):
    state = bw.load_game(SHORT)()
    assert kept.best(state) is None
    first = weak(state)
    assert first.best_score < 8
    assert kept.offer(first)
    assert not kept.offer(first)
    best = bw.NestedSearch(level=2, seed=1, compiled=False).search(state)
    assert kept.offer(best)
    known = bw.BestLines(kept.folder).best(state)
    assert (known.score, known.line, known.moves) == (8.0, best.best_line, best.best_moves)
    assert (known.method, known.seed) == ("nested(level=2)", 1)
    assert not kept.offer(first)
    assert [file.name for file in kept.folder.glob("*.json")] == [kept.file_for(state).name]


def test_the_best_of_two_lines_that_are_offered_at_the_same_time_stays(kept):
    """The weak line's turn comes first, and it is written after the good one was offered."""
    state = bw.load_game(SHORT)()
    first, best = weak(state), bw.NestedSearch(level=2, seed=1, compiled=False).search(state)
    looked, slow = threading.Event(), bw.BestLines(kept.folder)

    def look(state):
        known = bw.BestLines.best(slow, state)
        looked.set()
        time.sleep(0.2)
        return known

    slow.best = look
    thread = threading.Thread(target=slow.offer, args=(first,))
    thread.start()
    assert looked.wait(10)
    assert kept.offer(best)
    thread.join()
    assert kept.best(state).score == best.best_score > first.best_score


def test_starts_sizes_and_versions_of_rules_have_files_of_their_own(kept):
    state = bw.load_game(SHORT)()
    later = state.copy()
    later.apply_action(0)

    class Changed(Stairs):
        name = Stairs.name

        def prior(self, action):
            return 3.0 - action

    states = [state, later, bw.load_game("left_move(moves=9)")(), Stairs(), Changed()]
    assert len({kept.file_for(one) for one in states}) == 5
    assert kept.file_for(bw.load_game(SHORT)()) == kept.file_for(state)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"score": 9.0}, "its line has the score"),
        ({"line": [0, 0, 7, 0, 0, 0, 0, 0]}, "action 7, number 3 of the line, is not legal there"),
        ({"line": [0] * 7}, "the line ends after 7 actions"),
        ({"line": [0] * 9}, "action 0, number 9 of the line, is not legal there"),
        ({"format": 2}, "it has the format 2, not 1"),
        ({"line": None}, "TypeError"),
    ],
)
def test_a_wrong_line_is_refused(kept, change, told):
    state = bw.load_game(SHORT)()
    result = weak(state)
    kept.offer(result)
    file = kept.file_for(state)
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    before = file.read_text()
    for use in (lambda: kept.best(state), lambda: kept.offer(result)):
        with pytest.raises(bw.ResultsError) as caught:
            use()
        assert told in caught.value.problem
        assert "remove the file" in caught.value.mend
    assert file.read_text() == before


def test_half_a_file_is_refused(kept):
    state = bw.load_game(SHORT)()
    kept.offer(weak(state))
    file = kept.file_for(state)
    file.write_text(file.read_text()[:20])
    with pytest.raises(bw.ResultsError, match="has no best line"):
        kept.best(state)


def test_rules_whose_versions_cannot_be_told_apart_are_not_kept(kept):
    with pytest.raises(bw.SettingsError, match="and a list is none"):
        kept.file_for([])
