"""`branchwise check`: the rule checker, with compiled rules and plain Python side by side."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwise.cli.terminal.declare_options import option
from branchwise.cli.terminal.options import GameArgument, JsonOption, move_list

if TYPE_CHECKING:
    from branchwise.cli.terminal.screen import Screen
    from branchwise.common.errors import BranchwiseError
    from branchwise.game.rules_class import Game
    from branchwise.testing import CheckReport

FAULT_FOUND = 1

_OPTIONAL_METHODS = "docs/writing-a-game.md, Optional methods"


def check(
    game: GameArgument,
    games: Annotated[
        int | None,
        option("--games N", "Random games to play, from 1; default 100,000, or 2,000 with --python."),
    ] = None,
    seconds: Annotated[float, option("--seconds S", "Stop after about S seconds.")] = 30.0,
    moves: Annotated[
        str | None,
        option("--moves MOVES", 'Check one line of moves, such as "d1 d2", and no random games.'),
    ] = None,
    seed: Annotated[int, option("--seed N", "The same seed plays the same games.")] = 0,
    python_only: Annotated[
        bool, option("--python", "Check the rules only in plain Python; compile nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Find the first fault in the rules of a game.

    Plays random games: a few in plain Python, then all compiled, and up to 2,000 in both forms side by side.
    Checks every state: players, legal actions, returns, text forms, copies. Reports the first fault with the
    moves that lead to it; the exit code is then 1. Compiled games take at most half of the time.

    \b
    Examples:
      branchwise check my_game.py
      branchwise check my_game.py:MyGame --moves "d1 d2 c1"
      branchwise check connect_four --games 10000 --seed 7
    """
    from branchwise.cli.terminal.screen import Screen, show_json
    from branchwise.common.errors import GameError
    from branchwise.games import load_game
    from branchwise.networks.same_inputs import same_inputs
    from branchwise.testing import check_game, replay_moves

    screen = Screen(quiet=as_json)
    try:
        rules = load_game(game)
        with screen.working(f"checking {rules.name}, Ctrl-C: give up"):
            played = None if moves is None else move_list(moves, rules)
            if played is None:
                report = check_game(
                    rules, games, seconds=seconds, seed=seed, compiled=not python_only, source=game
                )
                alike = same_inputs(rules, min(1.0, seconds / 10), seed)
            else:
                state = replay_moves(rules, played, compiled=not python_only, source=game)
    except GameError as fault:
        _tell_fault(game, fault, screen, as_json)
        raise typer.Exit(FAULT_FOUND) from None
    if played is not None:
        if as_json:
            show_json({"game": rules.name, "ok": True, "fault": None, "moves": len(played)})
        screen.show_board(state)
        screen.show("", f"{rules.name}: no fault in these {len(played)} moves")
        return
    if as_json:
        show_json({**_summary(report, rules), "same_inputs": alike})
    seen = [] if alike is None else [f"  networks: {alike}"]
    screen.show(str(report), *seen, *_more_lines(report, rules))
    if report.seconds >= seconds:
        screen.show(f"  stopped after {seconds:g} s: --seconds allows more")


def _tell_fault(name: str, fault: BranchwiseError, screen: Screen, as_json: bool) -> None:
    from branchwise.cli.terminal.screen import show_error, show_json

    if as_json:
        parts = {part: getattr(fault, part) for part in ("problem", "after", "mend", "replay")}
        show_json({"game": name, "ok": False, "fault": parts})
    else:
        show_error(fault, screen.out)


def _more_lines(report: CheckReport, rules: type[Game]) -> list[str]:
    alone = rules.num_players == 1
    players = [
        ("" if alone else f"player {entry['player']} wins {entry['wins'] / report.games:.1%}, ")
        + f"mean {entry['mean_return']:+.3f}"
        for entry in _by_player(report, rules)
    ]
    optional, stronger = _optional_methods(rules), _stronger_with(rules)
    return [
        f"  {'random play' if alone else 'players'}: {'; '.join(players)}",
        f"  optional methods: {', '.join(optional) or 'none'}",
        *(f"  not used: {name}, unless MCTS is told: {how}" for name, how in _unused(rules).items()),
        *([f"  stronger with: {', '.join(stronger)}; see {_OPTIONAL_METHODS}"] if stronger else []),
        f"  time: {report.seconds:.1f} s",
    ]


def _summary(report: CheckReport, rules: type[Game]) -> dict[str, Any]:
    return {
        "game": report.game,
        "ok": True,
        "fault": None,
        "compared_with": report.mirror,
        "compared_games": report.compared,
        "games": report.games,
        "moves": report.moves,
        "shortest": report.shortest,
        "longest": report.longest,
        "mean_length": report.moves / report.games,
        "most_actions": report.most_actions,
        "results": [{"returns": list(r), "games": count} for r, count in report.results.most_common()],
        "players": _by_player(report, rules),
        "optional_methods": _optional_methods(rules),
        "not_used": list(_unused(rules)),
        "stronger_with": _stronger_with(rules),
        "deals": None if report.deals is None else asdict(report.deals),
        "notes": report.notes,
        "seconds": report.seconds,
    }


def _by_player(report: CheckReport, rules: type[Game]) -> list[dict[str, Any]]:
    """Return for each player the number of games won alone, and the mean return."""
    found = []
    for player in range(rules.num_players):
        total = sum(returns[player] * count for returns, count in report.results.items())
        wins = sum(
            count
            for returns, count in report.results.items()
            if returns[player] == max(returns) and returns.count(max(returns)) == 1
        )
        found.append({"player": player, "wins": wins, "mean_return": total / report.games})
    return found


def _unused(rules: type[Game]) -> dict[str, str]:
    """Return the methods that a search does not use unless told, each with how to tell it."""
    told = {
        "playout_action": 'playout="game", or playout = "game" in the class',
        "evaluate": "cutoff=20, or playout_cutoff = 20 in the class",
        "prior": 'selection="puct"',
    }
    uses = {"playout_action": rules.playout.startswith("game"), "evaluate": rules.playout_cutoff is not None}
    written = _optional_methods(rules)
    return {name: how for name, how in told.items() if name in written and not uses.get(name, False)}


def _stronger_with(rules: type[Game]) -> list[str]:
    """Return the methods that the class does not have and that would make searches of it stronger."""
    from branchwise.game.kinds.continuous_actions import has_box
    from branchwise.game.kinds.game_kinds import (
        has_chance,
        is_partially_observed,
        is_simulator,
        samples_outcomes,
    )
    from branchwise.game.kinds.hidden_information import hides_information

    if has_box(rules) or rules._joint:
        helpful = ["evaluate"]
    else:
        helpful = ["evaluate", "prior", "playout_action"]
        drawn = has_chance(rules) or is_simulator(rules) or samples_outcomes(rules)
        if rules.num_players == 1 and not (drawn or is_partially_observed(rules) or hides_information(rules)):
            helpful.append("action_code")
    written = _optional_methods(rules)
    return [name for name in helpful if name not in written]


def _optional_methods(rules: type[Game]) -> list[str]:
    from branchwise.game.kinds.game_kinds import OPTIONAL_RULES
    from branchwise.game.rules_class import rule_functions

    return [name for name in OPTIONAL_RULES if name != "returns" and name in rule_functions(rules)]
