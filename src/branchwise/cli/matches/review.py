"""`branchwise review`: the mistakes of a stored game, the worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from branchwise.cli.matches.replay import GameNumberArgument, MatchArgument
from branchwise.cli.terminal.declare_options import option
from branchwise.cli.terminal.many_games import with_consent
from branchwise.cli.terminal.options import JsonOption, SeedOption, StoreOption, TrustOption

if TYPE_CHECKING:
    from branchwise.arena.review import MoveReview
    from branchwise.drawing.table import Table


def review(
    match: MatchArgument,
    number: GameNumberArgument,
    simulations: Annotated[int, option("--simulations N", "Simulations for each position, from 2.")] = 20_000,
    most: Annotated[int, option("--top N", "Mistakes to show, from 1.")] = 10,
    seed: SeedOption = None,
    trust: TrustOption = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rank the mistakes of a stored game by their loss.

    Every position after the opening is searched again; half of the simulations begin with the move that was
    played. Its loss is the value of the best move minus its own, for the player who made it. With hidden
    information, what that player knew is searched. Where all moved at once, an action is compared with the
    most probable other one in the mean strategy that the search finds.

    \b
    Examples:
      branchwise review 3 0
      branchwise review 3 0 --simulations 200000 --top 3
    """
    from branchwise.arena.review import decisions, ranked
    from branchwise.arena.review import review as judged
    from branchwise.arena.store.entries import stored_game
    from branchwise.arena.store.store import Store
    from branchwise.cli.terminal.screen import Screen, show_json
    from branchwise.common.argument_checks import whole_number
    from branchwise.search.settings.budget import MAX_SIMULATIONS

    whole_number("simulations", simulations, 2, MAX_SIMULATIONS)
    whole_number("top", most, 1, 1_000_000)
    with Store(store, create=False) as kept:
        stored = kept.match(match)
        record = kept.game(match, number)
    game = with_consent(lambda trust: stored_game(kept.file, stored, trust), trust)
    screen = Screen(quiet=as_json)
    count = decisions(record)
    reviews: list[MoveReview] = []
    with screen.working("reviewing") as tell:
        for reviewed in judged(game, record, simulations=simulations, seed=seed or 0):
            reviews.append(reviewed)
            tell(f"{len(reviews)} of {count} moves reviewed")
    worst = ranked(reviews)[:most]
    bots = [stored.bots[bot] for bot in record.plan.seating]
    if as_json:
        show_json(
            {
                "match": match,
                "game": number,
                "simulations": simulations,
                "moves": len(reviews),
                "mistakes": [_to_dict(reviewed, bots) for reviewed in worst],
            }
        )
    screen.show(f"match {match}, game {number}: {len(reviews)} moves, {simulations:,} simulations each", "")
    screen.show(_table(worst, bots) if worst else "No move lost anything.")


def _to_dict(reviewed: MoveReview, bots: list[str]) -> dict[str, Any]:
    state, move, better = reviewed.state, reviewed.move, reviewed.better
    assert better is not None
    return {
        "ply": move.ply + 1,
        "player": reviewed.player,
        "bot": bots[reviewed.player],
        "move": state.action_to_string(reviewed.played.action),
        "value": reviewed.played.value,
        "visits": reviewed.played.visits,
        "value_then": move.value,
        "best": state.action_to_string(better.action),
        "best_value": better.value,
        "best_visits": better.visits,
        "lost": reviewed.lost,
    }


def _table(worst: list[MoveReview], bots: list[str]) -> Table:
    from branchwise.drawing.table import Table

    table = Table()
    alone = len(bots) == 1
    who = () if alone else ("player", "bot")
    for name in ("move", *who, "lost", "value", "thought", "better", "value", "line"):
        table.add_column(name, justify="left" if name in ("bot", "better", "line") else "right")
    for reviewed in worst:
        state, move, better = reviewed.state, reviewed.move, reviewed.better
        assert better is not None
        table.add_row(
            f"{move.ply + 1}. {state.action_to_string(reviewed.played.action)}",
            *([] if alone else [str(reviewed.player), bots[reviewed.player]]),
            f"{reviewed.lost:.3f}",
            _signed(reviewed.played.value),
            _signed(move.value),
            state.action_to_string(better.action),
            _signed(better.value),
            reviewed.line,
        )
    return table


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.3f}"
