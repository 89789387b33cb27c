"""What training a network brings: exact values of Connect Four and Hex as judges, and matches at equal time.

    python benchmarks/learning.py judge c4.bwnet               how often moves keep the exact value
    python benchmarks/learning.py hex hex.bwnet --size 5       openings whose value has the right sign
    python benchmarks/learning.py speed c4.bwnet               evaluations and simulations a second
    python benchmarks/learning.py perfect c4.bwnet --games 100 as first player against perfect play
    python benchmarks/learning.py gain --games 400             eight games named before the first run
    python benchmarks/learning.py gain --all --minutes 60      a night: every game that networks apply to
    python benchmarks/learning.py ship nets/othello.bwnet --folder src/branchwise/games/nets

An error is a move that changes the exact outcome. Intervals are of 95 % (Wilson). `gain` trains each game by
`branchwise train`, whose file stays in the folder given; run again, it goes on where it was.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import branchwise as bw
from branchwise.compile.code.call_kernel import call
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.machine.kernel import entry_kernel
from branchwise.core.tree.node_fields import new_tree
from branchwise.games.connect_four import ConnectFour
from branchwise.networks.network import Network
from branchwise.networks.network_file import STEP, load_network, read_notes, save_network
from branchwise.rules.facts.facts import searched_facts
from branchwise.search.composition.composition import Composition
from branchwise.search.composition.search_object import Search
from branchwise.search.settings.settings import Settings
from exact_connect_four import COLUMN_NAMES, Position, Solver, read_positions
from hex_openings import winning_openings
from learning_positions import POSITIONS, SETS, Book, Forced, read, sign
from strength import wilson

NAMED = (
    "connect_four",
    "othello",
    "breakthrough",
    "hex(size=7)",
    "mnk(rows=9,columns=9,in_a_row=5)",
    "atari_go(size=7)",
    "clobber",
    "ultimate_tic_tac_toe",
)
"""Chosen before any of them was trained: no two have the same goal, and proofs solve none at 10 ms a move."""

SIMULATIONS = (100, 600)
CLEAR = 1 / 3
"""Values between this and its negative tell a draw."""


def share_text(hits: int, of: int) -> str:
    low, high = wilson(hits / of, of)
    return f"{hits / of:.3f} [{low:.3f}, {high:.3f}]"


def kept(positions: Sequence[Position], choose: Callable[[ConnectFour], int]) -> str:
    return share_text(sum(one.keeps(choose(one.state())) for one in positions), len(positions))


def searching(simulations: int, **settings: Any) -> Callable[[ConnectFour], int]:
    """Return a player that searches anew at every position."""
    planner = bw.MCTS(seed=1, **settings)

    def choose(state: ConnectFour) -> int:
        return int(planner.search(state, simulations=simulations).best_action)

    return choose


def judge(options: argparse.Namespace) -> None:
    """Print the share of positions kept by the policy, by searches with the net, and by playouts."""
    network = load_network(options.net, ConnectFour)

    def by_policy(state: ConnectFour) -> int:
        priors = network.evaluate(state)[1]
        return max(priors, key=lambda action: priors[action])

    print(
        f"{'set':14} {'policy':21} "
        + " ".join(f"{f'net, {n}':21} {f'playouts, {n}':21}" for n in SIMULATIONS)
    )
    for name in ("hard", *SETS):
        positions = read_positions() if name == "hard" else read(name, options.file)
        if not positions or (name == "hard" and options.file != POSITIONS):
            continue
        positions = positions[: options.positions]
        if name == "values":
            hits = 0
            for one in positions:
                value = network.evaluate(one.state())[0]
                told = 0 if abs(value) < CLEAR else (1 if value > 0 else -1)
                hits += told == one.value
            print(f"{name:14} value's sign {share_text(hits, len(positions))}", flush=True)
            continue
        cells = [kept(positions, by_policy)]
        for simulations in SIMULATIONS:
            cells.append(kept(positions, searching(simulations, network=network)))
            cells.append(kept(positions, searching(simulations)))
        print(f"{name:14} " + " ".join(f"{cell:21}" for cell in cells), flush=True)


@entry_kernel
def evaluate_often(search, state, times):  # type: ignore[no-untyped-def]
    """Evaluate a state so often; returns the sum of its values."""
    total = 0.0
    for _ in range(times):
        total += search.think(search, search.fill_inputs(search, state))
    return total


def speed(options: argparse.Namespace) -> None:
    """Print how often one thread evaluates a position alone, and how many simulations a search makes."""
    network = load_network(options.net, ConnectFour)
    state = ConnectFour.from_actions("d1 d2 d3 c1")
    facts = searched_facts(state)
    settings = Settings(network=network, selection="puct")
    composition = Composition(state, facts, settings, proofs=True)
    tree = new_tree(100, facts.min_return, facts.max_return, composition.kept)
    search, record = Search(composition, tree, 0), NativeRecords(compiled_type(ConnectFour))
    record.records[0] = state.to_record()
    planner = bw.MCTS(network=network, seed=1)
    for _ in range(5):
        began = time.process_time()
        call(evaluate_often, search.native, record, 1_000_000)
        alone = 1.0 / (time.process_time() - began)
        began = time.process_time()
        made = sum(planner.search(state, simulations=10_000).simulations for _ in range(30))
        whole = made / (time.process_time() - began) / 1e6
        print(f"{alone:.2f} M evaluations, {whole:.2f} M simulations a second of processor time", flush=True)


def hex_openings(options: argparse.Namespace) -> None:
    """Print for how many first moves of Hex the net's value has the right sign."""
    game = bw.load_game(f"hex(size={options.size})")
    network = load_network(options.net, game)
    hits = sum(
        (network.evaluate(game.from_actions([action]))[0] < 0) == wins  # the second player is to move
        for action, wins in enumerate(winning_openings(options.size))
    )
    print(f"{hits} of {options.size**2} openings")


def best_defence(state: ConnectFour, values: dict[int, int], forced: Forced) -> list[int]:
    """Return the actions that keep the value; of those that lose, the ones known to lose latest."""
    best = max(values.values())
    keeping = [action for action, value in values.items() if value == best]
    if best >= 0:
        return keeping
    lasting = {}
    for action in keeping:
        after = state.copy()
        after.apply_action(action)
        lasting[action] = forced.moves_to_win(after)
    return [action for action in keeping if lasting[action] == max(lasting.values())]


def perfect(options: argparse.Namespace) -> None:
    """Print how many games the net wins as first player against perfect play, which loses late if it must."""
    planner = bw.MCTS(network=str(options.net), seed=1)
    solver, book, forced = Solver(), Book(8), Forced()
    begun: dict[str, dict[int, int]] = {}
    """The value of each action by position, until the solver is fast enough."""
    source = random.Random(1)
    won = 0
    for number in range(1, options.games + 1):
        state, played = ConnectFour(), ""
        while not state.is_terminal():
            discs = int(state.taken).bit_count()
            if discs % 2 == 0:
                action = int(planner.search(state, simulations=options.simulations).best_action)
            else:
                if discs < book.discs:
                    if played not in begun:
                        begun[played] = {one: sign(value) for one, value in book.values(state).items()}
                    values = begun[played]
                else:
                    values = solver.solve_actions(state)
                action = source.choice(best_defence(state, values, forced))
            state.apply_action(action)
            played += COLUMN_NAMES[action]
        won += state.returns()[0] > 0
        print(f"{won} of {number} won; the last was {played}", flush=True)


def gain(options: argparse.Namespace) -> None:
    """Train each game and print the lead over its best settings without a net, 10 ms a move."""
    options.folder.mkdir(exist_ok=True)
    names = (
        [name for name in bw.game_names() if applies(name)] if options.all else options.games_named or NAMED
    )
    for name in names:
        file = options.folder / f"{name.replace('(', '-').replace(')', '')}.bwnet"
        if not file.exists():
            command = [
                "train",
                name,
                "--minutes",
                str(options.minutes),
                "--seed",
                "1",
                "--file",
                str(file),
                "--games",
                "0",
            ]
            if file.with_name(file.name + ".training").exists():
                command.append("--resume")
            began = time.perf_counter()
            subprocess.run([sys.executable, "-m", "branchwise", *command], check=True)
            print(f"{name}: trained in {time.perf_counter() - began:.0f} s", flush=True)
        bots = [f'mcts(network="{file.resolve()}",seconds=0.01)', f"{best_bot(name)}(seconds=0.01)"]
        result = bw.Match(name, bots, games=options.games, seed=1, concurrency=options.concurrency).run()
        print(f"{name}: {result.elo()} Elo", flush=True)


def ship(options: argparse.Namespace) -> None:
    """Write a copy of the net of at most --kilobytes: its numbers are rounded as coarsely as that takes."""
    notes = read_notes(options.net)
    network = load_network(options.net, bw.load_game(notes["text"]))
    initial = Network.initial(network.inputs, notes["initial"], network.widths)
    met = (network.rows != initial.rows).any(axis=1)
    told = {name: notes[name] for name in ("text", "seed", "minutes", "rounds", "curve")}
    with tempfile.TemporaryDirectory() as folder:
        for times in range(1, 21):
            tried = save_network(
                network, Path(folder) / options.net.name, met=met, step=times * STEP, notes=told
            )
            size = tried.stat().st_size / 1000
            if size <= options.kilobytes:
                kept = shutil.copy(tried, options.folder)
                print(f"{kept}: {size:.0f} kB, rounded to {times * STEP:.2f}")
                return
    raise SystemExit(f"rounded to {times * STEP:.2f} it still has {size:.0f} kB")


def best_bot(name: str) -> str:
    """Return the bot with the best settings known without a net."""
    try:
        bw.MCTS.for_game(name)
    except bw.SettingsError:
        return "mcts"
    return "tuned"


def applies(name: str) -> bool:
    from branchwise.networks.inputs import Inputs

    try:
        Inputs.of(bw.load_game(name))
    except bw.GameError:
        return False
    return True


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    commands = parser.add_subparsers(required=True, metavar="judge | speed | hex | perfect | gain | ship")
    found = {}
    for name, run in {
        "judge": judge,
        "speed": speed,
        "hex": hex_openings,
        "perfect": perfect,
        "gain": gain,
        "ship": ship,
    }.items():
        found[name] = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        found[name].set_defaults(run=run)
        if name != "gain":
            found[name].add_argument("net", type=Path)
    found["judge"].add_argument("--positions", type=int, help="of each set, at most")
    found["judge"].add_argument("--file", type=Path, default=POSITIONS, help="of learning_positions.py")
    found["hex"].add_argument("--size", type=int, default=5, choices=range(2, 7))
    found["ship"].add_argument("--folder", type=Path, required=True)
    found["ship"].add_argument("--kilobytes", type=float, default=300.0, help="at most (300)")
    found["perfect"].add_argument("--games", type=int, default=100)
    found["perfect"].add_argument("--simulations", type=int, default=10_000)
    found["gain"].add_argument("--games", type=int, default=400)
    found["gain"].add_argument("--minutes", type=float, default=10.0)
    found["gain"].add_argument("--folder", type=Path, default=Path("nets"))
    found["gain"].add_argument("--concurrency", type=int, default=2, help="games at once (2)")
    found["gain"].add_argument("--all", action="store_true", help="all games that networks apply to")
    found["gain"].add_argument("--named", nargs="+", dest="games_named", help="these games instead")
    options = parser.parse_args(arguments)
    options.run(options)


if __name__ == "__main__":
    main()
