"""`branchwise run`: plays many episodes of a single-player problem with one bot or several."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from branchwise.cli.matches.match import result_to_dict, show_result, so_far
from branchwise.cli.terminal.declare_options import argument, option
from branchwise.cli.terminal.many_games import GamesCommand
from branchwise.cli.terminal.match_options import (
    ConcurrencyOption,
    ExecutorOption,
    MoveSecondsOption,
    MoveSimulationsOption,
)
from branchwise.cli.terminal.options import JsonOption, SeedOption, StoreOption, TrustOption

EPISODES = 100
BOT = "mcts(simulations=1000)"
RULE = "rule"
BELIEVING_BOT = "pomcp(simulations=1000)"
"""Plays partially observed problems."""


def run(
    problem: Annotated[
        str,
        argument(
            "PROBLEM",
            "A problem or a game for one player, as for play; with --resume the number of a run, by"
            " default the latest unfinished one.",
        ),
    ] = "",
    bot: Annotated[
        list[str] | None,
        option(
            "--bot -b BOT",
            f"Who plays; default {BOT}, and {RULE} beside it if the problem has chance and a playout_action;"
            f" for partially observed problems {BELIEVING_BOT}. Several may be"
            " given, each with its own --bot: all meet the same"
            " chance.",
        ),
    ] = None,
    episodes: Annotated[
        int | None,
        option("--episodes -n N", f"Episodes for each bot; default {EPISODES}."),
    ] = None,
    seconds: MoveSecondsOption = None,
    simulations: MoveSimulationsOption = None,
    concurrency: ConcurrencyOption = None,
    executor: ExecutorOption = None,
    resume: Annotated[bool, option("--resume", "Continue a run that was interrupted.")] = False,
    trust: TrustOption = False,
    seed: SeedOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let bots plan a problem, episode by episode, and keep every episode.

    Each episode begins at the start of the problem and ends where its rules end it, or after its
    max_game_length moves. Returns are the sums of rewards, discounted if the problem says so. Ctrl-C ends the
    run, and --resume continues it.

    \b
    Examples:
      branchwise run my_problem.py:MyProblem --episodes 200
      branchwise run my_problem.py:MyProblem --bot "mcts(simulations=100)" \\
          --bot random
      branchwise run --resume
    """
    command = GamesCommand("run", dict(locals()), so_far)
    from branchwise.arena.match import Run
    from branchwise.cli.search.solve import small_words
    from branchwise.common.argument_checks import whole_number
    from branchwise.common.errors import SettingsError
    from branchwise.game.kinds.game_kinds import is_partially_observed
    from branchwise.game.kinds.hidden_information import hides_information
    from branchwise.games import load_game
    from branchwise.rules.facts.facts import facts_of
    from branchwise.search.settings.rollout_default import suits_rollouts

    meets_chance = False
    if resume:
        result = command.resume(Run.resume, command.number())
    else:
        if not problem:
            raise SettingsError("a run needs a problem", mend="branchwise run my_problem.py:MyProblem")
        rules = load_game(problem)
        if rules.num_players != 1:
            raise SettingsError(
                f"{rules.name} is for {rules.num_players} players, and a run is for one",
                mend="branchwise match lets bots play each other",
            )
        whole_number("episodes", episodes, 1, 1_000_000, optional=True)
        bots = bot or [BELIEVING_BOT if is_partially_observed(rules) else BOT]
        if not bot and (simulations is not None or seconds is not None):
            bots = [bots[0].partition("(")[0]]  # which takes the limits given
        start = rules()
        facts = facts_of(start, joint=True)
        meets_chance = facts.num_outcomes > 0 or facts.only_draws
        if not bot and not is_partially_observed(rules) and not hides_information(rules):
            if not as_json:
                command.screen.show(*small_words(start, problem))
            bots += [RULE] if suits_rollouts(start, facts) else []
        games = (EPISODES if episodes is None else episodes) * len(bots)
        settings = command.settings("problem", "bot", "episodes")
        to_play = Run(problem, bots, games=games, openings_depth=0, proofs=False, **settings)
        result = command.begin(to_play.run)
    command.end(result, result_to_dict, partial(show_result, kind="run"))
    if meets_chance and len(result.bots) > 1:
        command.screen.show("compared on common random numbers: in episode n all bots meet the same chance")
