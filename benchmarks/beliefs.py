"""Planning from beliefs: values and returns of published problems, and speed beside pomdp_py.

    python benchmarks/beliefs.py values             Tiger with a horizon, beside exact values
    python benchmarks/beliefs.py choices            what Tiger's planner does at net 0, 1 and 2
    python benchmarks/beliefs.py returns PROBLEM    mean discounted return of episodes
    python benchmarks/beliefs.py speed              simulations per second, in turns with pomdp_py

PROBLEM is one of PUBLISHED, such as tiger or "rock_sample(layout='11x11')". `speed` needs `pip install
pomdp_py`. Each problem has settings of its own, SETTINGS. Intervals are of 95 %.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from statistics import median
from typing import Any

import numpy as np

import branchwise as bw
from branchwise.problems.rock_sample import LAYOUTS, RockSample
from branchwise.problems.tiger import Tiger

EXACT = {3: 2.72, 5: 3.60915, 10: 9.43817}
"""Values of Tiger without discount, by horizon."""
PUBLISHED = {
    "tiger": "exact optimum 19.371",
    "rock_sample": "POMCP with preferred actions 20.71",
    "rock_sample(layout='11x11')": "POMCP with preferred actions 20.01",
    "rock_sample(layout='15x15')": "POMCP with preferred actions 15.32",
    "pocman": "POMCP 1.0 with preferred actions and 1,000 simulations 72.63",
    "light_dark": "POMCPOW 56.1",
}
SETTINGS: dict[str, dict[str, Any]] = {
    "tiger": {"c": 0.4},
    "rock_sample": {"selection": "puct", "c": 1.0},
    "pocman": {"selection": "puct", "c": 1.0},
    "light_dark": {"c": 1.0, "backup": "max", "outcome_widening": 5.0, "outcome_widening_power": 1 / 15},
}
SIMULATIONS = {"tiger": 10_000, "rock_sample": 4000, "pocman": 1000, "light_dark": 60_000}
LONGEST = 120
"""Decisions after which an episode is cut off; its discount is then below 0.003."""
SECONDS = 0.5
"""Aim of one measurement of speed."""
LAST_DEPTHS = {3: 2, 30: 30}
"""For a number of decisions, the `max_depth` with which pomdp_py makes as many in a simulation.

Its tree goes one decision beyond `max_depth`, but its rollouts do not. Short simulations mostly end in the
tree, long ones in a rollout."""


def sure(game: type[Tiger], net: int = 0) -> bw.Belief:
    """Return the exact belief in Tiger after `net` more growls on the left than on the right."""
    left, right = game.accuracy**net, (1.0 - game.accuracy) ** net
    return bw.Belief(game, [game(tiger=0), game(tiger=1)], weights=[left, right], seed=1)


def values(simulations: int) -> None:
    for horizon, exact in EXACT.items():
        game = Tiger.configured(horizon=horizon, discount=1.0)
        planner = bw.MCTS(seed=1, c=1.0, backup="max")
        result = planner.search(sure(game), simulations=simulations)
        print(f"horizon {horizon}: {result.value:.3f}, exactly {exact}, {simulations:,} simulations")


def choices(simulations: int, searches: int, horizon: int) -> None:
    game = Tiger.configured(horizon=horizon)
    planner = bw.MCTS(c=1.0)
    for net in (0, 1, 2):
        found: Counter[str] = Counter()
        for seed in range(searches):
            planner.seed = seed
            result = planner.search(sure(game, net), simulations=simulations)
            found[result.action_text(result.best_action)] += 1
        told = ", ".join(f"{action} {count}" for action, count in found.most_common())
        print(f"net {net}: {told}, of {searches} searches with {simulations:,} simulations", flush=True)


def episode(game: type[bw.Game], planner: bw.MCTS, belief: bw.Belief, seed: int, simulations: int) -> float:
    """Return the discounted return of one episode; the planner sees only what is observed."""
    random = bw.Random(seed)
    played = bw.Playthrough(game.new_initial_state(random), random=random)
    planner.seed = seed
    longest = min(LONGEST, game.max_game_length)
    while not played.is_over and played.ply < longest:
        action = planner.search(belief, simulations=simulations).best_action
        played.play(action)
        if not played.is_over:
            belief.update(action, played.shown(0).events[-1][1])
    return float(played.paid[0])


def returns(problem: str, episodes: int, simulations: int | None, particles: int) -> None:
    game = bw.load_game(problem)
    base = problem.partition("(")[0]
    simulations = simulations or SIMULATIONS[base]
    planner = bw.MCTS(**SETTINGS[base])
    start = bw.Belief(game, particles, seed=0)
    began = time.perf_counter()
    found = [episode(game, planner, start.copy(seed=n), n, simulations) for n in range(episodes)]
    mean, half = np.mean(found), 1.96 * np.std(found) / len(found) ** 0.5
    known = PUBLISHED.get(game.name, "nothing published")
    print(
        f"{game.name}: {mean:.2f} +- {half:.2f} in {episodes} episodes, {simulations:,} simulations each, "
        f"{time.perf_counter() - began:.0f} s; {known}"
    )


# --- speed ------------------------------------------------------------------------------------------------


def our_rate(game: type[bw.Game], simulations: int) -> float:
    """Return simulations per second of processor time, with uniform playouts, in several searches."""
    belief = bw.Belief(game, 1000, seed=1)
    planner = bw.MCTS(playout="uniform", seed=1)
    planner.search(belief, simulations=simulations)
    began, searches = time.process_time(), 0
    while time.process_time() - began < SECONDS:
        planner.search(belief, simulations=simulations)
        searches += 1
    return searches * simulations / (time.process_time() - began)


def their_tiger(decisions: int, simulations: int) -> float:
    import pomdp_py
    from pomdp_py.problems.tiger.tiger_problem import TigerState, make_tiger

    tiger = make_tiger(init_state="tiger-left")
    belief = pomdp_py.Histogram({TigerState("tiger-left"): 0.5, TigerState("tiger-right"): 0.5})
    tiger.agent.set_belief(pomdp_py.Particles.from_histogram(belief, num_particles=1000), prior=True)
    return their_rate(pomdp_py, tiger.agent, decisions, simulations, 50)


def their_rock_sample(decisions: int, simulations: int) -> float:
    import pomdp_py
    from pomdp_py.problems.rocksample import rocksample_problem as rock_sample

    size, start, rocks = LAYOUTS["7x8"]
    state = rock_sample.State(start, ("good",) * len(rocks))
    belief = rock_sample.init_particles_belief(len(rocks), 200, state)
    places = {place: rock for rock, place in enumerate(rocks)}
    problem = rock_sample.RockSampleProblem(size, len(rocks), state, places, belief)
    return their_rate(pomdp_py, problem.agent, decisions, simulations, 5)


def their_rate(pomdp_py: Any, agent: Any, decisions: int, simulations: int, weight: float) -> float:
    """Return the simulations per second of pomdp_py's POMCP; weight : of exploration, as in its examples."""
    planner = pomdp_py.POMCP(
        max_depth=LAST_DEPTHS[decisions],
        discount_factor=0.95,
        num_sims=simulations,
        exploration_const=weight,
        rollout_policy=agent.policy_model,
    )
    began = time.process_time()
    planner.plan(agent)
    return simulations / (time.process_time() - began)


def speed(rounds: int, decisions: list[int], simulations: int) -> None:
    for number in decisions:
        pairs = (
            ("tiger", Tiger.configured(horizon=number), their_tiger),
            ("rock_sample 7x8", RockSample.configured(horizon=number), their_rock_sample),
        )
        for name, game, theirs in pairs:
            ours, others = [], []
            for _ in range(rounds):
                ours.append(our_rate(game, simulations))
                others.append(theirs(number, simulations))
            ratios = [one / other for one, other in zip(ours, others, strict=True)]
            rates = f"{median(ours):,.0f} simulations/s, pomdp_py {median(others):,.0f}"
            print(
                f"{name}, {number} decisions, {simulations:,} a search: {rates}, "
                f"{median(ratios):.0f}x ({min(ratios):.0f} to {max(ratios):.0f})",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["values", "choices", "returns", "speed"])
    parser.add_argument("problem", nargs="?", default="tiger")
    parser.add_argument("--simulations", type=int)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--particles", type=int, default=1000)
    parser.add_argument("--horizon", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--decisions", type=int, nargs="+", choices=LAST_DEPTHS, default=[3, 30])
    given = parser.parse_args()
    if given.what == "values":
        values(given.simulations or 4_000_000)
    elif given.what == "choices":
        choices(given.simulations or 300_000, given.searches, given.horizon)
    elif given.what == "returns":
        returns(given.problem, given.episodes, given.simulations, given.particles)
    else:
        speed(given.rounds, given.decisions, given.simulations or 10_000)


if __name__ == "__main__":
    main()
