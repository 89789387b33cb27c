"""Reading the files of TSPLIB: cities and the distances between them, and what vehicles carry there.

Formats and rounding: Reinelt, "TSPLIB 95", 1995. Degrees of GEO are truncated, not rounded as the text there
says, because the published optima assume it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from math import acos, ceil, cos, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError
from branchwise.games.option_checks import read_text

MOST_CITIES = 1000
_LARGEST = 10**9
_PI = 3.141592
_EARTH = 6378.388

Place = tuple[float, ...]
"""The coordinates of a city: two, or three where cities are in space."""


@dataclass(frozen=True)
class Cities:
    """The cities of a file, which numbers them from 1: city n of the file is n - 1 here."""

    distances: NDArray[np.int64]
    """[cities, cities]"""
    places: NDArray[np.float64] | None
    """[cities, 2] positions of cities, to the right and downwards; None if the file has none."""


# --- distances ------------------------------------------------------------------------------------------


def euclidean(one: Place, other: Place) -> int:
    """Return the distance in the plane, or in space, rounded to the nearest whole number."""
    return int(sqrt(sum((here - there) ** 2 for here, there in zip(one, other, strict=True))) + 0.5)


def along_streets(one: Place, other: Place) -> int:
    """Return the Manhattan distance: the sum of the differences, rounded to the nearest whole number."""
    return int(sum(abs(here - there) for here, there in zip(one, other, strict=True)) + 0.5)


def longest_side(one: Place, other: Place) -> int:
    """Return the largest difference, each rounded to the nearest whole number."""
    return max(int(abs(here - there) + 0.5) for here, there in zip(one, other, strict=True))


def rounded_up(one: Place, other: Place) -> int:
    """Return the distance in the plane, rounded up."""
    return ceil(sqrt((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2))


def pseudo_euclidean(one: Place, other: Place) -> int:
    """Return the distance used by AT&T's instances."""
    length = sqrt(((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) / 10)
    nearest = int(length + 0.5)
    return nearest + 1 if nearest < length else nearest


def geographical(one: Place, other: Place) -> int:
    """Return the distance in km on the globe; 16.47 is 16 degrees and 47 minutes."""
    (north, east), (other_north, other_east) = map(_radians, one), map(_radians, other)
    q1, q2, q3 = cos(east - other_east), cos(north - other_north), cos(north + other_north)
    inner = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)
    return int(_EARTH * acos(min(1.0, max(-1.0, inner))) + 1.0)


def _radians(degrees: float) -> float:
    whole = int(degrees)
    return _PI * (whole + 5.0 * (degrees - whole) / 3.0) / 180.0


METRICS: dict[str, Callable[[Place, Place], int]] = {
    "ATT": pseudo_euclidean,
    "CEIL_2D": rounded_up,
    "EUC_2D": euclidean,
    "EUC_3D": euclidean,
    "GEO": geographical,
    "MAN_2D": along_streets,
    "MAN_3D": along_streets,
    "MAX_2D": longest_side,
    "MAX_3D": longest_side,
}
EXPLICIT = "EXPLICIT"

FORMATS: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "FULL_MATRIX": lambda row, count: (0, count),
    "LOWER_COL": lambda row, count: (row + 1, count),
    "LOWER_DIAG_COL": lambda row, count: (row, count),
    "LOWER_DIAG_ROW": lambda row, count: (0, row + 1),
    "LOWER_ROW": lambda row, count: (0, row),
    "UPPER_COL": lambda row, count: (0, row),
    "UPPER_DIAG_COL": lambda row, count: (0, row + 1),
    "UPPER_DIAG_ROW": lambda row, count: (row, count),
    "UPPER_ROW": lambda row, count: (row + 1, count),
}
"""The columns given in a row of a matrix, by format: the first, and the end.

Distances are the same in both directions, so the columns of one half are the rows of the other.
"""

# --- files ----------------------------------------------------------------------------------------------

_IGNORED = ("NAME", "COMMENT", "NODE_COORD_TYPE", "DISPLAY_DATA_TYPE")
_REFUSED = {
    "FIXED_EDGES_SECTION": "a trip that has to use given edges",
    "EDGE_DATA_FORMAT": "a graph that lacks edges",
    "EDGE_DATA_SECTION": "a graph that lacks edges",
    "CAPACITY": "vehicles that carry goods",
    "DEMAND_SECTION": "vehicles that carry goods",
    "DEPOT_SECTION": "vehicles that carry goods",
    "TOUR_SECTION": "a trip, not a problem",
}
"""What the other parts of TSPLIB mean."""
_TOLD = ("TYPE", "DIMENSION", "EDGE_WEIGHT_TYPE", "EDGE_WEIGHT_FORMAT")
_SECTIONS = ("NODE_COORD_SECTION", "EDGE_WEIGHT_SECTION", "DISPLAY_DATA_SECTION")
_OF_VEHICLES = ("CAPACITY", "DEMAND_SECTION", "DEPOT_SECTION")
"""What files of CVRP have besides, in the form that CVRPLIB uses."""


@dataclass
class _File:
    """The contents of a file, each with its line number."""

    where: str
    told: dict[str, tuple[str, int]] = field(default_factory=dict)
    sections: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    """The words of each section."""
    begins: dict[str, int] = field(default_factory=dict)
    """The line on which a section begins."""

    def error(self, line: int, what: str, mend: str | None = None) -> GameError:
        return GameError(f"{self.where}, line {line}: {what}", mend=mend)

    def one_of(self, key: str, known: tuple[str, ...]) -> str:
        """Return the value of `key`, which must be a supported one."""
        if key not in self.told:
            raise GameError(f"{self.where} has no {key}", mend=f"supported: {', '.join(known)}")
        value, line = self.told[key]
        if value not in known:
            raise self.error(
                line, f"{key} is {value}, which is not supported", f"supported: {', '.join(known)}"
            )
        return value

    def unused(self, name: str, why: str) -> None:
        """Raise `GameError` if the file has a section that would not be read."""
        if name in self.sections:
            raise self.error(self.begins[name], f"{name} does not belong here: {why}")

    def section(self, name: str, words: int, what: str) -> list[tuple[str, int]]:
        """Return the words of a section, which must have exactly `words` of them."""
        if name not in self.sections:
            raise GameError(f"{self.where} has no {name}")
        found = self.sections[name]
        if len(found) < words:
            last = found[-1][1] if found else self.begins[name]
            raise self.error(last, f"{name} ends after {len(found)} numbers, not {words}: {what}")
        if len(found) > words:
            text, line = found[words]
            raise self.error(line, f"{name} continues with {text!r} after {words} numbers: {what}")
        return found


def read_cities(file: str, where: str) -> Cities:
    """Return the cities of a TSPLIB file.

    where : description of the source, for errors. Raises `GameError` for a file that cannot be read or has an
    unsupported format.
    """
    # Comments may be in any encoding; whatever is read is ASCII.
    read = _split(read_text(file, where, errors="replace"), where)
    read.one_of("TYPE", ("TSP",))
    return _cities(read, _dimension(read))


def read_stops(file: str, where: str) -> tuple[Cities, NDArray[np.float64], float]:
    """Return the depot and the stops of a file of CVRP, their demands, and the capacity of a vehicle.

    The depot comes first. Raises `GameError` as `read_cities` does.
    """
    read = _split(read_text(file, where, errors="replace"), where, _OF_VEHICLES)
    read.one_of("TYPE", ("CVRP",))
    count = _dimension(read)
    found = _cities(read, count)
    if "CAPACITY" not in read.told:
        raise GameError(f"{where} has no CAPACITY")
    capacity = _number(read, *read.told["CAPACITY"])
    demands = _places(read, count, "DEMAND_SECTION", 1)[:, 0]
    (depot, line), (end, _) = read.section("DEPOT_SECTION", 2, "one depot, and -1")
    if not (depot.isdecimal() and 1 <= int(depot[:9]) <= count) or end != "-1":
        raise read.error(line, f"the depot {depot!r} is not from 1 to {count}, with -1 after it")
    order = np.roll(np.arange(count), 1 - int(depot))
    order[1:].sort()
    places = None if found.places is None else found.places[order]
    return Cities(found.distances[np.ix_(order, order)], places), demands[order], capacity


def _cities(read: _File, count: int) -> Cities:
    """Return the cities that the sections of a file tell."""
    kind = read.one_of("EDGE_WEIGHT_TYPE", (*sorted(METRICS), EXPLICIT))
    if kind == EXPLICIT:
        form = read.one_of("EDGE_WEIGHT_FORMAT", tuple(FORMATS))
        read.unused("NODE_COORD_SECTION", f"EDGE_WEIGHT_TYPE {kind} has distances, not coordinates")
        distances = _matrix(read, count, form)
    else:
        read.unused("EDGE_WEIGHT_SECTION", f"EDGE_WEIGHT_TYPE {kind} has coordinates, not distances")
        if "EDGE_WEIGHT_FORMAT" in read.told:
            read.one_of("EDGE_WEIGHT_FORMAT", ("FUNCTION",))
        places = _places(read, count, "NODE_COORD_SECTION", 3 if kind.endswith("3D") else 2)
        distances = distances_of(places, METRICS[kind])
    if "DISPLAY_DATA_SECTION" in read.sections:  # only for pictures
        return Cities(distances, _places(read, count, "DISPLAY_DATA_SECTION"))
    if kind == EXPLICIT:
        return Cities(distances, None)
    if kind == "GEO":  # north, east
        return Cities(distances, np.stack([places[:, 1], -places[:, 0]], axis=1))
    return Cities(distances, places[:, :2] * [1, -1])


def distances_of(places: NDArray[np.float64], metric: Callable[[Place, Place], int]) -> NDArray[np.int64]:
    """Return the distances between places."""
    distances = np.zeros((len(places), len(places)), np.int64)
    points = [tuple(map(float, place)) for place in places]
    for (i, one), (j, other) in combinations(enumerate(points), 2):
        distances[i, j] = distances[j, i] = metric(one, other)
    return distances


def _split(text: str, where: str, others: tuple[str, ...] = ()) -> _File:
    """Sort the lines of a file by key and by section; others : keys and sections to be read besides."""
    told, sections = (
        [*usual, *(key for key in others if key.endswith("_SECTION") == is_section)]
        for usual, is_section in ((_TOLD, False), (_SECTIONS, True))
    )
    read = _File(where)
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not key and not colon:
            continue
        if key == "EOF":
            break
        if key in sections:
            if key in read.sections:
                raise read.error(number, f"{key} is given twice")
            section = key
            read.sections[section], read.begins[section] = [], number
        elif key in told and colon:
            if key in read.told:
                raise read.error(number, f"{key} is given twice")
            first = value.split()[:1] if key == "TYPE" else [value]  # a type may be followed by a name
            read.told[key], section = (first[0] if first else "", number), ""
        elif key in _IGNORED and colon:
            section = ""
        elif key in _REFUSED:
            known = (*told, *sections)
            problem = f"{key} stands for {_REFUSED[key]}, which is not supported"
            raise read.error(number, problem, f"supported: {', '.join(known)}")
        elif section and not colon and not key[0].isalpha():
            read.sections[section] += [(word, number) for word in line.split()]
        else:
            raise read.error(number, f"{line.strip()[:40]!r} cannot be read", "TSPLIB 95 defines the format")
    return read


def _dimension(read: _File) -> int:
    if "DIMENSION" not in read.told:
        raise GameError(f"{read.where} has no DIMENSION")
    value, line = read.told["DIMENSION"]
    if not (value.isascii() and value.isdecimal() and 3 <= int(value[:9]) <= MOST_CITIES):
        raise read.error(line, f"DIMENSION is {value[:40]!r}, not a number of cities from 3 to {MOST_CITIES}")
    return int(value)


def _places(read: _File, count: int, section: str, size: int = 2) -> NDArray[np.float64]:
    """Return the coordinates of each city, `size` of them."""
    step = 1 + size
    words = read.section(
        section,
        step * count,
        f"{count} cities with {('one number', 'two coordinates', 'three coordinates')[size - 1]} each",
    )
    places = np.full((count, size), np.nan)
    for first in range(0, step * count, step):
        name, line = words[first]
        if not (name.isascii() and name.isdecimal() and 1 <= int(name[:9]) <= count):
            raise read.error(line, f"city {name!r} is not from 1 to {count}")
        if not np.isnan(places[int(name) - 1, 0]):
            raise read.error(line, f"city {name} is given twice")
        places[int(name) - 1] = [_number(read, *words[first + i]) for i in range(1, step)]
    return places


def _number(read: _File, word: str, line: int) -> float:
    try:
        value = float(word)
    except ValueError:
        value = float("nan")
    if not (isfinite(value) and abs(value) <= _LARGEST):
        raise read.error(line, f"{word!r} is not a number up to 1e9")
    return value


def _matrix(read: _File, count: int, form: str) -> NDArray[np.int64]:
    """Return the distances of an explicit matrix, which must be symmetric."""
    columns = FORMATS[form]
    cells = [(row, column) for row in range(count) for column in range(*columns(row, count))]
    words = read.section("EDGE_WEIGHT_SECTION", len(cells), f"{form} of {count} cities")
    distances = np.full((count, count), -1, np.int64)
    for (row, column), (word, line) in zip(cells, words, strict=True):
        if not (word.isascii() and word.isdecimal() and int(word[:12]) <= _LARGEST):
            raise read.error(line, f"{word!r} is not a whole number from 0 to 1e9")
        distance = int(word)
        if row != column:
            back = distances[column, row]
            if back not in (-1, distance):
                raise read.error(
                    line,
                    f"it is {distance} from city {row + 1} to {column + 1}, but {back} back",
                    "only distances that are the same in both directions are read",
                )
            distances[row, column] = distances[column, row] = distance
    np.fill_diagonal(distances, 0)
    return distances
