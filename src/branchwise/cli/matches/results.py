"""`branchwise results`: lists, shows and exports the matches and tournaments that were played."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

from branchwise.cli.terminal.declare_options import argument, option
from branchwise.cli.terminal.many_games import with_consent
from branchwise.cli.terminal.options import JsonOption, StoreOption, TrustOption

if TYPE_CHECKING:
    from pathlib import Path

    from branchwise.arena.records.record import GameRecord
    from branchwise.arena.store.store import StoredMatch
    from branchwise.drawing.table import Table


def results(
    match: Annotated[
        int | None,
        argument("[NUMBER]", "Number of a match or tournament; by default all are listed."),
    ] = None,
    games: Annotated[bool, option("--games", "List the games.")] = False,
    export: Annotated[
        str | None,
        option("--export FILE", "Write the games to a file: .jsonl, with all moves, or .csv."),
    ] = None,
    trust: TrustOption = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the matches and tournaments played, or show one.

    \b
    Examples:
      branchwise results
      branchwise results 3 --games
      branchwise results 3 --export games.jsonl
    """
    from branchwise.arena.match_result import MatchResult
    from branchwise.arena.store.store import TOURNAMENT, Store
    from branchwise.arena.tournament_result import TournamentResult
    from branchwise.cli.matches.match import result_to_dict, show_result
    from branchwise.cli.matches.tournament import show_tournament, tournament_to_dict
    from branchwise.cli.terminal.screen import Screen, show_json
    from branchwise.common.errors import SettingsError

    screen = Screen(quiet=as_json)
    with Store(store, create=False) as kept:
        if match is None:
            if games or export is not None:
                raise SettingsError(
                    "the number of the match is missing", mend="branchwise results lists them"
                )
            found = kept.matches()
            if as_json:
                show_json([match_to_dict(one) for one in found])
            screen.show(_list(found) if found else f"{kept.file} has no matches.")
            return
        stored = kept.match(match)
        records = kept.games(match, moves=export is not None or games)
    if export is not None:
        _export(export, kept.file, stored, records, trust)
    if stored.kind == TOURNAMENT:
        tournament = TournamentResult.of_stored(stored, records)
        values = tournament_to_dict(tournament)
        show_tournament(screen, tournament)
    else:
        result = MatchResult.of_stored(stored, records)
        values = result_to_dict(result)
        show_result(screen, result, stored.kind)
    if as_json:
        shown = {**match_to_dict(stored), **values, "settings": stored.settings}
        show_json({**shown, "versions": stored.versions})
    screen.show("", f"{stored.state}, started {_when(stored.begun)}; {_settings(stored)}", style="dim")
    if games:
        screen.show("", _games(stored, records))
    if export is not None:
        screen.show(f"{len(records):,} games written to {export}")


def match_to_dict(stored: StoredMatch) -> dict[str, Any]:
    """Return a match's entry in the list as values for JSON."""
    return {
        stored.kind: stored.id,
        "kind": stored.kind,
        "begun": stored.begun,
        "state": stored.state,
        "game": stored.game,
        "bots": list(stored.bots),
        "games": stored.games,
        "played": stored.played,
    }


def _export(file: str, source: Path, stored: StoredMatch, records: list[GameRecord], trust: bool) -> None:
    from branchwise.arena.store.entries import stored_game
    from branchwise.arena.store.export import export

    game = with_consent(lambda trust: stored_game(source, stored, trust), trust)
    export(file, stored, records, game)


def _list(found: list[StoredMatch]) -> Table:
    from branchwise.arena.store.store import TOURNAMENT
    from branchwise.drawing.table import Table

    table = Table()
    table.add_numbers("match")
    table.add_texts("begun", "game", "bots")
    table.add_numbers("games")
    table.add_texts("state")
    for one in found:
        games = f"{one.played:,}" if one.played >= one.games else f"{one.played:,} of {one.games:,}"
        bots = " : ".join(one.bots)
        if one.kind == TOURNAMENT:
            bots = f"{one.settings.get('format', one.kind)}: {', '.join(one.bots)}"
        table.add_row(str(one.id), _when(one.begun), one.game, bots, games, one.state)
    return table


def _games(stored: StoredMatch, records: list[GameRecord]) -> Table:
    from branchwise.drawing.table import Table

    table = Table()
    players = len(records[0].plan.seating) if records else 0
    table.add_numbers("game")
    table.add_texts(*(f"player {player}" for player in range(players)))
    table.add_numbers("returns")
    table.add_texts("ending")
    table.add_numbers("moves", "seconds")
    for record in records:
        table.add_row(
            str(record.number),
            *(stored.bots[bot] for bot in record.plan.seating),
            "" if record.is_void else " ".join(f"{number:+g}" for number in record.returns),
            record.ending,
            str(len(record.actions)),
            f"{record.seconds:.2f}",
        )
    return table


def _settings(stored: StoredMatch) -> str:
    """Return the settings of a match that differ from the defaults, in a few words."""
    told = []
    for name, value in stored.settings.items():
        if name in ("simulations", "seconds", "clock", "increment", "openings_depth", "seed") and value:
            told.append(f"{name} {value}")
    if stored.settings.get("openings"):
        told.append(f"{len(stored.settings['openings'])} openings given")
    told.append(f"branchwise {stored.versions.get('branchwise', 'of unknown version')}")
    return ", ".join(told)


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
