"""The travelling salesman: a short round trip through all cities.

Reads the files of TSPLIB (`problems.tsplib_reader`). `prior` prefers near cities, as the bias of GNRPA does
in Cazenave, "Generalized nested rollout policy adaptation", 2020. `improve` is local search
(`problems.trips`).
"""

import numpy as np

from branchwise.drawing.grid import PLAYER_COLOURS
from branchwise.drawing.shapes import MARGIN, disc, label, line, picture
from branchwise.game.kinds.fields import Array
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.option_checks import check_file_alone, check_ranges
from branchwise.problems.maps import WIDE, on_a_circle, on_a_map, random_places, spot
from branchwise.problems.trips import shortened
from branchwise.problems.tsplib_reader import MOST_CITIES, distances_of, euclidean, read_cities

_SQUARE = 1000


class TSP(OnePlayer, Game):
    """Action n goes to city n, which costs its distance; the last one also pays the way back.

    The trip begins in city 0, which people call 1. Without a file, `cities` lie at random in a square of
    1,000 by 1,000, and distances are rounded to whole numbers.

    >>> state = TSP.configured(cities=5).from_actions("3 5 2")
    >>> print(state)
    trip: 1 3 5 2
    length: 2547
    to come: 4
    >>> state.play("4")
    3
    >>> print(state)
    trip: 1 3 5 2 4 1
    length: 3808
    """

    cities = 20
    seed = 1
    file = ""
    closeness = 4.0
    """How strongly `prior` prefers near cities."""

    max_return = 0.0

    city: np.int16 = 0
    seen: Array[np.bool_, "num_actions"] = False
    order: Array[np.int16, "num_actions"] = 0
    """The cities of the trip so far."""
    visited: np.int16 = 1

    @classmethod
    def configure(cls):
        check_ranges(cls, closeness=(0, 100))
        if cls.file:
            where = f"tsp(file={cls.file!r})"
            check_file_alone(cls, where, ("cities", "seed"), "cities")
            found = read_cities(cls.file, where)
            distances, places = found.distances, found.places
        else:
            check_ranges(cls, cities=(3, MOST_CITIES))
            places = random_places(Random(cls.seed), cls.cities, _SQUARE)
            distances = distances_of(places, euclidean)
        cls.set_cities(distances, places)
        others = np.array([np.delete(row, place) for place, row in enumerate(distances)])
        cls.min_return = 0.0 - float(others.max(axis=1).sum())
        near = max(1.0, float(others.min(axis=1).mean()))
        detours = distances - others.min(axis=1)[:, None]
        cls.liking = np.exp(-np.minimum(cls.closeness * detours / near, 300.0))

    @classmethod
    def set_cities(cls, distances, places):
        """Note where the cities are; without places, pictures show them on a circle."""
        count = len(distances)
        cls.num_actions, cls.max_game_length = count, count - 1
        cls.distances = distances
        cls.places = on_a_circle(count) if places is None else places

    def setup(self):
        self.seen[0] = True

    def legal_actions(self):
        for city in range(1, self.num_actions):
            if not self.seen[city]:
                yield city

    def apply_action(self, action):
        cost = self.distances[self.city, action]
        self.city = action
        self.seen[action] = True
        self.order[self.visited] = action
        self.visited += 1
        if self.visited == self.num_actions:
            cost += self.distances[action, 0]
        return -float(cost)

    def is_terminal(self):
        return self.visited == self.num_actions

    def action_code(self, action):
        return self.city * self.num_actions + action

    def prior(self, action):
        return self.liking[self.city, action]

    def improve(self, line):
        trip = np.concatenate([self.order[: self.visited], line])
        return shortened(trip, self.distances, int(self.visited))[self.visited :].tolist()

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return str(action + 1)

    def trip(self):
        """Return the cities so far; when all are visited, the first comes again at the end."""
        cities = self.order[: self.visited].tolist()
        return [*cities, 0] if self.is_terminal() else cities

    def length(self):
        """Return the length of the trip so far."""
        cities = self.trip()
        return self.distances[cities[:-1], cities[1:]].sum().item()

    def told(self):
        """Return the progress so far in words."""
        return f"length {self.length()}, {self.num_actions - self.visited} to come"

    def __str__(self):
        lines = ["trip: " + " ".join(str(city + 1) for city in self.trip()), f"length: {self.length()}"]
        if not self.is_terminal():
            lines.append("to come: " + " ".join(str(city + 1) for city in self.legal_actions()))
        return "\n".join(lines)

    def to_svg(self):
        """Draw a map with the trip, and a button at each unvisited city."""
        at, bottom = on_a_map(self.places)
        parts = [line([tuple(at[city]) for city in self.trip()], PLAYER_COLOURS[1])]
        for city, (x, y) in enumerate(at):
            if self.seen[city]:
                parts.append(disc(x, y, 6 if city == self.city else 4, PLAYER_COLOURS[0 if city == 0 else 1]))
            else:
                parts.append(spot((x, y), str(city + 1), city))
        parts.append(label(MARGIN, bottom + 24, self.told()))
        return picture(WIDE + 2 * MARGIN, bottom + 40, parts)
