"""Inventory: how much of each product to order, day by day, while demand is random.

The rule of `playout_action` orders up to S once no more than s are there or on their way: Scarf, "The
optimality of (s, S) policies in the dynamic inventory problem", 1960.
"""

import math
from itertools import repeat

import numpy as np

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.drawing.shapes import GREY, MARGIN, TEXT, choices, label, rectangle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.option_checks import check_file_alone, check_ranges
from branchwise.problems.csv_rows import Rows, read_rows

MOST_PRODUCTS = 20
RANGES = {
    "demand": (0.01, 200),
    "lead_time": (0, 30),
    "lot": (1, 1000),
    "lots": (1, 100),
    "start": (0, 1000),
    "capacity": (1, 1000),
    "unit_cost": (0, 1e6),
    "holding_cost": (0, 1e6),
    "lost_cost": (0, 1e6),
}
"""What each product has, as options of the class or as columns of a file, with the ranges of their values.

Those between whole numbers are whole numbers."""
_TAIL = 5e-4
"""The probability of demands from the largest on, which count as the largest, is above this."""
_WIDE = 420
_ROW = 46


def _poisson(mean):
    """Return the probability of each demand with this mean; the last one has those of larger ones, too."""
    demands = np.arange(int(mean + 12 * math.sqrt(mean) + 20))
    logs = np.concatenate([[0.0], np.cumsum(np.log(demands[1:]))])
    chances = np.exp(demands * math.log(mean) - mean - logs)
    rest = chances[::-1].cumsum()[::-1]
    kept = chances[rest > _TAIL]
    kept[-1] += max(0.0, 1.0 - kept.sum())
    return kept


def best_levels(chances, lead_time, order_cost, holding_cost, lost_cost, capacity):
    """Return s and S of the best rule (s, S) in the long run, if customers waited for what is missing.

    chances : the probability of each demand of a day. Costs of an order cycle, as in Zheng, Federgruen,
    "Finding optimal (s, S) policies is about as simple as evaluating a single policy", 1991.
    """
    until = chances  # the demand until the next order would arrive
    for _ in range(lead_time):
        until = np.convolve(until, chances)
    left = np.arange(capacity + 1)[:, None] - np.arange(len(until))
    daily = (holding_cost * np.maximum(left, 0) + lost_cost * np.maximum(-left, 0)) @ until
    days = np.zeros(capacity + 1)  # expected days with an order-up-to level minus the stock of each size
    days[0] = 1.0 / (1.0 - chances[0])
    for below in range(1, capacity + 1):
        recent = days[max(0, below - len(chances) + 1) : below][::-1]
        days[below] = recent @ chances[1 : len(recent) + 1] / (1.0 - chances[0])
    length = days.cumsum()
    best = (math.inf, 0, 1)
    for top in range(1, capacity + 1):
        costs = (order_cost + (days[:top] * daily[top:0:-1]).cumsum()) / length[:top]
        place = int(costs.argmin())
        best = min(best, (float(costs[place]), top - 1 - place, top))
    return best[1:]


class Inventory(Game):
    """Order lots of each product in turn; then chance draws how many are asked for.

    Action n orders n lots, which must fit with all that is there and on its way. A day with an order costs
    `order_cost`, and each unit `unit_cost`. An order comes before the demand of the day `lead_time` days
    later: 0 is today. A unit that is left in the evening costs `holding_cost`, one that is asked for in vain
    `lost_cost`. After `days` what is left has no value.

    The demand is a Poisson variable with the mean `demand`, cut off where larger ones are hardly ever asked.
    All `products` are alike, or a CSV `file` has a row for each: `product`, its name, `demand`, and any
    of the columns `lead_time`, `lot`, `lots` (the most in an order), `start`, `capacity`, `unit_cost`,
    `holding_cost` and `lost_cost`, which are otherwise the options of these names.

    >>> state = Inventory.from_actions("+8 -5 +0 -9")
    >>> print(state)
    day 3 of 30: order
    a: 0 in stock, 0 on the way; order up to 24 at 9 or fewer
    >>> state.action_to_string(state.playout_action(None))
    '+16'
    """

    products = 1
    days = 30
    order_cost = 9.0
    demand = 5.0
    lead_time = 1
    lot = 4
    lots = 4
    start = 6
    capacity = 30
    unit_cost = 2.0
    holding_cost = 0.4
    lost_cost = 7.0
    file = ""

    num_players = 1
    playout = "game"
    max_return = 0.0

    day: np.int16 = 0
    turn: np.int16 = 0
    """The product to be ordered; from `num_products` on, the one whose demand is drawn."""
    has_ordered: bool = False
    """Whether the order cost of this day is paid already."""
    stock: Array[np.int16, "num_products"] = 0
    coming: Array[np.int16, "num_products", "longest_lead"] = 0
    """What arrives after the demand of today, of tomorrow, and so on."""

    @classmethod
    def configure(cls):
        check_ranges(cls, products=(1, MOST_PRODUCTS), days=(1, 1000), order_cost=(0, 1e6), **RANGES)
        names = list("abcdefghijklmnopqrst"[: cls.products])
        rows = Rows(cls.name, [0] * len(names), {"product": names})
        if cls.file:
            where = f"inventory(file={cls.file!r})"
            check_file_alone(cls, where, ("products", "demand"), "products")
            rows = read_rows(cls.file, where, ("product", "demand"), [*RANGES][1:], MOST_PRODUCTS)
        cls.names = rows.columns["product"]
        for name, span in RANGES.items():
            whole = isinstance(sum(span), int)
            setattr(cls, f"{name}_of", rows.numbers(name, *span, getattr(cls, name), whole=whole))
        for name, start, most in zip(cls.names, cls.start_of, cls.capacity_of, strict=True):
            if start > most:
                raise GameError(f"inventory: of {name}, {start} do not fit into {most}")
        cls.num_products = len(cls.names)
        cls.longest_lead = max(1, int(cls.lead_time_of.max()))
        cls.num_actions = 1 + int(cls.lots_of.max())
        demands = [_poisson(float(mean)) for mean in cls.demand_of]
        cls.num_outcomes = max(map(len, demands))
        cls.chances = np.stack([np.pad(found, (0, cls.num_outcomes - len(found))) for found in demands])
        margins = np.maximum(0.0, cls.lost_cost_of - cls.unit_cost_of)
        costs = repeat(cls.order_cost), cls.holding_cost_of, margins
        levels = map(best_levels, demands, cls.lead_time_of, *costs, cls.capacity_of)
        cls.reorder_at, cls.up_to = map(np.array, zip(*levels, strict=True))
        cls.max_game_length = cls.days * 2 * cls.num_products
        dearest = np.maximum(cls.holding_cost_of * cls.capacity_of, cls.lost_cost_of * cls.num_outcomes)
        dearest += cls.unit_cost_of * cls.lot_of * cls.lots_of
        cls.min_return = -float(cls.days * (cls.order_cost + dearest.sum()))

    def setup(self):
        self.stock = self.start_of

    def current_player(self):
        return 0 if self.turn < self.num_products else CHANCE

    def position(self, product):
        """Return how much of a product is there or on its way."""
        return self.stock[product] + self.coming[product].sum()

    def legal_actions(self):
        room = self.capacity_of[self.turn] - self.position(self.turn)
        for action in range(min(self.lots_of[self.turn], room // self.lot_of[self.turn]) + 1):
            yield action

    def chance_outcomes(self):
        for demand in range(self.num_outcomes):
            chance = self.chances[self.turn - self.num_products, demand]
            if chance > 0:
                yield demand, chance

    def apply_action(self, action):
        if self.turn < self.num_products:
            return self.order(self.turn, action)
        return self.sell(self.turn - self.num_products, action)

    def order(self, product, lots):
        amount = lots * self.lot_of[product]
        lead = self.lead_time_of[product]
        if lead == 0:
            self.stock[product] += amount
        else:
            self.coming[product, lead - 1] += amount
        cost = self.unit_cost_of[product] * amount
        if lots > 0 and not self.has_ordered:
            cost += self.order_cost
        self.turn += 1
        self.has_ordered = (self.has_ordered or lots > 0) and self.turn < self.num_products
        return -float(cost)

    def sell(self, product, demand):
        lost = max(0, demand - self.stock[product])
        left = max(0, self.stock[product] - demand)
        self.stock[product] = left + self.coming[product, 0]
        self.coming[product, :-1] = self.coming[product, 1:]
        self.coming[product, -1] = 0
        self.turn = (self.turn + 1) % (2 * self.num_products)
        if self.turn == 0:
            self.day += 1
        return -float(self.holding_cost_of[product] * left + self.lost_cost_of[product] * lost)

    def is_terminal(self):
        return self.day == self.days

    def playout_action(self, random):
        """Order up to S, in whole lots, if no more than s are there or on their way."""
        product, there = self.turn, self.position(self.turn)
        if there > self.reorder_at[product]:
            return 0
        lot = self.lot_of[product]
        wanted = max(1, (self.up_to[product] - there + lot // 2) // lot)
        return min(wanted, self.lots_of[product], (self.capacity_of[product] - there) // lot)

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        if self.current_player() == CHANCE:
            return f"-{action}"
        return f"+{action * self.lot_of[self.turn]}"

    def told(self):
        """Return the day and what comes next in words."""
        if self.is_terminal():
            return f"{self.days} days are over"
        product = self.names[self.turn % self.num_products]
        what = "order" if self.turn < self.num_products else "demand"
        of = f" of {product}" if self.num_products > 1 else ""
        return f"day {self.day + 1} of {self.days}: {what}{of}"

    def __str__(self):
        lines = [self.told()]
        for product, name in enumerate(self.names):
            levels = f"order up to {self.up_to[product]} at {self.reorder_at[product]} or fewer"
            coming = self.coming[product].sum()
            lines.append(f"{name}: {self.stock[product]} in stock, {coming} on the way; {levels}")
        return "\n".join(lines)

    def to_grid(self):
        return None

    def to_svg(self):
        """Draw a bar for the stock of each product, and what is on its way, with marks at s and S."""
        scale = _WIDE / max(1, int(self.capacity_of.max()))
        parts = []
        for product, name in enumerate(self.names):
            y, there = MARGIN + product * _ROW, self.stock[product]
            stocked, coming = there * scale, self.coming[product].sum() * scale
            parts += [
                label(MARGIN, y + 14, f"{name}: {there}", colour=TEXT),
                rectangle(MARGIN, y + 20, self.capacity_of[product] * scale, 16, GREY, 0.15),
                rectangle(MARGIN, y + 20, stocked, 16, "#1c7ed6", 0.8),
                rectangle(MARGIN + stocked, y + 20, coming, 16, "#1c7ed6", 0.35),
            ]
            for sign, level in (("s", self.reorder_at[product]), ("S", self.up_to[product])):
                x = MARGIN + level * scale
                parts.append(rectangle(x - 0.5, y + 18, 1, 20, TEXT))
                parts.append(label(x, y + 14, sign, anchor="middle"))
        return choices(self, parts, MARGIN + self.num_products * _ROW, MARGIN + _WIDE, self.told())
