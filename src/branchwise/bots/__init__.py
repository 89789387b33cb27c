"""Bots, which choose actions, and finding bots by their text form.

Imports planners and what is below them; `arena`, `web` and `cli` may import it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from branchwise.catalogue.registry import Registry, object_at
from branchwise.catalogue.trusted_code import CODE_OPTIONS, is_place
from branchwise.common.errors import SettingsError, nearest_name
from branchwise.common.name_and_options import parse_spec

if TYPE_CHECKING:
    from branchwise.bots.base.bot import Bot

BOTS = Registry(
    kind="bot",
    base="branchwise.bots.base.bot:Bot",
    builtin={
        "engine": "branchwise.bots.programs.engine:EngineBot",
        "flat": "branchwise.bots.players.flat:FlatBot",
        "gtp": "branchwise.bots.programs.gtp:GtpBot",
        "human": "branchwise.bots.players.human:HumanBot",
        "ismcts": "branchwise.bots.players.ismcts:ISMCTSBot",
        "level": "branchwise.bots.strength.level:LevelBot",
        "mcts": "branchwise.bots.players.mcts:MCTSBot",
        "minimax": "branchwise.bots.players.minimax:MinimaxBot",
        "moismcts": "branchwise.bots.players.information_sets:MOISMCTSBot",
        "net": "branchwise.bots.players.net:NetBot",
        "oos": "branchwise.bots.players.information_sets:OOSBot",
        "optimal": "branchwise.bots.players.optimal:OptimalBot",
        "pimc": "branchwise.bots.players.pimc:PIMCBot",
        "pomcp": "branchwise.bots.players.pomcp:POMCPBot",
        "random": "branchwise.bots.players.random:RandomBot",
        "rule": "branchwise.bots.players.playout_rule:RuleBot",
        "tuned": "branchwise.bots.strength.tuned:TunedBot",
        "uci": "branchwise.bots.programs.uci:UciBot",
    },
)

_known_options: dict[type, list[str]] = {}


def load_bot(text: str, seed: int | None = None) -> Bot:
    """Return the bot that `text` names, such as `mcts(seconds=1,c=1.0)`, `random` or `my_bot.py:MyBot`.

    The options `selection` and `evaluator` may name a function in a file: `mcts(selection=my_rules.py:rule)`.
    seed : the bot's seed, unless the text gives one. Raises `UnknownNameError` for an unknown bot or option,
    with the nearest known one, and `SettingsError` for a value outside its range.

    >>> load_bot("mcts(simulations=100)", seed=1)
    mcts(simulations=100,seed=1)
    """
    name, options = parse_spec(text)
    cls = BOTS.find(name)
    known = _options_of(cls)
    for option in options:
        if option not in known:
            raise nearest_name(f"option of {name}", option, known)
    options = with_functions(options)
    if seed is not None and "seed" in known:
        options.setdefault("seed", seed)
    try:
        bot: Bot = cls(**options)
    except TypeError as error:
        raise SettingsError(f"{text}: {error}") from error
    return bot


def with_functions(options: Mapping[str, object]) -> dict[str, Any]:
    """Return options with what their places name: `selection=my_rules.py:rule`, and the same of `evaluator`.

    Runs the file; a text from elsewhere needs consent first: see `consent.runs_code`.
    """
    found: dict[str, Any] = dict(options)
    for option in CODE_OPTIONS:
        if is_place(options.get(option)):
            place, given = parse_spec(str(options[option]))
            found[option] = object_at(place, "selection rule" if option == "selection" else option)
            if given and option == "selection":
                from branchwise.search.settings.selection import find_rule

                found[option] = find_rule(found[option]).with_options(given)
            elif given:
                raise SettingsError(
                    f"{option}={options[option]} has options, which an {option} does not take"
                )
    return found


def _options_of(bot: type[Bot]) -> list[str]:
    """Return the options of a bot; cached, because reading a signature is slower than a quick bot's move."""
    if bot not in _known_options:
        _known_options[bot] = bot.option_names()
    return _known_options[bot]


def register_bot(bot: type[Bot], name: str) -> None:
    """Register the class `bot` as `name`, for `load_bot` and the command line."""
    BOTS.register(name, bot)


def bot_names() -> list[str]:
    """Return the names of all known bots."""
    return BOTS.names()
