"""The job shop: schedules against all orders of operations, flexible shops, files, and what is refused."""

import itertools
import random

import numpy as np
import pytest

import branchwise as bw
from branchwise.problems.job_shop import JobShop
from branchwise.problems.shorter_schedules import Shop, shorter

FT06 = """# Fisher, Thompson, 1963; the shortest schedule ends at 55
6 6
2 1 0 3 1 6 3 7 5 3 4 6
1 8 2 5 4 10 5 10 0 10 3 4
2 5 3 4 5 8 0 9 1 1 4 7
1 5 0 5 2 5 3 3 4 8 5 9
2 9 1 3 4 5 5 4 0 3 3 1
1 3 3 3 5 9 0 10 4 4 2 1
"""
FLEXIBLE = "2 2\n2  2 1 4 2 3  1 1 5\n1  2 2 2 1 9\n"


def shop(tmp_path, text):
    file = tmp_path / "shop.txt"
    file.write_text(text)
    return JobShop.configured(file=str(file))


def check_schedule(game, state):
    """Check that operations of a job and of a machine do not overlap, and that the end is the latest end."""
    told = state.scheduled()
    for _, group in itertools.groupby(told, key=lambda one: one[0]):
        for (_, _, end, _), (_, begin, _, _) in itertools.pairwise(group):
            assert begin >= end
    for job in range(game.num_jobs):
        times = sorted((begin, end) for _, begin, end, of in told if of == job)
        assert len(times) == state.done[job]
        assert all(first[1] <= second[0] for first, second in itertools.pairwise(times))
    assert state.end == max((end for _, _, end, _ in told), default=0)


def shortest(game):
    """Return the end of the shortest schedule, over all orders in which operations can be dispatched."""
    counts = [int(game.first[job + 1] - game.first[job]) for job in range(game.num_jobs)]
    orders = set(itertools.permutations([job for job, count in enumerate(counts) for _ in range(count)]))
    best = 10**9
    for order in orders:
        ways = [range(game.num_ways[game.first[job] + order[:at].count(job)]) for at, job in enumerate(order)]
        for chosen in itertools.product(*ways):
            done, jobs, machines = [0] * game.num_jobs, [0] * game.num_jobs, [0] * game.num_machines
            for job, way in zip(order, chosen, strict=True):
                operation = game.first[job] + done[job]
                on = game.machine_of[operation, way]
                jobs[job] = machines[on] = max(jobs[job], machines[on]) + int(game.time_of[operation, way])
                done[job] += 1
            best = min(best, max(jobs))
    return best


def all_ends(state):
    if state.is_terminal():
        return {int(state.end)}
    found = set()
    for action in state.legal_actions():
        after = state.copy()
        after.apply_action(action)
        found |= all_ends(after)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_some_active_schedule_is_the_shortest_of_all(seed):
    game = JobShop.configured(jobs=3, machines=3 if seed < 2 else 2, seed=seed)
    assert min(all_ends(game())) == shortest(game)


@pytest.mark.parametrize("seed", range(8))
def test_some_active_schedule_of_a_flexible_shop_is_the_shortest(tmp_path, seed):
    source = random.Random(seed)
    lines = []
    for _ in range(3):
        operations = []
        for _ in range(2):
            machines = source.sample((1, 2), source.randint(1, 2))
            operations += [
                len(machines),
                *(number for one in machines for number in (one, source.randint(0, 9))),
            ]
        lines.append(" ".join(map(str, [2, *operations])))
    game = shop(tmp_path, "3 2 1.5\n" + "\n".join(lines))
    assert min(all_ends(game())) == shortest(game)


def test_random_schedules_are_schedules():
    source = random.Random(3)
    for seed in range(5):
        game = JobShop.configured(jobs=5, machines=4, seed=seed)
        state = game()
        while not state.is_terminal():
            action = source.choice(state.legal_actions())
            told = state.plan_row(action)
            state.apply_action(action)
            assert (told["machine"] - 1, told["begin"], told["end"], told["job"] - 1) in state.scheduled()
            check_schedule(game, state)
        assert game.min_return <= state.returns()[0] == -state.end <= game.max_return


def a_line(state, source):
    """Return a random line from a state, and the state at its end."""
    end, line = state.copy(), []
    while not end.is_terminal():
        line.append(source.choice(end.legal_actions()))
        end.apply_action(line[-1])
    return line, end


def flexible(source, jobs, machines, operations, least=0):
    """Return the file of a random flexible shop."""
    lines = [f"{jobs} {machines} 2"]
    for _ in range(jobs):
        words = [operations]
        for _ in range(operations):
            chosen = source.sample(range(1, machines + 1), source.randint(1, machines))
            words += [
                len(chosen),
                *(number for one in chosen for number in (one, source.randint(least, 20))),
            ]
        lines.append(" ".join(map(str, words)))
    return "\n".join(lines)


@pytest.mark.parametrize("kind", ["plain", "with times of 0", "flexible"])
def test_improved_plans_are_legal_and_never_longer(tmp_path, kind):
    source = random.Random(kind)
    gains = 0
    for seed in range(12):
        game = JobShop.configured(jobs=6, machines=5, seed=seed)
        if kind == "with times of 0":
            rows = [
                [(on, source.choice((0, 0, 5, 9))) for on in source.sample(range(4), 4)] for _ in range(5)
            ]
            game = shop(tmp_path, "5 4\n" + "\n".join(" ".join(f"{a} {b}" for a, b in row) for row in rows))
        if kind == "flexible":
            game = shop(tmp_path, flexible(source, 5, 4, 4))
        state = game()
        for _ in range(seed):
            state.apply_action(source.choice(state.legal_actions()))
        line, before = a_line(state, source)
        after = state.copy()
        for action in state.improve(tuple(line)):
            assert action in after.legal_actions()
            after.apply_action(action)
        assert after.is_terminal()
        check_schedule(game, after)
        assert after.end <= before.end
        gains += before.end > after.end
    assert gains >= 3


def test_two_exchanges_shorten_a_plan_that_one_makes_longer(tmp_path):
    game = shop(tmp_path, "2 2\n0 5 1 1\n0 1 1 5\n")
    operations = Shop([0, 0, 1, 1], [0, 1, 0, 1], [5, 1, 1, 5], [0, 0], [0, 0])
    as_given = [0, 5, 5, 6]
    assert shorter(operations, [0, 1, 2, 3], 0, 9) == as_given
    assert shorter(operations, [0, 1, 2, 3], 9, 1) == as_given
    assert shorter(operations, [0, 1, 2, 3], 9, 2) == [1, 6, 0, 1]
    assert game.from_actions("1 1 2 2").end == 11
    better = [str(action + 1) for action in game().improve((0, 0, 1, 1))]
    assert game.from_actions(better).end == shortest(game) == 7


def test_a_very_large_plan_stays_as_it_is():
    game = JobShop.configured(jobs=21, machines=100)
    line = [job for job in range(21) for _ in range(100)]
    assert game().improve(line) is line


def test_any_plan_of_the_shop_of_fisher_and_thompson_is_improved_to_nearly_the_shortest(tmp_path):
    game = shop(tmp_path, FT06)
    source = random.Random(5)
    ends = []
    for _ in range(10):
        line, _ = a_line(game(), source)
        state = game()
        for action in state.improve(tuple(line)):
            state.apply_action(action)
        ends.append(int(state.end))
    assert min(ends) == 55
    assert max(ends) <= 60


@pytest.mark.parametrize("seed", range(4))
def test_an_active_schedule_follows_a_plan_and_nothing_begins_later(seed):
    game = JobShop.configured(jobs=6, machines=4, seed=seed)
    source = random.Random(seed)
    order = [job for job in range(6) for _ in range(4)]
    source.shuffle(order)
    begins, done, jobs, machines = np.zeros(24, int), [0] * 6, [0] * 6, [0] * 4
    for job in order:  # as early as possible, but not active: later ones could begin before
        operation = game.first[job] + done[job]
        on = game.machine_of[operation, 0]
        begins[operation] = max(jobs[job], machines[on])
        jobs[job] = machines[on] = begins[operation] + game.time_of[operation, 0]
        done[job] += 1
    state = game()
    while not state.is_terminal():
        action = state.next_of(begins, state.ways)
        assert action in state.legal_actions()
        state.apply_action(action)
    assert (state.begins <= begins).all()
    assert (state.begins < begins).any()


def test_the_shop_of_fisher_and_thompson(tmp_path):
    game = shop(tmp_path, FT06)
    assert (game.num_jobs, game.num_machines, game.num_actions, game.max_game_length) == (6, 6, 6, 36)
    assert game.max_return == -47.0
    result = bw.NRPA(level=4, iterations=30, seed=1).search(game(), playouts=40_000)
    assert result.best_score == -55.0
    check_schedule(game, result.end)
    assert str(result.end).endswith("end: 55")
    assert result.end.to_svg().count("<title>") == 36


def test_a_flexible_shop_is_read(tmp_path):
    game = shop(tmp_path, FLEXIBLE)
    assert (game.num_jobs, game.most_ways, game.num_actions) == (2, 2, 4)
    state = game()
    assert [state.action_to_string(action) for action in state.legal_actions()] == [
        "1on1",
        "1on2",
        "2on2",
        "2on1",
    ]
    assert str(game.from_actions("1on2 2on1 1")).splitlines()[-1] == "end: 14"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("2\n", "line 1: '2' is not a number of jobs"),
        ("0 3\n", "line 1"),
        ("2 x\n", "line 1: '2 x' is not whole numbers"),
        ("2 2\n0 1 1 2\n", "has 1 jobs, and its head says 2"),
        ("1 2\n0 1 2 2\n", "line 2: machine 2 is not from 0 to 1"),
        ("1 2\n0 1 1 -2\n", "line 2: '0 1 1 -2' is not whole numbers from 0"),
        ("1 2\n0 1 1\n", "line 2"),
        ("1 2 1\n2 1 1 3\n", "line 2: operation 2 has no machines"),
        ("1 2 1\n1 1 3 4\n", "line 2: machine 3 is not from 1 to 2"),
        ("1 2 1\n1 1 1 4 7\n", "line 2 has 5 numbers, and its operations end after 4"),
        ("1 2\n1 0\n", "operation 1 has no machines"),
        ("1 2\n0\n", "has 0 operations"),
        ("9999 2\n", "is not a number of jobs up to 200"),
    ],
)
def test_a_damaged_file_is_one_clear_error(tmp_path, text, told):
    with pytest.raises(bw.GameError) as raised:
        shop(tmp_path, text)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    "options", [{"jobs": 0}, {"machines": 101}, {"jobs": 3, "file": "x"}, {"file": "none"}]
)
def test_options_are_checked(options):
    with pytest.raises(bw.GameError):
        JobShop.configured(**options)
