"""`branchwise search`: searches one position."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwise.cli.terminal.declare_options import option
from branchwise.cli.terminal.options import (
    GameArgument,
    JsonOption,
    MovesOption,
    PlainOption,
    PlayoutOption,
    SecondsOption,
    SeedOption,
    SettingsOption,
    SimulationsOption,
    WeightOption,
    settings_from,
)
from branchwise.cli.terminal.position import asked_about

if TYPE_CHECKING:
    from branchwise.search.settings.tuned import TunedSettings

DEFAULT_SECONDS = 1.0


def search(
    game: GameArgument,
    moves: MovesOption = "",
    seconds: SecondsOption = None,
    simulations: SimulationsOption = None,
    max_nodes: Annotated[
        int | None,
        option("--max-nodes N", "Maximum number of nodes, from 2."),
    ] = None,
    c: WeightOption = None,
    playout: PlayoutOption = None,
    proofs: Annotated[
        bool | None,
        option("--proofs/--no-proofs", "Pass proven values up the tree, the default."),
    ] = None,
    settings: SettingsOption = "",
    tuned: Annotated[
        bool,
        option(
            "--tuned",
            "Use the settings that branchwise tune found for the game; other options take precedence.",
        ),
    ] = False,
    seed: SeedOption = None,
    python_only: PlainOption = False,
    as_json: JsonOption = False,
) -> None:
    """Search a position and show every move considered.

    The search ends at the first of the limits given, by default after one second. Ctrl-C ends it too and
    shows the result so far. Values are for the player to move. In a game with hidden information,
    what that player knows is searched and shown. Where chance is to move, its outcomes are drawn by the seed.

    \b
    Examples:
      branchwise search connect_four --moves "d d d" --seconds 2
      branchwise search tic_tac_toe --simulations 10000 --seed 1 --json
      branchwise search connect_four --settings "selection=grave,threads=2"
      branchwise search hex --tuned --seconds 2
      branchwise search kuhn_poker --moves "J K pass"
      branchwise search backgammon --seed 1
    """
    from branchwise.cli.search.solve import small_words
    from branchwise.cli.terminal.screen import Screen, show_json
    from branchwise.game.rules_class import Game
    from branchwise.games import load_game
    from branchwise.rules.facts.facts import facts_of
    from branchwise.search.planner import MCTS
    from branchwise.search.settings.budget import Budget
    from branchwise.search.settings.rollout_default import ROLLOUT_WORDS, is_plain, suits_rollouts
    from branchwise.search.settings.tuned import load_tuned

    rules = load_game(game)
    given = settings_from(
        settings,
        c=c,
        playout=playout,
        proofs=proofs,
        seed=seed,
        compiled=False if python_only else None,
    )
    asked = asked_about(rules, moves, seed, sees_all=given.get("perfect_information", False))
    of_game = load_tuned(rules) if tuned else None
    chosen = given if of_game is None else of_game.overridden(given, planner=True)
    found = {name: value for name, value in chosen.items() if name not in given}
    planner = MCTS(**chosen)
    if seconds is None and simulations is None and max_nodes is None:
        seconds = DEFAULT_SECONDS
    budget = Budget(simulations, seconds, max_nodes)
    screen = Screen()
    if of_game is not None and not as_json:
        screen.show(_tuned_words(of_game, found))
    position = asked.position
    if not as_json and not tuned and is_plain(planner.settings) and isinstance(position.searched, Game):
        start = asked.state if moves else rules()
        screen.show(*small_words(start, game, f' --moves "{moves}"' if moves else ""))
        if suits_rollouts(start, facts_of(start, joint=True)):
            screen.show(ROLLOUT_WORDS)
    if not as_json and not position.played.is_over:
        asked.show_drawn(screen)
        screen.show_board(position.shown, position.shown_before)
        screen.show("")
    with screen.thinking("search", ", Ctrl-C: enough") as report:
        result = planner.search(position.searched, **asdict(budget), progress=report)
    if as_json:
        of_tuning = {"tuned": found} if tuned else {}
        show_json({**result.to_dict(), **of_tuning, **asked.to_dict()})
    else:
        screen.show(result)
    if result.ended_by == "interrupted":
        raise typer.Exit(130)


def _tuned_words(tuned: TunedSettings, used: dict[str, Any]) -> str:
    """Return a line about the settings used because the game was tuned."""
    if used:
        return f"tuned for {tuned.game}: {', '.join(f'{name}={value}' for name, value in used.items())}"
    if not tuned.of_planner:
        return f"tuning {tuned.game} found nothing better than the default settings"
    return f"the options given replace the settings tuned for {tuned.game}"
