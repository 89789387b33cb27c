"""The job shop: operations of jobs on machines, in as little time as possible; flexible shops too.

Schedules are active: no operation could begin earlier without delaying another. One of the shortest schedules
is active. Giffler, Thompson, "Algorithms for solving production-scheduling problems", 1960.
"""

import numpy as np

from branchwise.common.errors import GameError
from branchwise.drawing.shapes import MARGIN, choices, label, rectangle
from branchwise.game.kinds.fields import Array
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.option_checks import check_file_alone, check_ranges, read_text
from branchwise.problems.shorter_schedules import Shop, shorter

MOST_JOBS = 200
MOST_MACHINES = 100
MOST_OPERATIONS = 10_000
_LONGEST = 1_000_000
_PATIENCE, _WORK = 50_000, 500_000
"""Operations that local search times, since the last shorter schedule and in all."""
_MOST_IMPROVED = 2_000
"""Operations of the largest plan that is improved."""
_WIDE = 640
_HIGH = 18
_TURN = 137.508
"""Degrees between the hues of jobs, so that neighbours differ."""


def _at_random(cls):
    """Return operations at random: each job visits each machine once, for 1 to 99, as in Taillard's shops."""
    random = Random(cls.seed)
    jobs = []
    for _ in range(cls.jobs):
        machines = np.arange(cls.machines)
        random.shuffle(machines)
        jobs.append([[(int(machine), 1 + random.below(99))] for machine in machines])
    return jobs


def _from_file(file, where):
    """Return the operations of each job of a file; an operation is a list of machines with times."""
    lines = enumerate(read_text(file, where).splitlines(), start=1)
    rows = [(number, words) for number, line in lines if (words := line.partition("#")[0].split())]
    if not rows:
        raise GameError(f"{where} is empty", mend="begin with the numbers of jobs and machines")
    head = _whole(rows[0][1][:2], where, rows[0][0])
    if len(head) != 2 or not (1 <= head[0] <= MOST_JOBS and 1 <= head[1] <= MOST_MACHINES):
        raise GameError(
            f"{where}, line {rows[0][0]}: {' '.join(rows[0][1])[:40]!r} is not a number of jobs up to "
            f"{MOST_JOBS} and of machines up to {MOST_MACHINES}"
        )
    jobs, machines = head
    if len(rows) != jobs + 1:
        raise GameError(f"{where} has {len(rows) - 1} jobs, and its head says {jobs}")
    table = [_whole(words, where, number) for number, words in rows[1:]]
    is_plain = all(len(row) == 2 * machines for row in table) and len(rows[0][1]) == 2
    return [
        _job(row, machines, is_plain, where, line) for row, (line, _) in zip(table, rows[1:], strict=True)
    ]


def _whole(words, where, line):
    try:
        values = [int(word) for word in words]
    except ValueError:
        values = [-1]
    if not all(0 <= value <= _LONGEST for value in values):
        raise GameError(f"{where}, line {line}: {' '.join(words)[:40]!r} is not whole numbers from 0 to 1e6")
    return values


def _job(row, machines, is_plain, where, line):
    """Return the operations of a line.

    It has the number of operations, and for each the number of its machines, then each, from 1, with its
    time. A plain line has pairs alone: the one machine of each operation, from 0, and the time.
    """
    least = 0 if is_plain else 1
    if is_plain:
        row = [machines, *(word for pair in zip(row[::2], row[1::2], strict=True) for word in (1, *pair))]
    operations, at = [], 1
    for _ in range(row[0]):
        count = row[at] if at < len(row) else 0
        words = row[at + 1 : at + 1 + 2 * count]
        if not 1 <= count <= machines or len(words) < 2 * count:
            raise GameError(
                f"{where}, line {line}: operation {len(operations) + 1} has no machines, or is not whole",
                mend="write pairs of machine and time; or the number of operations, and before the pairs of "
                "each how many there are",
            )
        for machine in words[::2]:
            if not least <= machine < least + machines:
                told = f"{where}, line {line}: machine {machine} is not from"
                raise GameError(f"{told} {least} to {least + machines - 1}")
        operations.append([(words[i] - least, words[i + 1]) for i in range(0, 2 * count, 2)])
        at += 1 + 2 * count
    if at != len(row):
        raise GameError(f"{where}, line {line} has {len(row)} numbers, and its operations end after {at}")
    return operations


def _least_end(shop, machines):
    """Return a lower bound of the end: the longest job, and the work that only one machine can do."""
    loads = [0] * machines
    for job in shop:
        for operation in job:
            if len(operation) == 1:
                loads[operation[0][0]] += operation[0][1]
    return max(*loads, *(sum(min(time for _, time in operation) for operation in job) for job in shop), 0)


def _colour(job):
    """Return a light colour, unlike that of the jobs with the numbers before."""
    return f"hsl({job * _TURN % 360:.0f} 65% {(75, 70, 82)[job % 3]}%)"


class JobShop(OnePlayer, Game):
    """Choose the job whose next operation is scheduled next, as early as possible.

    The operations of a job follow each other, and a machine has one at a time. The return is the
    end of the last one, below 0. Legal are the operations of the machine that could be the first to complete
    one, if they can begin before that; so schedules are active. In a flexible shop an operation can go to one
    of several machines, and legal are all that can begin before the first completion. `improve` is a tabu
    search (`problems.shorter_schedules`), for plans of up to 2,000 operations.

    Without a file, `jobs` visit all `machines` in random orders, for 1 to 99 each. Two kinds of files are
    read, which begin with the numbers of jobs and machines. In the usual one each line is a job: pairs of a
    machine, from 0, and a time. In those of flexible shops a line begins with the number of operations, and
    each of them is the number of its machines and pairs of a machine, from 1, and a time.

    >>> state = JobShop.configured(jobs=2, machines=2, seed=1).from_actions("1 2 2 1")
    >>> print(state)
    machine 1: 2 from 0 to 81, 1 from 81 to 174
    machine 2: 1 from 0 to 30, 2 from 81 to 157
    end: 174
    """

    jobs = 10
    machines = 5
    seed = 0
    file = ""

    planned: np.int32 = 0
    """Number of operations scheduled."""
    end: np.int32 = 0
    """When the last of them ends."""
    done: Array[np.int16, "num_jobs"] = 0
    """Operations scheduled of each job; when the last of them ends is next."""
    job_free: Array[np.int32, "num_jobs"] = 0
    machine_free: Array[np.int32, "num_machines"] = 0
    before: Array[np.int16, "num_machines"] = 0
    """The last operation on each machine, from 1."""
    begins: Array[np.int32, "max_game_length"] = 0
    """When each operation begins; by the number of its job and its place in it."""
    ways: Array[np.int16, "max_game_length"] = 0
    """Which of its machines each operation has."""

    @classmethod
    def configure(cls):
        where = f"job_shop(file={cls.file!r})"
        if cls.file:
            check_file_alone(cls, where, ("jobs", "machines", "seed"), "jobs")
            shop = _from_file(cls.file, where)
        else:
            check_ranges(cls, jobs=(1, MOST_JOBS), machines=(1, MOST_MACHINES))
            shop = _at_random(cls)
        operations = [operation for job in shop for operation in job]
        if not 1 <= len(operations) <= MOST_OPERATIONS:
            raise GameError(f"{where} has {len(operations)} operations, not from 1 to {MOST_OPERATIONS:,}")
        cls.num_jobs = len(shop)
        cls.most_ways = max(map(len, operations))
        cls.num_machines = 1 + max(machine for operation in operations for machine, _ in operation)
        cls.num_actions, cls.max_game_length = cls.num_jobs * cls.most_ways, len(operations)
        cls.first = np.cumsum([0, *map(len, shop)])
        cls.num_ways = np.array([len(operation) for operation in operations])
        table = [operation + [(0, 0)] * (cls.most_ways - len(operation)) for operation in operations]
        cls.machine_of, cls.time_of = np.moveaxis(np.array(table), 2, 0).copy()
        cls.max_return = -float(_least_end(shop, cls.num_machines))
        cls.min_return = -float(sum(max(time for _, time in operation) for operation in operations))

    def chosen(self, action):
        """Return the job of an action, its next operation, and which of its machines is taken."""
        job = action // self.most_ways
        return job, self.first[job] + self.done[job], action % self.most_ways

    def earliest(self, job, way):
        """Return when the next operation of a job can begin on one of its machines."""
        operation = self.first[job] + self.done[job]
        return max(self.job_free[job], self.machine_free[self.machine_of[operation, way]])

    def legal_actions(self):
        soonest, bottleneck = 2**62, 0
        for job in range(self.num_jobs):
            operation = self.first[job] + self.done[job]
            if operation < self.first[job + 1]:
                for way in range(self.num_ways[operation]):
                    end = self.earliest(job, way) + self.time_of[operation, way]
                    if end < soonest:
                        soonest, bottleneck = end, self.machine_of[operation, way]
        for job in range(self.num_jobs):
            operation = self.first[job] + self.done[job]
            if operation < self.first[job + 1]:
                for way in range(self.num_ways[operation]):
                    begin = self.earliest(job, way)
                    waits = begin >= soonest and begin + self.time_of[operation, way] > soonest
                    if not waits and (self.most_ways > 1 or self.machine_of[operation, way] == bottleneck):
                        yield job * self.most_ways + way

    def apply_action(self, action):
        job, operation, way = self.chosen(action)
        begin = self.earliest(job, way)
        end = begin + self.time_of[operation, way]
        self.begins[operation] = begin
        self.ways[operation] = way
        self.job_free[job] = end
        machine = self.machine_of[operation, way]
        self.machine_free[machine] = end
        self.before[machine] = operation + 1
        self.done[job] += 1
        self.planned += 1
        self.end = max(self.end, end)

    def is_terminal(self):
        return self.planned == self.max_game_length

    def returns(self):
        return (-float(self.end),)

    def action_code(self, action):
        _, operation, way = self.chosen(action)
        after = self.before[self.machine_of[operation, way]]
        return (after * self.max_game_length + operation) * self.most_ways + way

    def improve(self, line):
        if len(line) > _MOST_IMPROVED:
            return line
        state, order = self.copy(), []
        for action in line:
            order.append(int(state.chosen(action)[1]))
            state.apply_action(action)
        operations = np.arange(self.max_game_length)
        shop = Shop(
            (np.searchsorted(self.first, operations, side="right") - 1).tolist(),
            self.machine_of[operations, state.ways].tolist(),
            self.time_of[operations, state.ways].tolist(),
            self.job_free.tolist(),
            self.machine_free.tolist(),
        )
        begins = shorter(shop, order, _PATIENCE // len(order), _WORK // len(order))
        planned, better = self.copy(), []
        while not planned.is_terminal():
            better.append(planned.next_of(begins, state.ways))
            planned.apply_action(better[-1])
        return better if planned.end < state.end else line

    def next_of(self, begins, ways):
        """Return the legal action whose operation begins first by a plan; if none is in time, ends first.

        begins, ways : of each operation. Nothing that is left then begins later than planned.
        """
        ends = {}
        for action in self.legal_actions():
            job, operation, way = self.chosen(int(action))
            ends[int(action)] = int(self.earliest(job, way) + self.time_of[operation, way])
        soonest = min(ends.values())

        def rank(action):
            _, operation, way = self.chosen(action)
            is_late = begins[operation] >= soonest
            return way != ways[operation], is_late, ends[action] if is_late else begins[operation]

        return min(ends, key=rank)

    # --- names, plans and pictures --------------------------------------------------------------------

    def action_to_string(self, action):
        job, operation, way = self.chosen(int(action))
        on = f"on{self.machine_of[operation, way] + 1}" if self.num_ways[operation] > 1 else ""
        return f"{job + 1}{on}"

    def plan_row(self, action):
        job, operation, way = self.chosen(int(action))
        begin = int(self.earliest(job, way))
        return {
            "job": job + 1,
            "operation": int(self.done[job]) + 1,
            "machine": int(self.machine_of[operation, way]) + 1,
            "begin": begin,
            "end": begin + int(self.time_of[operation, way]),
        }

    def scheduled(self):
        """Return job, machine, begin and end of each operation scheduled, by machine and begin."""
        found = []
        for job in range(self.num_jobs):
            for operation in range(self.first[job], self.first[job] + self.done[job]):
                way, begin = self.ways[operation], int(self.begins[operation])
                machine = int(self.machine_of[operation, way])
                found.append((machine, begin, begin + int(self.time_of[operation, way]), job))
        return sorted(found)

    def __str__(self):
        lines, done = [], self.scheduled()
        for machine in range(self.num_machines):
            there = [f"{job + 1} from {begin} to {end}" for on, begin, end, job in done if on == machine]
            lines.append(f"machine {machine + 1}: {', '.join(there) or 'free'}")
        return "\n".join([*lines, f"end: {self.end}"])

    def to_svg(self):
        """Draw a Gantt chart: a row for each machine, a bar for each operation, a colour for each job."""
        end = max(1, int(self.end))
        left = MARGIN + 90
        scale = _WIDE / end
        parts = []
        for machine in range(self.num_machines):
            y = MARGIN + machine * (_HIGH + 4)
            parts.append(label(left - 6, y + 13, f"machine {machine + 1}", anchor="end"))
            parts.append(rectangle(left, y, _WIDE, _HIGH, "#868e96", 0.1))
        for machine, begin, ends, job in self.scheduled():
            y, wide = MARGIN + machine * (_HIGH + 4), (ends - begin) * scale
            x, name = left + begin * scale, str(job + 1)
            bar = rectangle(x, y, max(0.5, wide - 0.5), _HIGH, _colour(job))
            if wide > 9 * len(name):
                bar += label(x + wide / 2, y + 13, name, anchor="middle", colour="#111")
            parts.append(f"<g><title>job {name}, {begin} to {ends}</title>{bar}</g>")
        bottom = MARGIN + self.num_machines * (_HIGH + 4) + 16
        tick = 10 ** (len(str(end)) - 1)
        for time in range(0, end + 1, tick if end >= 3 * tick else max(1, tick // 5)):
            parts.append(label(left + time * scale, bottom, str(time), anchor="middle"))
        told = f"{self.planned} of {self.max_game_length} operations, end {self.end}"
        return choices(self, parts, bottom, left + _WIDE, told)
