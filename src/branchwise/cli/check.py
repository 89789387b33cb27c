"""`branchwise check`: the rule checker, with the compiled form of the rules in step with plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from branchwise.cli.options import GameArgument, JsonOption, move_list

if TYPE_CHECKING:
    from branchwise.cli.screen import Screen
    from branchwise.compile.observe import CompiledState
    from branchwise.errors import BranchwiseError
    from branchwise.game import Game
    from branchwise.testing import CheckReport, Observation

FAULT_FOUND = 1
_FIRST_GAMES = 20


class CompiledMirror:
    """The compiled form of a game, as the rule checker compares it with plain Python."""

    label = "compiled code"

    def __init__(self, game: type[Game]) -> None:
        from branchwise.compile.observe import CompiledState

        self._state: CompiledState = CompiledState(game)

    def start(self) -> None:
        self._state.start()

    def apply(self, action: int, /) -> None:
        self._state.apply(action)

    def observation(self) -> Observation:
        from branchwise.testing import Observation

        state = self._state
        if state.terminal:
            return Observation(True, returns=state.returns, record=state.record)
        return Observation(False, state.player, state.legal, record=state.record, evaluation=state.evaluation)


def check(
    game: GameArgument,
    games: Annotated[int, typer.Option(metavar="N", help="Random games to play, from 1.")] = 2000,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="Stop sooner, after about so many seconds.")
    ] = 30.0,
    moves: Annotated[
        str | None,
        typer.Option(metavar="MOVES", help='Check one line of moves, such as "d1 d2", and no random games.'),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed plays the same games.")] = 0,
    python_only: Annotated[
        bool, typer.Option("--python", help="Check the rules in plain Python alone, compiling nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Find the first fault in the rules of a game.

    Plays random games in plain Python and in compiled code in step, and looks at every state: players,
    legal actions, returns, text forms, copies. The first fault is told with the moves that lead to it, and
    the exit code is then 1.

    \b
    Examples:
      branchwise check my_game.py
      branchwise check my_game.py:MyGame --moves "d1 d2 c1"
      branchwise check connect_four --games 10000 --seed 7
    """
    from branchwise.cli.screen import Screen, show_json
    from branchwise.errors import GameError
    from branchwise.games import load_game

    screen = Screen(quiet=as_json)
    try:
        rules = load_game(game)
        if moves is None:
            report = _play_random_games(rules, game, games, seconds, seed, python_only, screen)
        else:
            state = _replay(rules, game, moves, python_only)
    except GameError as fault:
        _tell_fault(game, fault, screen, as_json)
        raise typer.Exit(FAULT_FOUND) from None
    if moves is not None:
        if as_json:
            played = move_list(moves)
            show_json({"game": rules.name, "ok": True, "fault": None, "moves": len(played)})
        screen.show_board(state)
        screen.show("", f"{rules.name}: no fault in these {len(move_list(moves))} moves")
        return
    if as_json:
        show_json(_summary(report, rules))
    screen.show(str(report), *_more_lines(report, rules), whole=True)
    if report.games < games:
        screen.show(f"  stopped after {report.seconds:.0f} of at most {seconds:g} s: --seconds allows more")


def _play_random_games(
    rules: type[Game], source: str, games: int, seconds: float, seed: int, python_only: bool, screen: Screen
) -> CheckReport:
    from branchwise.testing import check_game

    with screen.working(f"checking {rules.name}, Ctrl-C: give up"):
        # A few games in plain Python first: what is wrong there is said better than by a compiler.
        few = min(games, games if python_only else _FIRST_GAMES)
        report = check_game(rules, few, seconds=seconds, seed=seed, source=source)
        if python_only:
            return report
        return check_game(
            rules, games, seconds=seconds, seed=seed, mirror=CompiledMirror(rules), source=source
        )


def _replay(rules: type[Game], source: str, moves: str, python_only: bool) -> Game:
    from branchwise.testing import replay_moves

    state = replay_moves(rules, move_list(moves), source=source)
    if python_only:
        return state
    return replay_moves(rules, move_list(moves), mirror=CompiledMirror(rules), source=source)


def _tell_fault(name: str, fault: BranchwiseError, screen: Screen, as_json: bool) -> None:
    from rich.text import Text

    from branchwise.cli.screen import show_json

    if as_json:
        parts = {part: getattr(fault, part) for part in ("problem", "after", "mend", "replay")}
        show_json({"game": name, "ok": False, "fault": parts})
    else:
        screen.show(Text.assemble((f"{type(fault).__name__}: ", "bold red"), str(fault)), whole=True)


def _more_lines(report: CheckReport, rules: type[Game]) -> list[str]:
    players = [
        f"player {entry['player']} wins {entry['wins'] / report.games:.1%}, mean {entry['mean_return']:+.3f}"
        for entry in _by_player(report, rules)
    ]
    optional = _optional_methods(rules)
    return [
        f"  players: {'; '.join(players)}",
        f"  optional methods: {', '.join(optional) or 'none'}",
        f"  time: {report.seconds:.1f} s, {report.games / max(report.seconds, 1e-9):,.0f} games/s",
    ]


def _summary(report: CheckReport, rules: type[Game]) -> dict[str, Any]:
    return {
        "game": report.game,
        "ok": True,
        "fault": None,
        "compared_with": report.mirror,
        "games": report.games,
        "moves": report.moves,
        "shortest": report.shortest,
        "longest": report.longest,
        "mean_length": report.moves / report.games,
        "most_actions": report.most_actions,
        "results": [{"returns": list(r), "games": count} for r, count in report.results.most_common()],
        "players": _by_player(report, rules),
        "optional_methods": _optional_methods(rules),
        "seconds": report.seconds,
    }


def _by_player(report: CheckReport, rules: type[Game]) -> list[dict[str, Any]]:
    """Return for each player the games that ended with the best return, alone, and the mean return."""
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


def _optional_methods(rules: type[Game]) -> list[str]:
    from branchwise.game import OPTIONAL_RULES, rule_functions

    return [name for name in OPTIONAL_RULES if name in rule_functions(rules)]
