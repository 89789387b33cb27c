"""Vehicle routing: short routes from a depot to all stops, by vehicles that hold only so much.

Reads the files of CVRPLIB (`problems.tsplib_reader`), and tables of stops. `prior` prefers near stops, and
the depot when little room is left. `improve` is local search (`problems.trips`).
"""

import re
from html import escape
from itertools import pairwise

import numpy as np

from branchwise.common.errors import GameError
from branchwise.drawing.shapes import MARGIN, TEXT, disc, label, line, picture, rectangle
from branchwise.game.kinds.fields import Array
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.option_checks import check_file_alone, check_ranges
from branchwise.problems.csv_rows import read_rows
from branchwise.problems.maps import WIDE, on_a_circle, on_a_map, random_places, spot
from branchwise.problems.trips import shortened
from branchwise.problems.tsplib_reader import MOST_CITIES, distances_of, euclidean, read_stops

TOO_MANY = 1_000_000.0
"""Cost of each route more than there are vehicles."""
DEPOT = "depot"
_SQUARE = 100
_MOST_ASKED = 15
_TURN = 137.508
"""Degrees between the hues of routes, so that neighbours differ."""


class VehicleRouting(OnePlayer, Game):
    """Action n drives to stop n, and 0 back to the depot, from where the next vehicle starts.

    Each drive costs its distance; the last stop also pays the way back. What the stops of a route ask for
    must not exceed `capacity`. With a number of `vehicles`, each route more costs a million; 0 is any number.

    Without a file, `stops` lie at random in a square of 100 by 100, and ask for 1 to 15 each. Two kinds of
    files are read: those of CVRPLIB, which end in `.vrp` and have their own capacity; and CSV files with the
    columns `x`, `y` and `demand`, and perhaps `stop`, a name. Their first row is the depot, which asks for 0.

    >>> state = VehicleRouting.configured(stops=5, capacity=20).from_actions("2 1 depot 5")
    >>> print(state)
    vehicle 1: 2 1, load 18 of 20, length 188
    vehicle 2: 5, load 1 of 20, length 17 so far
    2 vehicles, length 205, 2 to come
    to come: 3 4
    """

    stops = 20
    seed = 1
    capacity = 50.0
    vehicles = 0
    file = ""
    closeness = 4.0
    """How strongly `prior` prefers near stops."""

    max_return = 0.0

    here: np.int16 = 0
    load: np.float64 = 0.0
    routes: np.int16 = 1
    """The number of the vehicle that is on its way."""
    left: np.int16 = 0
    """Stops to come."""
    moves: np.int16 = 0
    seen: Array[np.bool_, "num_actions"] = False
    order: Array[np.int16, "max_game_length"] = 0
    """The actions so far."""

    @classmethod
    def configure(cls):
        check_ranges(cls, closeness=(0, 100), capacity=(1e-9, 1e9), vehicles=(0, MOST_CITIES))
        cls.names, cls.holds, cls.most = None, cls.capacity, 0.0
        if cls.file:
            where = f"vehicle_routing(file={cls.file!r})"
            is_table = not cls.file.lower().endswith(".vrp")
            replaced = ("stops", "seed") if is_table else ("stops", "seed", "capacity")
            check_file_alone(cls, where, replaced, "stops")
            if is_table:
                cls.read_table(where)
            else:
                found, demands, cls.holds = read_stops(cls.file, where)
                cls.set_stops(found.distances, found.places, demands, where)
        else:
            check_ranges(cls, stops=(1, MOST_CITIES - 1))
            random = Random(cls.seed)
            places = random_places(random, cls.stops + 1, _SQUARE)
            demands = np.array([0, *(1 + random.below(_MOST_ASKED) for _ in range(cls.stops))], float)
            cls.set_stops(distances_of(places, euclidean), places, demands, "vehicle_routing")

    @classmethod
    def read_table(cls, where):
        """Take the stops of a CSV file; their distances are not rounded."""
        rows = read_rows(cls.file, where, ("x", "y", "demand"), ("stop",), MOST_CITIES)
        places = np.stack([rows.numbers(axis, -1e9, 1e9) for axis in ("x", "y")], axis=1)
        demands = rows.numbers("demand", 0, cls.capacity)
        if "stop" in rows.columns:
            cls.names = [re.sub(r"\s+", "_", name) for name in rows.columns["stop"]]
            for place, name in enumerate(cls.names):
                if not name or name.lower() in [other.lower() for other in cls.names[:place]]:
                    raise GameError(
                        f"{where}, line {rows.lines[place]}: the name {name!r} is empty or not new"
                    )
        distances = np.hypot(*(places[:, None] - places).T)
        cls.set_stops(distances, places * [1, -1], demands, where)

    @classmethod
    def set_stops(cls, distances, places, demands, where):
        """Note where the stops are; without places, pictures show them on a circle."""
        count = len(distances)
        if count < 2:
            raise GameError(f"{where} has no stops", mend="the first place is the depot")
        if demands[0] != 0:
            raise GameError(f"{where}: the depot asks for {demands[0]:g}", mend="its demand is 0")
        for stop in np.flatnonzero((demands < 0) | (demands > cls.holds)):
            raise GameError(f"{where}: stop {stop} asks for {demands[stop]:g}, not 0 to {cls.holds:g}")
        cls.places = on_a_circle(count) if places is None else places
        cls.demands, cls.distances = demands, np.array(distances, float)
        if cls.names is None:
            cls.names = [DEPOT, *map(str, range(1, count))]
        cls.num_actions, cls.max_game_length = count, 2 * count - 3
        cls.most = cls.holds * (1 + 1e-9)  # whatever the order in which demands are added up
        dearest = 2.0 * cls.distances.max(axis=1).sum() + (TOO_MANY * count if cls.vehicles else 0.0)
        cls.min_return = -float(dearest)
        others = np.where(np.eye(count, dtype=bool), np.inf, cls.distances)
        near = max(1e-9, float(others.min(axis=1).mean()))
        others[:, 0] = np.inf
        detours = cls.distances - np.where(count > 2, others, 0.0).min(axis=1)[:, None]
        cls.liking = np.exp(-np.clip(cls.closeness * detours / near, 0.0, 300.0))

    def setup(self):
        self.left = self.num_actions - 1

    def legal_actions(self):
        if self.here != 0:
            yield 0
        for stop in range(1, self.num_actions):
            if not self.seen[stop] and self.load + self.demands[stop] <= self.most:
                yield stop

    def apply_action(self, action):
        cost = self.distances[self.here, action]
        self.order[self.moves] = action
        self.moves += 1
        self.here = action
        if action == 0:
            self.load = 0.0
            self.routes += 1
            if self.vehicles > 0 and self.routes > self.vehicles:
                cost += TOO_MANY
        else:
            self.load += self.demands[action]
            self.seen[action] = True
            self.left -= 1
            if self.left == 0:
                cost += self.distances[action, 0]
        return -float(cost)

    def is_terminal(self):
        return self.left == 0

    def action_code(self, action):
        return self.here * self.num_actions + action

    def prior(self, action):
        if action == 0:
            return (self.load / self.holds) ** 4
        return self.liking[self.here, action]

    def improve(self, line):
        trip = np.concatenate([[0], self.order[: self.moves], line]).astype(np.int64)
        trip = shortened(trip, self.distances, 1 + int(self.moves), 3, self.demands, self.holds)
        again = [stop for before, stop in pairwise(trip.tolist()) if before or stop]
        while again[-1] == 0:
            again.pop()
        return again[self.moves :]

    # --- names, plans and pictures --------------------------------------------------------------------

    def action_to_string(self, action):
        return self.names[action]

    def plan_row(self, action):
        return {
            "vehicle": int(self.routes),
            "stop": self.names[action],
            "load": float(self.load + self.demands[action]) if action else 0.0,
            "distance": float(self.distances[self.here, action]),
        }

    def ways(self):
        """Return the places that each vehicle has been to so far, from the depot on."""
        found = [[0]]
        for place in self.order[: self.moves].tolist():
            found[-1].append(place)
            if place == 0:
                found.append([0])
        if self.is_terminal():
            found[-1].append(0)
        return found

    def length(self, way):
        """Return the length of a way."""
        return self.distances[way[:-1], way[1:]].sum().item()

    def told(self):
        """Return the progress so far in words."""
        total = sum(map(self.length, self.ways()))
        vehicles = f"{self.routes} vehicle{'s' if self.routes > 1 else ''}"
        return f"{vehicles}, length {total:.6g}" + (f", {self.left} to come" if self.left else "")

    def __str__(self):
        lines = []
        for vehicle, way in enumerate(self.ways(), start=1):
            stops = " ".join(self.names[place] for place in way if place)
            load = f"load {self.demands[way].sum():g} of {self.holds:g}"
            rest = "" if way[1:][-1:] == [0] else " so far"
            lines.append(f"vehicle {vehicle}: {stops}, {load}, length {self.length(way):.6g}{rest}")
        lines.append(self.told())
        if self.left:
            missing = [self.names[stop] for stop in range(1, self.num_actions) if not self.seen[stop]]
            lines.append("to come: " + " ".join(missing))
        return "\n".join(lines)

    def to_svg(self):
        """Draw a map with a colour for each vehicle, a legend, and a button at each stop that can be next."""
        legal = [] if self.is_terminal() else self.legal_actions()
        at, bottom = on_a_map(self.places)
        parts, spots = [], []
        for vehicle, way in enumerate(self.ways()):
            colour = f"hsl({vehicle * _TURN % 360:.0f} 65% {(42, 52)[vehicle % 2]}%)"
            parts.append(line([tuple(at[place]) for place in way], colour))
            load, length = self.demands[way].sum(), self.length(way)
            x, y = MARGIN + WIDE / 2 * (vehicle % 2), bottom + 46 + 20 * (vehicle // 2)
            told = f"vehicle {vehicle + 1}: load {load:g}, length {length:.6g}"
            parts.append(rectangle(x, y - 10, 12, 12, colour) + label(x + 18, y, told, colour=TEXT))
            for stop in filter(None, way):
                x, y = at[stop]
                told = f"<title>{escape(self.names[stop])}, asks for {self.demands[stop]:g}</title>"
                name = label(x + 6, y - 4, self.names[stop], colour=TEXT)
                spots.append(f'<g font-size="10">{told}{disc(x, y, 4, colour)}{name}</g>')
        parts += spots
        for stop in np.flatnonzero(~self.seen).tolist():
            name, opacity = (self.names[stop], 0.3) if stop else ("", 1.0)
            parts.append(spot(at[stop], name, stop if stop in legal else None, opacity))
        parts.append(label(MARGIN, bottom + 24, self.told()))
        least = int(-(-self.demands.sum() // self.holds)) + 1
        rows = -(-max(least, int(self.routes)) // 2)
        return picture(WIDE + 2 * MARGIN, bottom + 46 + 20 * rows, parts)
