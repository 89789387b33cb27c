"""Micro grid: run a battery for a day, with solar panels, a few houses and a changing price of power.

A small version of the storage problems of Salas, Powell, "Benchmarking a scalable approximate dynamic
programming algorithm for stochastic control of grid-level energy storage", 2018: sun, price and demand are
Markov chains around a daily profile, so that the best policy can be computed exactly.
"""

import math

import numpy as np

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.drawing.grid import PLAYER_COLOURS, Cell, Grid
from branchwise.drawing.shapes import GREY, MARGIN, choices, label, line, rectangle
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.option_checks import check_ranges

HOURS = 24
LOW, NORMAL, HIGH = range(3)

# fmt: off
USUAL_DEMAND = np.array([
    1.2, 1.0, 1.0, 1.0, 1.1, 1.5, 2.6, 3.6, 3.4, 2.6, 2.3, 2.4,
    2.7, 2.5, 2.2, 2.2, 2.5, 3.3, 4.4, 5.0, 4.6, 3.6, 2.4, 1.6,
])
"""Demand of the houses in kilowatts, by hour."""
USUAL_PRICE = np.array([
    0.15, 0.14, 0.13, 0.13, 0.14, 0.17, 0.24, 0.30, 0.29, 0.25, 0.22, 0.20,
    0.18, 0.17, 0.18, 0.21, 0.26, 0.33, 0.38, 0.40, 0.35, 0.28, 0.21, 0.17,
])
"""Price of a kilowatt-hour, by hour."""
# fmt: on
CLEAR_SUN = np.array([6.0 * max(math.sin(math.pi * (hour - 6) / 12), 0.0) for hour in range(HOURS)])
"""Kilowatts from the panels under a clear sky, by hour: a sine from six to six."""

DEMAND_SHARES = (0.75, 1.0, 1.25)
PRICE_SHARES = (0.6, 1.0, 1.6)
SUN_SHARES = (0.15, 0.55, 1.0)
"""Factors of the above when demand, price or sun is low, normal or high."""

STAY = np.array([[0.8, 0.2, 0.0], [0.1, 0.8, 0.1], [0.0, 0.2, 0.8]])
"""[now, next hour]: transition probability of demand, price and sun, which change independently."""

SOLD = 0.4
"""Revenue of a kilowatt-hour fed into the grid, as a share of the price."""
LEFT_OVER = 0.14
"""Value of a kilowatt-hour left in the battery at midnight."""
CHEAP, DEAR = 0.15, 0.27
"""Prices at which the rule charges and discharges."""

LEVELS = ("low", "normal", "high")
SCALE_X, SCALE_Y = 20.0, 20.0
"""Pixels per hour and per kilowatt."""
FLOOR = MARGIN + 7 * SCALE_Y


class MicroGrid(OnePlayer, Game):
    """Each hour, action a changes the battery's charge by a - `power` kilowatt-hours.

    Before that, chance draws the hour's demand, price and sun, each low, normal or high: outcome
    9 * demand + 3 * price + sun. Power that houses and battery need beyond the sun's is bought; surplus solar
    power is sold, for less. The reward is revenue minus cost. In playouts "game" a rule charges when power is
    cheap and discharges when it is expensive.

    capacity : kilowatt-hours in a full battery; at first it is half full.
    power : maximum change of the charge, in kilowatt-hours per hour.
    efficiency : storing a kilowatt-hour takes 1 / efficiency, and drawing one gives `efficiency`.

    >>> state = MicroGrid.from_actions([13])  # all normal
    >>> print(state.told())
    0:00, demand normal 1.2 kW, sun normal 0.0 kW, price normal 0.15; battery 5 of 10 kWh
    >>> print(f"{state.apply_action(4):.4f}")  # charges two
    -0.5133
    """

    capacity = 10
    power = 2
    efficiency = 0.9

    num_outcomes = 27
    max_game_length = 2 * HOURS
    playout = "game"

    hour: np.int8 = 0
    charge: np.int16 = 0
    demand: np.int8 = NORMAL
    price: np.int8 = NORMAL
    sun: np.int8 = NORMAL
    drawing: bool = True
    """Whether chance draws the hour's demand, price and sun."""

    @classmethod
    def configure(cls):
        check_ranges(cls, capacity=(1, 1000), power=(1, cls.capacity))
        if not 0 < cls.efficiency <= 1:
            raise GameError(f"micro_grid(efficiency={cls.efficiency}) is not above 0, at most 1")
        cls.num_actions = 2 * cls.power + 1

    def setup(self):
        self.charge = self.capacity // 2

    def current_player(self):
        return CHANCE if self.drawing else 0

    def chance_outcomes(self):
        for demand in range(3):
            for price in range(3):
                for sun in range(3):
                    chance = STAY[self.demand, demand] * STAY[self.price, price] * STAY[self.sun, sun]
                    if chance > 0:
                        yield 9 * demand + 3 * price + sun, chance

    def legal_actions(self):
        for action in range(self.num_actions):
            if 0 <= self.charge + action - self.power <= self.capacity:
                yield action

    def apply_action(self, action):
        if self.drawing:
            self.demand, self.price, self.sun = action // 9, action // 3 % 3, action % 3
            self.drawing = False
            return 0.0
        change = action - self.power
        earned = self.earned(change)
        self.charge += change
        self.hour += 1
        self.drawing = self.hour < HOURS
        return earned + LEFT_OVER * self.charge if self.hour == HOURS else earned

    def is_terminal(self):
        return self.hour == HOURS

    def earned(self, change):
        """Return the revenue of an hour minus its cost, if the charge changes by `change`."""
        battery = change / self.efficiency if change > 0 else change * self.efficiency
        bought = self.need() + battery
        return -bought * self.price_now() * (1.0 if bought > 0 else SOLD)

    def need(self):
        """Return the houses' demand minus solar power, in kilowatts; negative for a surplus."""
        demand = USUAL_DEMAND[self.hour] * DEMAND_SHARES[self.demand]
        return demand - CLEAR_SUN[self.hour] * SUN_SHARES[self.sun]

    def price_now(self):
        return USUAL_PRICE[self.hour] * PRICE_SHARES[self.price]

    def playout_action(self, random):
        """Charge surplus solar power and when power is cheap, and discharge when it is expensive."""
        need = self.need()
        most, least = min(self.power, self.capacity - self.charge), -min(self.power, self.charge)
        change = 0
        if self.price_now() <= CHEAP:
            change = most
        elif need < 0:
            change = min(int(-need * self.efficiency), most)
        elif self.price_now() >= DEAR:
            change = max(-int(need / self.efficiency), least)
        return change + self.power

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        if self.drawing:
            return "".join("lnh"[level] for level in (action // 9, action // 3 % 3, action % 3))
        change = action - self.power
        return f"store{change}" if change > 0 else f"draw{-change}" if change else "hold"

    def told(self):
        """Return the state in words."""
        battery = f"battery {self.charge} of {self.capacity} kWh"
        if self.is_terminal():
            return f"midnight; {battery}"
        if self.drawing:
            levels = (LEVELS[level] for level in (self.demand, self.sun, self.price))
            return "{}:00, before: demand {}, sun {}, price {}; {}".format(self.hour, *levels, battery)
        demand = USUAL_DEMAND[self.hour] * DEMAND_SHARES[self.demand]
        sun = CLEAR_SUN[self.hour] * SUN_SHARES[self.sun]
        power = f"demand {LEVELS[self.demand]} {demand:.1f} kW, sun {LEVELS[self.sun]} {sun:.1f} kW"
        return f"{self.hour}:00, {power}, price {LEVELS[self.price]} {self.price_now():.2f}; {battery}"

    def to_grid(self):
        filled = round(10 * self.charge / self.capacity)
        cells = tuple(Cell("#", owner=0) if place < filled else Cell(".") for place in range(10))
        return Grid((cells,), ("",) * 10, ("battery",), beneath=(self.told(),))

    def to_svg(self):
        """Draw the usual day, the hour and the battery, and a button for each choice or outcome."""
        now = MARGIN + self.hour * SCALE_X
        right = MARGIN + HOURS * SCALE_X

        def curve(values, scale):
            return [
                (MARGIN + (hour + 0.5) * SCALE_X, FLOOR - value * scale) for hour, value in enumerate(values)
            ]

        parts = [rectangle(MARGIN, MARGIN, HOURS * SCALE_X, FLOOR - MARGIN, GREY, 0.1)]
        if not self.is_terminal():
            parts.append(rectangle(now, MARGIN, SCALE_X, FLOOR - MARGIN, GREY, 0.25))
            if not self.drawing:
                sun = CLEAR_SUN[self.hour] * SUN_SHARES[self.sun] * SCALE_Y
                demand = USUAL_DEMAND[self.hour] * DEMAND_SHARES[self.demand] * SCALE_Y
                parts.append(rectangle(now + 1, FLOOR - sun, SCALE_X / 2 - 1, sun, "#fab005"))
                half = now + SCALE_X / 2
                parts.append(rectangle(half, FLOOR - demand, SCALE_X / 2 - 1, demand, PLAYER_COLOURS[1]))
        parts += [
            line(curve(CLEAR_SUN, SCALE_Y), "#fab005"),
            line(curve(USUAL_DEMAND, SCALE_Y), PLAYER_COLOURS[1]),
            line(curve(USUAL_PRICE, 10 * SCALE_Y), GREY),
        ]
        for place, (name, colour) in enumerate(
            (("sun", "#fab005"), ("demand", PLAYER_COLOURS[1]), ("price", GREY))
        ):
            parts.append(label(MARGIN + 6 + 70 * place, MARGIN + 16, name, colour=colour))
        height = FLOOR - MARGIN
        full = height * self.charge / self.capacity
        parts.append(rectangle(right + 12, MARGIN, 30, height, GREY, 0.25))
        parts.append(rectangle(right + 12, FLOOR - full, 30, full, "#2b8a3e"))
        return choices(self, parts, FLOOR, right + 150, self.told())
