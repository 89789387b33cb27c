"""PocMan: mazes, ghosts, what PocMan senses, and beliefs about what it does not see."""

from collections import Counter

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.queries.checked_games import CompiledState
from branchwise.problems.pocman import (
    EMPTY,
    FOOD,
    HEARS,
    KNOWN,
    NOWHERE,
    OPEN,
    SEES,
    SMELLS,
    SMELT,
    Pocman,
    describe,
)
from branchwise.problems.pocman_maze import MAZES, WALL, read_maze
from support.rows import slow

NORTH, EAST, SOUTH, WEST = range(4)
ROOM = "#######/#-----#/#-----#/#--P--#/#-----#/#.---A#/#######"
"""Five by five, PocMan in the middle: square 12."""
CORRIDOR = "########/#P----A#/#.######/########"


class Fixed:
    """Random numbers that are given: `uniform` returns them in turn, and `below` its share of the bound."""

    def __init__(self, *shares):
        self.shares = list(shares)

    def uniform(self):
        return self.shares.pop(0)

    def below(self, bound):
        return int(self.uniform() * bound)


def room(*ghosts, maze=ROOM, place=12, **fields):
    """Return a state with one ghost per given square, PocMan at `place`, and no food in the room."""
    rows = maze.replace("A", "-").split("/")
    options = {name: fields.pop(name) for name in ("bumps", "chase_chance", "ghost_range") if name in fields}
    for number, _ in enumerate(ghosts):  # where they begin does not matter
        line, at = rows[1], rows[1].index("-")
        rows[1] = line[:at] + "ABCD"[number] + line[at + 1 :]
    game = Pocman.configured(maze="/".join(rows), food_chance=1.0, **options)
    state = game(**{"place": place, "food_left": 5, **fields})
    state.ghosts[:] = ghosts
    state.ground[:] = EMPTY
    return state


# --- mazes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("maze", "shape", "squares", "food", "pills", "ghosts", "reach"),
    [
        ("full", (19, 17), 189, 153, 4, 4, 6),
        ("mini", (10, 10), 66, 62, 0, 3, 4),
        ("micro", (7, 7), 40, 40, 0, 1, 3),
    ],
)
def test_published_mazes_have_as_many_squares_as_in_the_authors_program(
    maze, shape, squares, food, pills, ghosts, reach
):
    game = Pocman.configured(maze=maze)
    assert game.plan.squares.shape == (shape[0] + 2, shape[1] + 2)
    assert (game.num_squares, len(game.may_have_food), int(game.is_pill.sum())) == (squares, food, pills)
    assert (game.num_ghosts, game.chase_range) == (ghosts, reach)


@pytest.mark.parametrize(("maze", "row"), [("full", 9), ("mini", 5)])
def test_a_passage_leads_from_one_side_to_the_other_and_nothing_else_does(maze, row):
    game = Pocman.configured(maze=maze)
    width = game.plan.squares.shape[1]
    left, right = (int(game.plan.squares[row, column]) for column in (1, width - 2))
    assert (game.ways[left, WEST], game.ways[right, EAST]) == (right, left)
    jumps = [
        square
        for square in range(game.num_squares)
        for way in game.ways[square]
        if way != WALL and abs(game.column[way] - game.column[square]) > 1
    ]
    assert jumps == [left, right]
    assert game.sight[left, WEST] == 0


@pytest.mark.parametrize("maze", ["full", "mini", "micro"])
def test_each_step_of_a_published_maze_can_be_taken_back(maze):
    game = Pocman.configured(maze=maze)
    for square in range(game.num_squares):
        for direction in range(4):
            way = game.ways[square, direction]
            assert way == WALL or game.ways[way, (direction + 2) % 4] == square


def test_only_what_is_straight_ahead_up_to_a_wall_is_in_sight():
    maze = read_maze("pocman", "#######/#p-.#a#/#-###-#/#-----#/#######")
    start = maze.home
    assert maze.sight[start].tolist() == [0, 2, 2, 0]
    assert maze.near[start].tolist() == [0, 1, 4, *[WALL] * 6]


@pytest.mark.parametrize("maze", ["full", "mini", "micro"])
def test_rows_of_a_maze_may_be_joined_by_slashes_or_stand_on_lines(maze):
    lines = read_maze("pocman", MAZES[maze][1])
    slashes = Pocman.configured(maze="/".join(lines.lines), ghost_range=MAZES[maze][0])
    assert slashes.plan.lines == lines.lines
    assert slashes.new_initial_state(bw.Random(7)).to_record().tobytes() == (
        Pocman.configured(maze=maze).new_initial_state(bw.Random(7)).to_record().tobytes()
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("######/#p.a#/######", "row 2 of the maze has 5 squares, and row 1 has 6"),
        ("#####/#pxa#/#####", "row 2 of the maze has 'x' in it"),
        ("##.##/#p.a#/#####", "row 1 of the maze has '.' in it"),
        ("#####/#p.a./#####", "row 2 of the maze has no walls at its ends, and is no passage"),
        ("#####/<p.a#/#####", "row 2 of the maze has no walls at its ends"),
        ("#####/<#pa>/#####", "row 2 of the maze is a passage that is closed by a wall"),
        ("#####/#.-a#/#####", "PocMan begins in 0 squares"),
        ("#####/#pPa#/#####", "PocMan begins in 2 squares"),
        ("#####/#p..#/#####", "ghosts of the maze are not the letters from a on"),
        ("#####/#p.b#/#####", "ghosts of the maze are not the letters from a on"),
        ("#####/#paA#/#####", "ghosts of the maze are not the letters from a on"),
        ("#####/#P-A#/#####", "the maze has no square for food"),
        ("######/#p.#a#/######", "row 2, column 5 of the maze cannot be reached by PocMan"),
        ("#", "PocMan begins in 0 squares"),
        ("#" * 101, "the maze has 1 rows of 101 squares, and 100 is the maximum"),
    ],
)
def test_a_maze_that_cannot_be_played_is_refused_with_one_clear_error(text, message):
    with pytest.raises(bw.GameError) as caught:
        Pocman.configured(maze=text)
    assert message in str(caught.value)
    assert "mend: give rows of one length" in str(caught.value)


@pytest.mark.parametrize(
    "option",
    ["maze=ful", "food_chance=1.1", "chase_chance=-0.1", "slip_chance=2", "ghost_range=-1", "power_steps=0"],
)
def test_impossible_options_are_refused(option):
    with pytest.raises(bw.BranchwiseError, match=option.partition("=")[0]):
        bw.load_game(f"pocman({option})")


def test_a_start_has_all_pills_and_food_on_about_half_of_its_squares():
    starts = [Pocman().new_initial_state(bw.Random(seed)) for seed in range(100)]
    for state in starts:
        assert state.ground[state.is_pill].tolist() == [FOOD] * 4
        assert state.food_left == np.sum(state.ground == FOOD)
        assert set(np.flatnonzero(state.ground)) <= {*state.may_have_food, *np.flatnonzero(state.is_pill)}
    share = np.mean([state.food_left - 4 for state in starts]) / 153
    assert share == pytest.approx(0.5, abs=0.02)


# --- rewards ----------------------------------------------------------------------------------------------


def test_a_step_costs_one_and_food_pays_ten_once():
    state = room(0, place=20, food_left=5, chase_chance=0.0)
    state.ground[21] = FOOD
    assert state.apply_action(EAST, bw.Random(1)) == 9.0
    assert (state.place, state.food_left, state.ground[21]) == (21, 4, KNOWN)
    assert state.apply_action(WEST, bw.Random(1)) == -1.0
    assert state.apply_action(EAST, bw.Random(1)) == -1.0


def test_the_last_food_pays_a_thousand_in_place_of_ten_and_ends_the_problem():
    state = room(0, place=20, food_left=1, chase_chance=0.0)
    state.ground[21] = FOOD
    assert state.apply_action(EAST, bw.Random(1)) == 999.0
    assert state.is_terminal()


def test_a_wall_stops_pocman_at_a_cost_and_only_with_bumps():
    state = room(24, place=0, chase_chance=0.0, bumps=True)
    assert state.legal_actions() == [NORTH, EAST, SOUTH, WEST]
    assert state.apply_action(NORTH, bw.Random(1)) == -26.0
    assert state.place == 0
    assert room(24, place=0).legal_actions() == [EAST, SOUTH]


def test_power_lasts_for_the_steps_that_follow_a_pill():
    pill = ROOM.replace("P--", "Po-")
    state = room(0, maze=pill, food_left=2, chase_chance=0.0)
    state.ground[13] = FOOD
    assert state.apply_action(EAST, bw.Random(1)) == 9.0
    powers = []
    for number in range(16):
        powers.append(int(state.power))
        state.ghosts[0] = 0 if state.row[state.place] > 2 else 24
        state.apply_action((WEST, EAST)[number % 2], bw.Random(number))
    assert powers == [*range(15, 0, -1), 0]


def test_a_ghost_that_pocman_meets_ends_the_problem_or_is_eaten():
    """The ghost stands where PocMan goes; it is met even if it then moves on."""
    state = room(13)
    assert state.apply_action(EAST, Fixed(0.9, 0.0)) == -101.0
    assert state.is_terminal()
    state = room(13, power=3)
    assert state.apply_action(EAST, Fixed()) == 24.0
    assert not state.is_terminal()
    assert (state.ghosts[0], state.backs[0], state.power) == (state.starts[0], NOWHERE, 2)


def test_a_ghost_that_comes_to_pocman_meets_it():
    state = room(14)
    assert state.apply_action(EAST, Fixed(0.0)) == -101.0
    assert state.ghosts[0] == state.place == 13


def test_power_that_ends_with_a_step_does_not_help_in_it():
    state = room(13, power=1)
    assert state.apply_action(EAST, Fixed(0.9, 0.0)) == -101.0


def test_of_two_ghosts_met_at_once_the_last_is_eaten():
    state = room(13, 13, power=9)
    assert state.apply_action(EAST, Fixed()) == 24.0
    assert state.ghosts[1] == state.starts[0]
    assert state.ghosts[0] != state.starts[0]


# --- how ghosts move --------------------------------------------------------------------------------------


def moved(state, *shares, ghost=0):
    """Return where a ghost goes, and where it came from then."""
    random = Fixed(*shares)
    state.move_ghost(ghost, random)
    assert random.shares == []
    return int(state.ghosts[ghost]), int(state.backs[ghost])


@pytest.mark.parametrize(
    ("at", "to"),
    [(10, 11), (14, 13), (2, 7), (22, 17), (0, 5), (4, 3), (20, 21), (24, 23), (1, 6), (5, 6)],
)
def test_a_chasing_ghost_goes_where_it_is_least_ahead_of_pocman(at, to):
    """From (0, 0), as far up as left, east and south are equal, and the last of N, E, S, W wins: south."""
    assert moved(room(at), 0.7) == (to, NOWHERE)


def test_a_chase_begins_below_the_range_and_fails_with_its_probability():
    state = room(0, ghost_range=4)
    assert state.distance(0) == 4
    assert moved(state, 0.0) == (1, WEST)  # one number alone: it wanders
    state = room(1, ghost_range=4)
    assert moved(state, 0.74) == (6, NOWHERE)
    state = room(1, ghost_range=4)
    assert moved(state, 0.76, 0.0) == (2, WEST)


def test_a_chasing_ghost_never_turns_back():
    state = room(11)
    state.backs[0] = EAST
    to, _ = moved(state, 0.0)
    assert to in (6, 16)
    state = room(1, maze=CORRIDOR, place=0)
    state.backs[0] = WEST
    assert moved(state, 0.0) == (2, NOWHERE)


def test_with_power_a_ghost_flees_or_stays_if_every_way_leads_nearer():
    assert moved(room(11, power=5)) == (10, NOWHERE)
    assert moved(room(10, power=5)) in ((5, NOWHERE), (15, NOWHERE))
    cornered = room(5, maze=CORRIDOR, place=3, power=5)
    assert moved(cornered) == (5, NOWHERE)


def test_a_fleeing_ghost_may_stop_after_a_step_of_wandering_and_then_turn():
    state = room(2, maze=CORRIDOR, place=0, power=5)
    state.backs[0] = EAST
    assert moved(state, 0.24) == (2, NOWHERE)
    assert moved(state) == (3, NOWHERE)
    state = room(2, maze=CORRIDOR, place=0, power=5)
    state.backs[0] = EAST
    assert moved(state, 0.26) == (2, NOWHERE)  # it may not turn, and the other way leads nearer


def test_a_wandering_ghost_takes_each_way_but_back_equally_often_and_turns_in_dead_ends():
    found = Counter()
    for seed in range(3000):
        state = room(12, place=0, ghost_range=1)
        state.backs[0] = NORTH
        state.move_ghost(0, bw.Random(seed))
        found[int(state.ghosts[0]), int(state.backs[0])] += 1
    assert set(found) == {(13, WEST), (17, NORTH), (11, EAST)}
    assert max(found.values()) - min(found.values()) < 150
    state = room(5, maze=CORRIDOR, place=0, ghost_range=1)
    state.backs[0] = WEST
    assert moved(state) == (4, EAST)


@pytest.mark.parametrize(
    ("maze", "length", "paid"),
    [("full", 34.03, -9.86), slow("mini", 27.73, -13.12), slow("micro", 26.31, -25.37)],
)
def test_random_games_are_as_long_and_pay_as_much_as_those_of_the_authors_program(maze, length, paid):
    """Means of 100,000 games that POMCP 1.0 played with random legal actions; discounted returns."""
    game = Pocman.configured(maze=maze)
    form = CompiledState(game)
    lengths, returns = [], []
    for seed in range(300):
        form.start(game.new_initial_state(bw.Random(seed)))
        played = form.play(
            np.arange(1, 101, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        )
        assert played.count == 100
        lengths += played.lengths
        returns += [one for (one,) in played.returns]
    assert np.mean(lengths) == pytest.approx(length, abs=0.8)
    assert np.mean(returns) == pytest.approx(paid, abs=1.0)


# --- what PocMan senses -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ghost", "bits"),
    [
        (2, SEES << NORTH | HEARS),
        (14, SEES << EAST | HEARS),
        (17, SEES << SOUTH | HEARS),
        (11, SEES << WEST | HEARS),
        (6, HEARS),
        (1, 0),
        (24, 0),
        (12, HEARS),
    ],
)
def test_ghosts_are_seen_straight_ahead_and_heard_at_a_distance_of_two(ghost, bits):
    assert room(ghost).ghost_bits() == bits


def test_a_wall_hides_a_ghost_from_sight_but_not_from_hearing():
    state = room(1, maze="######/#P#-A#/#--.-#/######", place=0)
    assert state.ghosts[0] == 1
    assert state.ghost_bits() == HEARS


def test_nobody_sees_through_a_passage():
    state = room(4, maze="#######/<P---A>/#.#####/#######", place=0)
    assert state.ways[0, WEST] == 4
    assert state.ghost_bits() == SEES << EAST


def test_food_is_smelt_on_the_nine_squares_around_before_it_is_eaten():
    state = room(0, food_left=9, chase_chance=0.0, ghost_range=1)
    for number in (17, 18, 23):
        state.ground[:] = 0
        state.ground[number] = FOOD
        assert bool(state.other_bits() & SMELLS) == (number != 23)
    state.ground[:] = 0
    state.ground[13] = FOOD
    state.apply_action(EAST, bw.Random(1))
    assert state.observe(EAST, bw.Random(1)) & SMELLS
    state.apply_action(WEST, bw.Random(1))
    assert not state.observe(WEST, bw.Random(1)) & SMELLS


def test_ways_without_a_wall_are_felt():
    assert room(24, place=0).other_bits() == OPEN << EAST | OPEN << SOUTH
    assert room(24, place=22).other_bits() & 15 * OPEN == 15 * OPEN & ~(OPEN << SOUTH)


def test_an_observation_can_be_read():
    assert describe(0) == "nothing"
    assert describe(SEES << WEST | 15 * OPEN | HEARS) == (
        "a ghost west; ways north, east, south, west; a ghost close by"
    )


# --- preferred actions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "preferred"),
    [
        ({}, {NORTH, EAST, SOUTH, WEST}),
        ({"heading": EAST}, {NORTH, EAST, SOUTH}),
        ({"heading": EAST, "seen": SEES << SOUTH}, {NORTH, EAST}),
        ({"heading": EAST, "seen": SEES << SOUTH, "power": 4}, {SOUTH}),
        ({"heading": EAST, "seen": HEARS, "power": 4}, {NORTH, EAST, SOUTH}),
        ({"heading": EAST, "seen": 7 * SEES}, set()),
        ({"place": 0, "heading": NORTH}, {EAST}),
    ],
)
def test_preferred_actions_follow_from_what_was_observed(fields, preferred):
    state = room(24, **fields)
    legal = set(state.legal_actions())
    assert {action for action in range(4) if state.is_preferred(action)} == preferred
    chosen = {state.playout_action(bw.Random(seed)) for seed in range(40)}
    assert chosen == (preferred or legal)
    assert all(state.prior(action) == (1.0 if action in preferred else 0.02) for action in legal)


# --- beliefs ----------------------------------------------------------------------------------------------


def test_jitter_changes_nothing_that_pocman_knows():
    random = bw.Random(3)
    looked = 0
    for _ in range(30):
        state = Pocman().new_initial_state(random)
        for _ in range(12):
            if not state.is_terminal():
                state.apply_action(state.playout_action(random), random)
        if state.is_terminal():
            continue
        before = state.copy()
        known = before.ground & KNOWN != 0
        for _ in range(20):
            state.jitter(random)
            looked += 1
            assert state.ground[known].tolist() == before.ground[known].tolist()
            assert (state.ground & SMELT).tolist() == (before.ground & SMELT).tolist()
            for place in np.flatnonzero(state.ground & SMELT):
                assert any(state.has_food(square) for square in state.near[place] if square != WALL)
            assert state.ground[state.is_pill].tolist() == before.ground[state.is_pill].tolist()
            assert state.food_left == np.sum(state.ground & FOOD != 0) >= 1
            assert state.ghost_bits() == before.ghost_bits()
            for name in ("place", "heading", "power", "seen", "over"):
                assert getattr(state, name) == getattr(before, name)
    assert looked > 200


def test_jitter_draws_food_by_its_probability_and_moves_one_ghost_in_sixteen_copies_or_two():
    game = Pocman.configured(food_chance=0.3)
    random = bw.Random(5)
    state = game().new_initial_state(random)
    state.apply_action(EAST, random)
    foods, moved = [], 0
    for _ in range(1000):
        before = state.ghosts.tolist()
        state.jitter(random)
        moved += state.ghosts.tolist() != before
        foods.append(state.food_left - 4)
    known = np.sum(state.ground[state.may_have_food] & KNOWN != 0)
    assert np.mean(foods) == pytest.approx(0.3 * (153 - known), abs=2.5)
    assert 30 < moved < 100


def test_the_last_food_stays_under_jitter():
    game = Pocman.configured(maze="######/#P-.A#/######", food_chance=0.1)
    state = game(food_left=1)
    state.ground[2] = FOOD
    for seed in range(50):
        state.jitter(bw.Random(seed))
    assert (state.food_left, state.ground[2]) == (1, FOOD)


def test_the_belief_about_food_is_that_of_bayes():
    """Of eight ways to put food on squares 1, 2 and 4, two have no smell, and one, 1 alone, is over."""
    game = Pocman.configured(maze="##########/#P..-.--A#/##########", ghost_range=1)
    belief = bw.Belief(game, particles=2000, seed=1, compiled=False)
    belief.update("east", SEES << EAST | OPEN << EAST | OPEN << WEST | SMELLS)
    assert belief.left == 2000
    assert belief.mean(lambda state: state.has_food(2)) == pytest.approx(4 / 5, abs=0.04)
    assert belief.mean(lambda state: state.has_food(4)) == pytest.approx(3 / 5, abs=0.04)
    assert belief.mean(lambda state: state.has_food(1)) == 0.0  # eaten


def test_the_belief_about_food_is_that_of_bayes_after_a_walk_past_it():
    """All 32 ways to put the food, of which some give what PocMan smelt, one by one; no ghost comes near."""
    game = Pocman.configured(maze="#########/#P..-..-#/#-##.##-#/#-#####-#/#-------#/#------A#/#########")
    random = bw.Random(1)

    def smells(food):
        """Return what is observed on the way, and the end."""
        state, seen = game(food_left=len(food)), []
        state.ground[:] = EMPTY
        state.ground[list(food)] = FOOD
        for _ in range(3):
            if not state.is_terminal():
                state.apply_action(EAST, random)
                seen.append(int(state.seen))
        return seen, state

    squares = game.may_have_food.tolist()
    ways = [[one for bit, one in enumerate(squares) if number >> bit & 1] for number in range(32)]
    truth, _ = smells([squares[1], squares[4]])
    assert [bool(seen & SMELLS) for seen in truth] == [True, True, True]
    fitting = [end for seen, end in map(smells, ways) if seen == truth and not end.is_terminal()]
    assert 5 < len(fitting) < 32
    belief = bw.Belief(game, particles=3000, seed=1, compiled=False)
    for seen in truth:
        belief.update("east", seen)
    assert belief.left == 3000
    for square in squares:
        exact = np.mean([end.has_food(square) for end in fitting])
        found = belief.mean(lambda state, square=square: state.has_food(square))
        assert found == pytest.approx(exact, abs=0.04)
    assert belief.mean(lambda state: state.food_left) == pytest.approx(
        np.mean([end.food_left for end in fitting]), abs=0.08
    )


@pytest.mark.parametrize("compiled", [True, False])
def test_a_belief_follows_a_real_episode_and_its_particles_know_where_pocman_is(compiled):
    game = Pocman.configured(maze="micro", chase_chance=0.0)
    random = bw.Random(5)
    state = game().new_initial_state(random)
    belief = bw.Belief(game, particles=60, seed=1, compiled=compiled)
    steps = 0
    while not state.is_terminal() and steps < 15:
        action = state.playout_action(random)
        state.apply_action(action, random)
        if not state.is_terminal():
            belief.update(action, state.observe(action, random))
            assert set(belief.records["place"].tolist()) == {int(state.place)}
            assert belief.legal_actions() == state.legal_actions()
            steps += 1
    assert steps > 5


def test_without_a_fitting_particle_the_belief_says_so_and_goes_on():
    """All squares have food, so that no particle smells none; the observation is ignored."""
    game = Pocman.configured(maze="micro", food_chance=1.0)
    belief = bw.Belief(game, particles=40, seed=1)
    belief.update("north", OPEN << NORTH | OPEN << SOUTH)
    assert (belief.left, belief.restarts, len(belief)) == (0, 1, 40)
    belief.update("south", int(game.open_bits[game.home]) | SMELLS)
    assert belief.left > 0


def test_a_search_goes_for_food_that_it_can_smell():
    game = Pocman.configured(maze="##########/#P.-####A#/#-######-#/#--------#/##########", food_chance=1.0)
    belief = bw.Belief(game, particles=50, seed=1)
    result = bw.MCTS(selection="puct", c=1.0, seed=1).search(belief, simulations=500)
    assert result.action_text(result.best_action) == "east"
    assert result.value > 900


# --- pictures ---------------------------------------------------------------------------------------------


def test_the_board_shows_pocman_food_pills_and_ghosts_which_flee_in_small_letters():
    game = Pocman.configured(maze="#######/<Po.-A>/#######", food_chance=1.0)
    state = game().new_initial_state(bw.Random(1))
    lines = str(state).splitlines()
    assert lines[1] == "2  < @ o .   A >"
    assert lines[-1] == "food 2, power 0; PocMan senses: nothing"
    state.power = 3
    assert str(state).splitlines()[1] == "2  < @ o .   a >"
    assert "#1c7ed6" in state.to_svg()
