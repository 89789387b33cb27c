"""`branchwise bench`: the speed of the search and the rules on this machine."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

from branchwise.cli.terminal.declare_options import argument, option
from branchwise.cli.terminal.options import JsonOption

if TYPE_CHECKING:
    from branchwise.drawing.table import Table
    from branchwise.game.rules_class import Game

RUNS = 3
_FIRST_GAMES = 16
_WARM_UP = 200


def bench(
    games: Annotated[
        list[str] | None,
        argument("GAME", "Games; by default the built-in ones."),
    ] = None,
    seconds: Annotated[float, option("--seconds S", "Seconds of each run, above 0.")] = 1.0,
    seed: Annotated[int, option("--seed N", "Seed of the random numbers.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Measure simulations and random games per second.

    Runs from the start of each game, in one thread; where chance moves first, after its outcome. Each number
    is the median of three runs; compiling does not count, and proofs are off. Random games alone are not
    measured if the rules draw at random or have a horizon.

    \b
    Examples:
      branchwise bench
      branchwise bench connect_four "mnk(rows=15,columns=15,in_a_row=5)" \\
          --seconds 0.3
    """
    from branchwise.cli.terminal.screen import Screen, show_json
    from branchwise.games import GAMES, load_game
    from branchwise.rules.facts.game_type import check_in_turn
    from branchwise.search.settings.budget import Budget

    Budget(seconds=seconds)
    rules = [load_game(name) for name in games or sorted(GAMES.builtin)]
    if games:
        for game in rules:
            check_in_turn(game, "this command")
    rules = [game for game in rules if not game._joint]
    screen = Screen(quiet=as_json)
    measured = []
    for game in rules:
        with screen.working(f"measuring {game.name}"):
            measured.append(_measure(game, seconds, seed))
    if as_json:
        show_json({"seconds": seconds, "runs": RUNS, "games": measured})
    screen.show(_table(measured))


def _measure(game: type[Game], seconds: float, seed: int) -> dict[str, Any]:
    from branchwise.game.kinds.continuous_actions import has_box
    from branchwise.game.kinds.random_numbers import Random
    from branchwise.rules.facts.dice import rolled
    from branchwise.rules.facts.facts import draws_what_happens
    from branchwise.search.planner import MCTS
    from branchwise.search.results.result import uninterrupted

    settings: dict[str, Any] = {
        "playout": "uniform",
        "proofs": False,
    }  # a proof would end small games too soon
    start = rolled(game.new_initial_state(Random(seed)), seed)
    warm_up = MCTS(seed=seed, **settings)
    uninterrupted(warm_up.search(start, simulations=_WARM_UP))  # finds most faults of the rules
    searches, playouts = [], list[float]()
    alone = draws_what_happens(start) or game.horizon > 0 or has_box(game)  # only a search plays them then
    for run in range(RUNS):
        planner = MCTS(seed=seed + run, **settings)
        searches.append(uninterrupted(planner.search(start, seconds=seconds)).simulations_per_second)
        if not alone:
            playouts.append(random_games_per_second(game, seconds, seed + run))
    return {
        "game": game.name,
        "simulations_per_second": median(searches),
        "random_games_per_second": median(playouts) if playouts else None,
    }


def random_games_per_second(game: type[Game], seconds: float, seed: int) -> float:
    """Return the uniformly random games per second of compiled rules; raises `GameError` for a fault."""
    import numpy as np

    from branchwise.compile.code.call_kernel import call, keep_on_disk
    from branchwise.compile.states.native_types import NativeRecords
    from branchwise.compile.states.prepared_rules import compiled_type
    from branchwise.core.checking.random_games import play_games
    from branchwise.core.machine.kernel_status import Status
    from branchwise.core.numbers.random_streams import new_streams
    from branchwise.game.kinds.continuous_actions import refuse
    from branchwise.rules.checking.diagnosis import fault_error
    from branchwise.rules.facts.facts import game_facts

    keep_on_disk()
    refuse(game, "bench does not play yet")
    start = game()
    root, state = NativeRecords(compiled_type(game)), NativeRecords(compiled_type(game), 2)
    root.records[0] = start.to_record()
    actions = np.zeros(game.num_actions, np.int32)
    streams = new_streams(seed)
    call(play_games, root, state, actions, streams, 0)
    played, chunk = 0, _FIRST_GAMES
    began = time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        if spent > 0:
            chunk = max(1, min(chunk * 8, int(played / spent * seconds / 20)))
        status = Status(call(play_games, root, state, actions, streams, chunk))
        if status is not Status.DONE:
            raise fault_error(start, game_facts(start), status, [])
        played += chunk
    return played / (time.perf_counter() - began)


def _table(measured: list[dict[str, Any]]) -> Table:
    from branchwise.drawing.table import Table

    table = Table()
    table.add_texts("game")
    table.add_numbers("simulations/s", "random games/s")
    for entry in measured:
        table.add_row(
            entry["game"],
            f"{entry['simulations_per_second']:,.0f}",
            "-" if entry["random_games_per_second"] is None else f"{entry['random_games_per_second']:,.0f}",
        )
    return table
