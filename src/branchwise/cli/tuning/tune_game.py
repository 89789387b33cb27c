"""`branchwise tune GAME`: finding the settings of MCTS that suit a game, and writing them beside it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.cli.terminal.many_games import GamesCommand, place_to_write
from branchwise.cli.terminal.match_options import duration
from branchwise.cli.tuning.sweep import strength_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from branchwise.arena.tuning.for_game import Trial, Tuning, TuningProgress, TuningResult
    from branchwise.cli.terminal.screen import Screen
    from branchwise.drawing.table import Table
    from branchwise.game.rules_class import Game
    from branchwise.search.settings.tuned import TunedSettings

SHOWN = 8
"""How many candidates of a race are shown; --json has all."""


def tune_game(command: GamesCommand, tuning: Tuning) -> None:
    """Tune a game, show the result and write its file."""
    from branchwise.games import load_game

    command = replace(command, so_far=so_far)
    file = settings_file(load_game(tuning.game), command.given["output"])
    command.screen.show(f"settings of {tuning.space.game.name}, each with its default first:", "")
    command.screen.show(str(tuning.space), "")
    _finish(command, command.begin(tuning.run), file)


def resume_game(command: GamesCommand, number: int | None) -> None:
    """Continue a tuning that was interrupted; of a complete one only show the result and write the file."""
    from branchwise.arena.tuning.for_game import Tuning
    from branchwise.games import load_game

    command = replace(command, so_far=so_far)
    result = command.resume(Tuning.resume, number)
    _finish(command, result, settings_file(load_game(result.reference), command.given["output"]))


def settings_file(game: type[Game], output: str | None) -> Path:
    """Return the file for the settings; raises `SettingsError` if it cannot be written."""
    from branchwise.common.errors import SettingsError
    from branchwise.search.settings.tuned import tuned_places

    places = tuned_places(game)
    if output is None and not places:
        raise SettingsError(f"{game.name} is in no file, so its settings have no place", mend="--output FILE")
    file = places[0] if output is None else Path(output).expanduser()
    return place_to_write(file, "settings", 'use --output FILE, and bw.MCTS.for_game(game, file="FILE")')


def so_far(state: TuningProgress) -> str:
    """Return the progress in one line."""
    standing = state.standing
    if standing is None:
        return state.words
    told = f"{state.words}: {standing.played:,} of {standing.games:,} games"
    if standing.remaining is not None:
        told += f", {duration(standing.remaining)} left of these"
    return told


def result_to_dict(result: TuningResult, file: str | None) -> dict[str, Any]:
    """Return a tuning as values for JSON."""
    return {
        "tune": result.id,
        "game": result.game,
        "ended_by": result.ended_by,
        "file": file,
        "simulations_of_defaults": result.of_defaults,
        "races": [[_trial_to_dict(one) for one in race] for race in result.races],
        "final": None if result.final is None else _trial_to_dict(result.final),
        "tuned": None if result.tuned is None else json.loads(result.tuned.to_json()),
    }


def tuned_words(tuned: TunedSettings) -> str:
    """Return what was found, in one sentence."""
    found = ", ".join(f"{name}={value}" for name, value in tuned.found.items())
    gain = f"{gain_text(tuned)} {'Elo' if tuned.unit == 'elo' else 'in mean return'}"
    games = f"in {tuned.games:,} new games"
    if tuned.unit != "elo" and tuned.gain is None:
        return f"the defaults stay: a bot failed in the new games with the best settings found, {found}"
    if tuned.confirmed:
        return f"{found}: {gain} against the defaults {games}"
    return f"the defaults stay: the best settings found, {found}, were not clearly better, {gain} {games}"


def gain_text(tuned: TunedSettings) -> str:
    """Return the gain of tuned settings over the defaults, with its interval; '' if a bot failed alone."""
    from branchwise.arena.statistics.elo import EloDifference
    from branchwise.arena.statistics.means import Mean

    if tuned.unit != "elo":
        return "" if tuned.gain is None else str(Mean(tuned.games, tuned.gain, tuned.low, tuned.high))
    low = -math.inf if tuned.low is None else tuned.low
    high = math.inf if tuned.high is None else tuned.high
    gain = tuned.gain
    if gain is None:
        gain = math.inf if tuned.low is not None else -math.inf
    return str(EloDifference(gain, low, high))


def _finish(command: GamesCommand, result: TuningResult, file: Path) -> None:
    """Write the file and show the result."""
    from branchwise.common.processes import write_whole

    if result.tuned is not None:
        write_whole(file, result.tuned.to_json().encode())

    def show(screen: Screen, result: TuningResult) -> None:
        _show(screen, result)
        if result.tuned is not None:
            screen.show("", tuned_words(result.tuned), "")
            screen.show(f"written to {file}", whole=True)

    written = None if result.tuned is None else str(file)
    command.end(result, lambda result: result_to_dict(result, written), show)


def _show(screen: Screen, result: TuningResult) -> None:
    number = "" if result.id is None else f" {result.id}"
    screen.show(f"tune{number}: {result.game}; the defaults have {result.of_defaults:,} simulations a move")
    for at, race in enumerate(result.races, 1):
        played = [one for one in race if one.games]
        if played:
            more = f", the best {SHOWN} of {len(played)} candidates" if len(played) > SHOWN else ""
            screen.show("", f"race {at}{more}", "")
            screen.show(_table(played[:SHOWN]))
    if any(one.games for race in result.races for one in race):
        screen.show("", "These games chose between the candidates, so the top looks better than it is.")
    if result.final is not None:
        screen.show("", "The winner, in new games:", "")
        screen.show(_table([result.final]))


def _table(trials: Sequence[Trial]) -> Table:
    from branchwise.arena.tuning.for_game import settings_text
    from branchwise.drawing.table import Table

    alone = trials[0].gaps.games > 0
    with_rivals = any(one.rival for one in trials)
    table = Table()
    table.add_texts("settings", *(["against"] if with_rivals else []))
    against = ("score", "95 %", "Elo", "95 %")
    table.add_numbers("simulations", "games", *(("more return", "95 %") if alone else against))
    for one in trials:
        row = [str(one), *([settings_text(one.rival)] if with_rivals else [])]
        row += [f"{one.simulations:,}", f"{one.games:,}"]
        if alone:
            mean = one.gaps.known
            row += ["failed", ""] if mean is None else [mean.shown, mean.interval]
        else:
            row += strength_words(one.score)
        table.add_row(*row)
    return table


def _trial_to_dict(trial: Trial) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "settings": dict(trial.settings),
        "simulations": trial.simulations,
        "rounds": trial.rounds,
        "games": trial.games,
    }
    if not trial.games:
        return shown
    if trial.gaps.games:
        mean = trial.gaps.known
        values = (None,) * 3 if mean is None else (mean.mean, mean.low, mean.high)
        return {**shown, **dict(zip(("more_return", "low", "high"), values, strict=True))}
    low, high = trial.score.interval()
    if trial.rival:
        shown["against"] = dict(trial.rival)
    return {**shown, **trial.score.counts(), "score": trial.score.mean, "low": low, "high": high}
