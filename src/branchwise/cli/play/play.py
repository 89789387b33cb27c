"""`branchwise play`: a game against a bot in the terminal; without a terminal, bot against bot."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from branchwise.cli.terminal.declare_options import option
from branchwise.cli.terminal.options import (
    GameArgument,
    JsonOption,
    LevelsOption,
    MovesOption,
    SecondsOption,
    SeedOption,
    SimulationsOption,
    move_list,
)

if TYPE_CHECKING:
    from branchwise.bots.base.bot import Bot
    from branchwise.cli.play.terminal_session import Session
    from branchwise.cli.terminal.screen import Screen
    from branchwise.game.rules_class import Game

UNATTENDED_SIMULATIONS = 2000
_TAKEN_LIMITS = {
    **dict.fromkeys(
        ("mcts", "tuned", "flat", "ismcts", "moismcts", "oos", "pimc", "pomcp"), ("seconds", "simulations")
    ),
    **dict.fromkeys(("engine", "gtp", "uci"), ("seconds",)),
}


def play(
    game: GameArgument,
    opponent: Annotated[
        str | None,
        option(
            "--opponent BOT",
            "The bot for the other players: mcts(seconds=2,c=0.5), flat, minimax(depth=6), random, "
            "human, engine(command='./my_engine'). Default: mcts, with joint=regret_matching where all move "
            "at once, or ismcts with hidden information.",
        ),
    ] = None,
    level: Annotated[
        int | None,
        option(
            "--level 1..10",
            "A level of the game as the opponent, in place of --opponent; see branchwise levels.",
        ),
    ] = None,
    levels: LevelsOption = None,
    side: Annotated[
        str,
        option("--side SIDE", "The players you play: first, second, both, none, or numbers from 0."),
    ] = "first",
    seconds: SecondsOption = None,
    simulations: SimulationsOption = None,
    moves: MovesOption = "",
    dice: Annotated[
        str,
        option(
            "--dice WHO",
            "Who rolls the dice in a game of chance: rolled, the program does; typed, you do and type "
            "the result.",
        ),
    ] = "rolled",
    ponder: Annotated[
        bool,
        option("--ponder/--no-ponder", "Let the bot think in your time.", shown=False),
    ] = True,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play a game against a bot, with undo and hints.

    Without a terminal, or with --json, the bot plays itself. By default it thinks for one second per move, or
    for 2,000 simulations when it plays itself. Undo also takes back the dice after your move: the same move
    brings the same dice again, another move new ones. The same holds for random draws of a simulator.

    Where all players move at once, bots choose by the position before and never see your choice. Several
    people at the terminal type their choices unseen, one after the other.

    \b
    Examples:
      branchwise play connect_four
      branchwise play "nim(heaps=(3,4,5),max_take=0)" --side second --seconds 0.2
      branchwise play connect_four --level 3
      branchwise play tic_tac_toe --opponent "minimax(depth=9)"
      branchwise play backgammon --dice typed
      branchwise play goofspiel --side both
    """
    from branchwise.bots.players.human import HumanBot
    from branchwise.bots.strength.default_bot import usual_bot
    from branchwise.cli.play.terminal_session import DICE, Session, read_side
    from branchwise.cli.terminal.screen import Screen
    from branchwise.common.argument_checks import one_of
    from branchwise.common.errors import SettingsError
    from branchwise.game.kinds.game_kinds import is_partially_observed
    from branchwise.games import load_game
    from branchwise.rules.facts.game_type import check_joint_is_open

    rules = load_game(game)
    check_joint_is_open(rules, "this command")
    default = usual_bot(rules)
    types_dice = one_of("dice", dice, DICE) == "typed"
    attended = not as_json and sys.stdin.isatty() and sys.stdout.isatty()
    humans = read_side(side, rules)
    if types_dice and not rules.num_outcomes:
        raise SettingsError(f"{rules.name} has no dice", mend="leave out --dice")
    if types_dice and not attended:
        raise SettingsError("dice can only be typed in at a terminal", mend="leave out --dice")
    if level is not None:
        named = None if opponent == default else opponent
        opponent = _level_text(level, levels, named, seconds, simulations)
    elif levels is not None:
        raise SettingsError("--levels is given without a level", mend="add --level 3")
    if not attended and opponent in (None, default) and seconds is None and simulations is None:
        simulations = UNATTENDED_SIMULATIONS
    load = partial(_load_bot, rules, {"seconds": seconds, "simulations": simulations}, seed)
    bot = load(opponent or default)
    if isinstance(bot, HumanBot):
        humans, bot = frozenset(range(rules.num_players)), load(default)
    screen = Screen(quiet=as_json)
    if attended and humans and is_partially_observed(rules):
        raise SettingsError(
            f"{rules.name} is partially observed, and the board would show its state",
            mend="branchwise run lets bots plan it",
        )
    session = Session(
        rules, bot, humans if attended else (), move_list(moves, rules), seed=seed, types_dice=types_dice
    )
    try:
        if attended:
            _play_with(session, screen, load, ponders=ponder)
        else:
            play_unattended(session, screen)
    finally:
        session.bot.close()
    if as_json:
        from branchwise.cli.terminal.screen import show_json

        show_json(_summary(session, seed))


def play_unattended(session: Session, screen: Screen) -> None:
    """Let the bot play all players to the end of the game, showing each move."""
    from rich.text import Text

    from branchwise.cli.play.dialogue import bot_move
    from branchwise.cli.play.move_texts import chance_told, move_told, outcome
    from branchwise.common.errors import ResignedError

    how = "alone" if session.game.num_players == 1 else "against itself"
    screen.show(f"No terminal to play at: {session.bot!r} plays {session.game.name} {how}.")
    screen.show("")
    if not session.is_chances_turn:
        screen.show_board(session.state, session.before)
    while not session.is_over:
        if len(session.moves) >= session.game.max_game_length:
            screen.show("", f"Stopped after {len(session.moves)} moves, as many as a game may have.")
            return
        if session.is_chances_turn:
            rolled = chance_told(session.chance_move())
            screen.show("", Text.assemble(f"{len(session.moves)}. ", rolled))
            screen.show_board(session.state, session.before)
            continue
        try:
            move = bot_move(session, screen)
        except ResignedError as error:
            screen.show("", f"{error}.")
            return
        if move.result is not None and move.result.ended_by == "interrupted":
            raise KeyboardInterrupt
        screen.show("", Text.assemble(f"{len(session.moves)}. ", move_told(session, move)))
        if not session.is_chances_turn:
            screen.show_board(session.state, session.before)
    screen.show("", outcome(session))


def _play_with(session: Session, screen: Screen, load: Callable[[str], Bot], *, ponders: bool) -> None:
    from getpass import getpass

    from branchwise.bots.strength.default_bot import usual_bot
    from branchwise.cli.play.dialogue import Dialogue

    adviser = load(usual_bot(session.game))
    with suppress(ImportError):
        import readline  # noqa: F401 - gives `input` line editing and a history
    Dialogue(
        session, screen, ask=input, ask_unseen=getpass, load=load, adviser=adviser, ponders=ponders
    ).run()


def _level_text(
    level: int, file: str | None, opponent: str | None, seconds: float | None, simulations: int | None
) -> str:
    """Return the text form of a level's bot; raises `SettingsError` if other options contradict it."""
    from branchwise.common.errors import SettingsError
    from branchwise.common.name_and_options import format_spec

    given = {"--seconds": seconds, "--simulations": simulations, "--opponent": opponent}
    for name, value in given.items():
        if value is not None:
            raise SettingsError(
                f"{name} and --level both set the bot's strength", mend="leave one of them out"
            )
    return format_spec("level", {"level": level} | ({} if file is None else {"file": file}))


def _load_bot(game: type[Game], limits: dict[str, Any], seed: int | None, text: str) -> Bot:
    """Return a bot by its name, with the limits and the seed of the command line."""
    from branchwise.bots import load_bot
    from branchwise.common.name_and_options import format_spec, parse_spec

    name, options = parse_spec(text)
    takes = _TAKEN_LIMITS.get(name, ())
    given = {option: value for option, value in limits.items() if value is not None and option in takes}
    bot = load_bot(format_spec(name, {**given, **options}), seed=seed)
    bot.check_game(game)
    bot.impatient = True
    return bot


def _summary(session: Session, seed: int | None) -> dict[str, Any]:
    return {
        **session.to_dict(),
        "bot": repr(session.bot),
        "seed": seed,
        "returns": session.returns,
        "winners": session.winners(),
    }
