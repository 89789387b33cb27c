"""The travelling salesman with time windows: a round trip that visits each city while it is open.

Scores as in Cazenave, Teytaud, "Application of the nested rollout policy adaptation algorithm to the
traveling salesman problem with time windows", 2012: a million for each window that is missed, and the cost of
the trip. Random windows as in Dumas, Desrosiers, Gelinas, Solomon, "An optimal algorithm for the traveling
salesman problem with time windows", 1995.
"""

import math
from itertools import pairwise

import numpy as np

from branchwise.common.errors import GameError
from branchwise.game.kinds.random_numbers import Random
from branchwise.games.option_checks import check_file_alone, check_name, check_ranges, read_text
from branchwise.problems.maps import random_places
from branchwise.problems.tsp import TSP
from branchwise.problems.tsplib_reader import MOST_CITIES

LATE = 1_000_000.0
"""Cost of a missed window."""
OBJECTIVES = ("travel", "makespan")
NEVER = 1e12
UNWISE = 20.0
"""How strongly `prior` avoids cities that make another one late."""
_SQUARE = 50
_HEAD = ("CUST", "NO.", "XCOORD.", "YCOORD.", "DEMAND", "READY", "TIME", "DUE", "DATE", "SERVICE", "TIME")
_END = 999.0
"""The customer number of the last line in files with coordinates."""
_LARGEST = 1e9


def _at_random(cls):
    """Return places, distances, windows and services; some trip meets all windows.

    Each window is at most `width` long, and contains the time at which a random trip arrives.
    """
    random = Random(cls.seed)
    places = random_places(random, cls.cities, _SQUARE)
    distances = _rounded_down(places)
    trip = np.arange(1, cls.cities)
    random.shuffle(trip)
    windows, time = np.zeros((cls.cities, 2)), 0.0
    for here, there in pairwise([0, *trip.tolist(), 0]):
        time += distances[here, there]
        half = cls.width // 2 + 1
        windows[there] = max(0.0, time - random.below(half)), time + random.below(half)
    windows[0, 0] = 0.0
    return places, distances, windows, np.zeros(cls.cities)


def _rounded_down(places):
    """Return the distances in the plane, rounded down as is usual for these instances."""
    return np.floor(np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1)) + 1e-9)


def _from_file(file, where):
    """Return the contents of a file: customers with coordinates, or a matrix with windows below it."""
    rows, has_head = [], False
    for number, line in enumerate(read_text(file, where).splitlines(), start=1):
        words = line.partition("#")[0].split()
        if tuple(word.upper() for word in words) == _HEAD:
            rows, has_head = [], True
        elif words and not words[0].startswith("!"):
            rows.append((number, words))
    if has_head:
        return _customers(rows, where)
    if rows and len(rows[0][1]) == 1:
        return _matrix(rows, where)
    raise GameError(
        f"{where} has an unknown format",
        mend=f"begin with the line {' '.join(_HEAD)}, or with the number of cities before a matrix",
    )


def _numbers(row, count, where):
    """Return the numbers of a line, which must have exactly `count` of them."""
    line, words = row
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = []
    if len(values) != count or not all(abs(value) <= _LARGEST for value in values):
        raise GameError(f"{where}, line {line}: {' '.join(words)[:40]!r} is not {count} numbers up to 1e9")
    return values


def _customers(rows, where):
    found = []
    for row in rows:
        values = _numbers(row, 7, where)
        if values[0] == _END:
            break
        if values[0] != len(found) + 1:
            raise GameError(f"{where}, line {row[0]}: customer {values[0]:g} follows {len(found)}")
        found.append(values)
    _check_count(len(found), where)
    table = np.array(found)
    places = table[:, 1:3]
    return places * [1, -1], _rounded_down(places), table[:, 4:6], table[:, 6]


def _matrix(rows, where):
    (count,) = _numbers(rows[0], 1, where)
    _check_count(count, where)
    count = int(count)
    if len(rows) != 1 + 2 * count:
        raise GameError(
            f"{where} has {len(rows) - 1} rows below the number of cities, not {2 * count}",
            mend="write a row of distances for each city, and then a row with its window",
        )
    distances = np.array([_numbers(row, count, where) for row in rows[1 : count + 1]])
    windows = np.array([_numbers(row, 2, where) for row in rows[count + 1 :]])
    return None, distances, windows, np.zeros(count)


def _check_count(count, where):
    if not (3 <= count <= MOST_CITIES and count == int(count)):
        raise GameError(f"{where} has {count:g} cities, not from 3 to {MOST_CITIES}")


class TSPTW(TSP):
    """Action n goes to city n, and waits there until it opens; the last one also pays the way back.

    A city that is reached after it has closed costs a million, and so does a late return. The cost of a trip
    is its length; with `objective="makespan"` it is the time of the return, with all waiting and service.

    Without a file, `cities` lie at random in a square of 50 by 50, with windows of at most `width`, and some
    trip meets them all. Two kinds of files are read: lines of customers below the heading `CUST NO. XCOORD.
    YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME`, whose distances are rounded down; or a number of cities,
    a matrix of travel times, which include service, and a line with the window of each city.

    >>> state = TSPTW.configured(cities=5).from_actions("3 5 2")
    >>> print(state)
    trip: 1 3 5 2
    length 131, time 156, windows missed 2
    to come:
      4, open 11 to 39, reached at 190
    """

    closeness = 0.05
    width = 60
    objective = "travel"

    time: np.float64 = 0.0
    """When the service in the last city begins."""
    late: np.int16 = 0
    """Number of missed windows."""
    urgent: np.int16 = 0
    """The city that closes first of those that can still be reached in time; 0 for none."""
    deadline: np.float64 = NEVER
    """When it closes; the next is when the second of them does."""
    next_deadline: np.float64 = NEVER

    @classmethod
    def configure(cls):
        check_ranges(cls, closeness=(0, 100))
        check_name(cls, "objective", OBJECTIVES)
        if cls.file:
            where = f"tsptw(file={cls.file!r})"
            check_file_alone(cls, where, ("cities", "seed", "width"), "cities")
            places, distances, windows, service = _from_file(cls.file, where)
            for city, (opens, closes) in enumerate(windows, start=1):
                if opens > closes:
                    raise GameError(f"{where}: city {city} opens at {opens:g} and closes at {closes:g}")
            if distances.min() < 0 or service.min() < 0:
                raise GameError(f"{where} has a time below 0")
        else:
            check_ranges(cls, cities=(3, MOST_CITIES))
            if not 0 <= cls.width <= 10_000:
                raise GameError(f"tsptw(width={cls.width}) is not from 0 to 10000")
            places, distances, windows, service = _at_random(cls)
        cls.set_cities(distances, places)
        cls.service = service
        cls.opens, cls.closes = windows[:, 0].copy(), windows[:, 1].copy()
        cls.pays_travel = cls.objective == "travel"
        longest = float((distances.max(axis=1) + service).sum() + max(0.0, windows[:, 0].max()))
        cls.min_return = -(LATE * cls.num_actions + longest)
        cls.near = max(1.0, float(distances[distances > 0].mean() if distances.any() else 0.0))

    def setup(self):
        self.seen[0] = True
        self.time = self.opens[0]
        self.find_deadlines()

    def find_deadlines(self):
        self.urgent, self.deadline, self.next_deadline = 0, NEVER, NEVER
        for city in range(1, self.num_actions):
            closes = self.closes[city]
            if closes < self.next_deadline and not self.seen[city] and self.arrival(city) <= closes:
                if closes < self.deadline:
                    self.next_deadline = self.deadline
                    self.urgent, self.deadline = city, closes
                else:
                    self.next_deadline = closes

    def arrival(self, city):
        """Return the time of arrival at a city if it is the next one."""
        return self.time + self.service[self.city] + self.distances[self.city, city]

    def go(self, city):
        """Go to a city and return the cost."""
        cost = self.distances[self.city, city]
        arrival = self.arrival(city)
        begins = max(arrival, self.opens[city])
        if not self.pays_travel:
            cost = begins - self.time
        if arrival > self.closes[city]:
            self.late += 1
            cost += LATE
        self.time = begins
        self.city = city
        return cost

    def apply_action(self, action):
        cost = self.go(action)
        self.seen[action] = True
        self.order[self.visited] = action
        self.visited += 1
        if self.visited == self.num_actions:
            cost += self.go(0)
        else:
            self.find_deadlines()
        return -float(cost)

    def prior(self, action):
        """Prefer cities that can soon be served and soon close, and whose service makes no other city late.

        Like a rule of Cazenave and Teytaud, the latter excludes nothing from trips that miss no window.
        """
        arrival = self.arrival(action)
        begins = max(arrival, self.opens[action])
        left = max(0.0, self.closes[action] - arrival)
        against = self.closeness * (begins - self.time + left) / self.near
        if begins > (self.next_deadline if action == self.urgent else self.deadline):
            against += UNWISE
        return math.exp(-min(against, 300.0))

    improve = None  # that of `TSP` knows no windows

    # --- names and pictures ---------------------------------------------------------------------------

    def told(self):
        return f"length {self.length():g}, time {self.time:g}, windows missed {self.late}"

    def __str__(self):
        lines = ["trip: " + " ".join(str(city + 1) for city in self.trip()), self.told()]
        if not self.is_terminal():
            lines += ["to come:"]
            for city in self.legal_actions():
                window = f"{self.opens[city]:g} to {self.closes[city]:g}"
                lines.append(f"  {city + 1}, open {window}, reached at {self.arrival(city):g}")
        return "\n".join(lines)
