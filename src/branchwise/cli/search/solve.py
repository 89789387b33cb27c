"""`branchwise solve`: exact values and an optimal policy, where states can be listed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from branchwise.cli.terminal.declare_options import option
from branchwise.cli.terminal.options import GameArgument, JsonOption, MovesOption, SeedOption
from branchwise.cli.terminal.position import asked_about

if TYPE_CHECKING:
    from branchwise.cli.terminal.screen import Screen
    from branchwise.game.rules_class import Game
    from branchwise.solving.solve import Solution

_ROWS = 10


def solve(
    game: GameArgument,
    moves: MovesOption = "",
    seconds: Annotated[
        float,
        option("--seconds S", "Processor seconds for listing states, above 0; compiling does not count."),
    ] = 1.0,
    rows: Annotated[int, option("--rows N", "States of the policy to show, from 0.")] = _ROWS,
    output: Annotated[
        Path | None,
        option(
            "--output FILE",
            "Write the policy: .npz or .json to load again, .csv, or .svg where states have two coordinates.",
        ),
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Solve a small game or problem exactly: its value, and what to do in each state.

    All states are listed by the compiled rules. If there are too many, the command says how far it got and
    what to use instead. The bot optimal plays the policy.

    \b
    Examples:
      branchwise solve frozen_lake
      branchwise solve "frozen_lake(discount=0.99)" --output lake.svg
      branchwise solve "decision_process(file='m.csv')"
      branchwise solve leduc_poker --json
      branchwise run frozen_lake --bot optimal
    """
    from branchwise.cli.terminal.output_file import check_place
    from branchwise.cli.terminal.screen import Screen, show_json
    from branchwise.common.argument_checks import whole_number
    from branchwise.games import load_game
    from branchwise.solving.solve import solve as solved

    whole_number("rows", rows, 0, 10**9)
    if output is not None:
        check_place(output)
    screen = Screen(quiet=as_json)
    rules = load_game(game)
    asked = asked_about(rules, moves, seed, to_decision=False, sees_all=True) if moves else None
    with screen.working(f"solving {rules.name}, Ctrl-C: give up"):
        found = solved(rules if asked is None else asked.state, seconds=seconds)
    if output is not None:
        found.policy.save(output)
    if as_json:
        show_json({**found.to_dict(), **({} if asked is None else asked.to_dict())})
        return
    if asked is not None:
        asked.show_drawn(screen)
    screen.show(str(found))
    if rows:
        _show_policy(screen, found, rows)
    if output is not None:
        screen.show(f"written: {output}")


def small_words(start: Game, game: str, options: str = "") -> list[str]:
    """Return the sentence that a problem with chance can be solved by `solve GAME OPTIONS`, if it can."""
    from branchwise.solving.small_problems import states_of_small

    states = states_of_small(start)
    solving = f'branchwise solve "{game}"{options}'
    told = f"{start.name} is small enough to be solved exactly, with {states or 0:,} states: {solving}"
    return [] if states is None else [told]


def _show_policy(screen: Screen, found: Solution, rows: int) -> None:
    from branchwise.solving.policy_tables import text_table
    from branchwise.solving.state_policy import StatePolicy

    screen.show("")
    if isinstance(found.policy, StatePolicy):
        screen.show(text_table(found.policy, rows))
        return
    for state in found.policy.information_states[:rows]:
        shares = found.policy(state).items()
        told = [f"{state.action_to_string(action)} {share:.4f}" for action, share in shares]
        screen.show(f"{state}\n  {', '.join(told)}")
