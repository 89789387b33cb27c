"""Sokoban: pushes against a player who walks step by step, levels of files, and what is refused."""

import random
from collections import deque

import pytest

import branchwise as bw
from branchwise.boards.layer import cells_of
from branchwise.optimise.classical import a_star, check_heuristic
from branchwise.problems.sokoban import SOLVED, STUCK, Sokoban

LEVELS = """; two levels
#####
#@$.#
#####

Second level
  ####
###  ####
#     $ #
# #  #$ #
# . .#@ #
#########
"""
STEPS = {"up": (-1, 0), "left": (0, -1), "down": (1, 0), "right": (0, 1)}


def saved(tmp_path, text):
    file = tmp_path / "levels.txt"
    file.write_text(text)
    return str(file)


def cells(state, signs):
    """Return where these signs are in the picture of a state, as (row from the top, column)."""
    rows = [[" #$@.#*+"[cells_of(state)[r, c, 1]] for c in range(state.width)] for r in range(state.height)]
    return {(r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign in signs}


def pushes(state):
    """Return the pushes that a player finds who walks step by step, as names, with the boxes after each."""
    walls, boxes = cells(state, "#"), cells(state, "$*")
    (player,) = cells(state, "@+")
    seen, waiting, found = {player}, deque([player]), {}
    while waiting:
        r, c = waiting.popleft()
        for name, (down, right) in STEPS.items():
            there, behind = (r + down, c + right), (r + 2 * down, c + 2 * right)
            if there in boxes:
                if behind not in walls | boxes:
                    column = "abcdefghijklmnopqrstuvwxyz"[there[1]]
                    found[f"{column}{state.height - there[0]}-{name}"] = boxes - {there} | {behind}
            elif there not in walls and there not in seen:
                seen.add(there)
                waiting.append(there)
    return found


def fewest_pushes(state):
    """Return the fewest pushes that solve a level, by breadth-first search without any deadlocks."""
    goals, waiting, seen = cells(state, ".*+"), deque([(state, 0)]), {state}
    while waiting:
        position, made = waiting.popleft()
        for name, boxes in pushes(position).items():
            if boxes <= goals:
                return made + 1
            after = position.copy()
            after.apply_action(after.action_from_string(name))
            if after.status != STUCK and after not in seen:
                seen.add(after)
                waiting.append((after, made + 1))
    return None


def test_pushes_are_those_of_a_player_who_walks():
    source = random.Random(1)
    ends = set()
    for level in range(1, 40):
        state = Sokoban.configured(boxes=1 + level % 3, level=level)()
        for _ in range(30):
            found = pushes(state)
            assert sorted(map(state.action_to_string, state.legal_actions())) == sorted(found)
            name = source.choice(sorted(found))
            prior = state.prior(state.action_from_string(name))
            reward = state.apply_action(state.action_from_string(name))
            assert cells(state, "$*") == found[name]
            solved, stuck = not cells(state, "$"), state.status == STUCK
            assert (state.status == SOLVED) == solved
            assert reward == (-1 - state.fine if stuck else -1)
            assert prior > 0
            if stuck or solved:
                ends.add(int(state.status))
                assert state.is_terminal()
                assert state.heuristic() == 0
                break
            assert pushes(state)
    assert ends == {SOLVED, STUCK}


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_star_solves_our_levels_by_the_fewest_pushes(level):
    start = Sokoban.configured(rows=6, columns=6, boxes=2, level=level)()
    result = a_star(start)
    assert -result.best_score == fewest_pushes(start) >= start.heuristic() > 0
    assert check_heuristic(start, max_states=500) > 10


def test_search_solves_a_level():
    result = bw.NestedSearch(level=2, seed=1).search(Sokoban(), playouts=20_000)
    assert result.end.status == SOLVED
    assert result.best_score == -len(result.best_line) == a_star(Sokoban()).best_score


def test_levels_of_a_file(tmp_path):
    file = saved(tmp_path, LEVELS)
    first = Sokoban.configured(file=file)()
    assert first.action_to_string(first.legal_actions()[0]) == "c2-right"
    assert first.play("c2-right") == first.from_json(first.to_json()).start.nonzero()[0][0] * 4 + 3
    assert first.status == SOLVED
    second = Sokoban.configured(file=file, level=2)()
    assert (second.height, second.width) == (6, 9)
    assert "+" not in str(second)
    assert a_star(second).best_score == -fewest_pushes(second)


LEVEL = ["--####", "###--####", "#-----$-#", "#-#--#$-#", "#-.-.#@-#", "#########"]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(LEVEL).replace("-", " "),
        "\n".join(LEVEL),
        "\n".join(LEVEL).replace("-", "_"),
        "; 1\n" + "\n".join(LEVEL) + "\nTitle: a first one #1\n",
        "1\n" + "\n".join(LEVEL) + "\n-----------\nAuthor: é",
        "\ufeff" + "\r\n".join(LEVEL),
        "2-4#\n3#2-4#\n#5-$-#\n#-#2-#$-#\n#-.-.#@-#\n9#",
        "2-4#|3#2-4#|#5-$-#|#-#2-#$-#|#2(-.)#@-#|9#|",
    ],
)
def test_levels_in_all_spellings_are_the_same_and_have_the_same_number(tmp_path, text):
    file = tmp_path / "spelt.txt"
    first, second = "#####\n#@$.#\n#####", "3#2#|#.$@#|5#"
    file.write_bytes(
        f"{text}\n\n{first}\n2\n{second}\n{second}\n".encode("utf-8" if "\ufeff" in text else "cp1252")
    )
    spelt = Sokoban.configured(file=str(file))
    plain = Sokoban.configured(file=saved(tmp_path, "\n".join(LEVEL).replace("-", " ")))
    assert str(spelt()) == str(plain())
    at = [Sokoban.configured(file=str(file), level=level).first_player for level in (2, 3, 4)]
    assert at == [6, 8, 8]
    with pytest.raises(bw.GameError, match="has 4 levels"):
        Sokoban.configured(file=str(file), level=5)


def test_rows_of_floor_alone_stay_inside_their_level(tmp_path):
    rows = "#####\n#@$.#\n#####\n-----\n__\n  ###\n  # #\n  ###\n--\n\n#####\n#.$@#\n#####\n"
    file = saved(tmp_path, rows)
    assert Sokoban.configured(file=file).height == 8
    assert Sokoban.configured(file=file, level=2).first_player == 8


def test_a_level_that_a_blank_line_divides_is_reported_for_itself_and_all_later_ones(tmp_path):
    file = saved(tmp_path, "#####\n#@$.#\n#####\n\n#####\n#   #\n\n#@$.#\n#####\n\n#####\n#@$.#\n#####")
    assert Sokoban.configured(file=file).height == 3
    for level in (2, 3, 4):
        with pytest.raises(bw.GameError, match="line 5: the level that begins here has 0 players"):
            Sokoban.configured(file=file, level=level)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("#####\n# $.#\n#####\n", "line 1: the level that begins here has 0 players, not 1"),
        ("\n######\n#@@$.#\n######\n", "line 2: the level that begins here has 2 players, not 1"),
        ("#####\n#@$.#\n\n#   #\n#####\n", "is not enclosed by walls"),
        ("--###\n###x.#\n#####\n", "line 2 has 'x'"),
        ("--##é##\n", "line 1 has 'é'"),
        ("#####\n$.@--\n#####\n", "line 2 has no wall"),
        ("#####\n#@$.3\n#####\n", "line 2 has '3'"),
        ("99999999#\n#@$.#\n#####\n", "line 1 is longer than 10,000 signs"),
        ("9(9(9(9(9(9(9#))))))\n", "line 1 is longer than 10,000 signs"),
        ("#######\n#@$ $.#\n#######\n", "has 2 boxes, but 1 goals"),
        ("#####\n#@ .#\n#####\n", "has no box that is not on a goal"),
        ("#####\n#@* #\n#####\n", "has no box that is not on a goal"),
        ("######\n#@$.\n######\n", "is not enclosed by walls: row 2, column 6 is open"),
        ("#####\n#@$.#\n## ##\n", "is not enclosed by walls: row 3, column 3 is open"),
        ("#####\n#@$x#\n#####\n", "line 2 has 'x'\n.*# is a wall"),
        ("a puzzle\n", "has 0 levels, numbered from 1"),
        ("#" * 31 + "\n#@$." + " " * 26 + "#\n" + "#" * 31, "is 3 by 31 cells, but 30 are the most"),
    ],
)
def test_a_bad_level_is_reported(tmp_path, text, told):
    file = saved(tmp_path, text)
    with pytest.raises(bw.GameError, match=rf"sokoban\(file='.*levels\.txt',level=1\),? {told}"):
        Sokoban.configured(file=file)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"rows": 3}, r"sokoban\(rows=3\) is not from 4 to 30"),
        ({"boxes": 0}, r"sokoban\(boxes=0\) is not from 1 to 20"),
        ({"rows": 4, "columns": 4}, "no level 1 of this size was found"),
        ({"file": "none.txt", "boxes": 2}, "has its own board\n.*file= or boxes="),
        ({"file": "none.txt"}, "cannot be read"),
    ],
)
def test_options_that_cannot_be_are_reported(options, told):
    with pytest.raises(bw.GameError, match=told):
        Sokoban.configured(**options)


def test_a_level_that_the_file_does_not_have_is_reported(tmp_path):
    with pytest.raises(bw.GameError, match="has 2 levels, numbered from 1"):
        Sokoban.configured(file=saved(tmp_path, LEVELS), level=3)
