"""Our search against programs whose strength people know, at equal time.

Without `--against`, the opponent is OpenSpiel's C++ `MCTSBot`, in six games. Other opponents are named as
everywhere in Branchwise, with the game that they play.

    python benchmarks/opponents.py --json opponents.json
    python benchmarks/opponents.py --bot "mcts(playout=uniform)" --games 40 --json opponents.json
    python benchmarks/opponents.py --on go --seconds 5 --against "gtp(command='gnugo --mode gtp')"
    python benchmarks/opponents.py --totals --json opponents.json

A search gets as many simulations a move as it runs in `--seconds` of processor time, on average over the
positions of a game. This is measured for both sides in turn before the first match, so other work on the
machine affects neither. With `--by-clock`, for an idle machine, both play by the clock instead.

Every opening of random moves is played twice with seats exchanged. Matches are short and alternate between
the games. Each is written to `--json` as it ends; the next run with the same file plays the same numbers of
simulations, leaves out the matches that the file has, and prints the totals. Two runs side by side need two
files and seeds that lie far apart.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyspiel

import branchwise as bw
from branchwise.common.name_and_options import format_spec, parse_spec
from branchwise.games.go import NO_KO, Go
from kept_matches import Row, Rows, play, total, verdict

HERE = Path(__file__).resolve()
NO_SIMULATION_LIMIT = 2**31 - 1
NO_TIME_LIMIT = -1.0
NO_MEMORY_LIMIT = -1
LIMITS = {"seconds", "simulations", "max_nodes", "clock"}
OPENING_MOVES = 4
OPENING_MOVES_OF = {"amazons": 6}
"""Random moves before a game; a turn in Amazons has three."""
GAMES_OF_A_MATCH = 4
POSITIONS = 12
"""Positions of a game in which the simulations per second are measured."""
ROUNDS = 2
"""How often they are measured in each."""
PLAYED_WITH = 300
"""Simulations a move of the game that these positions are from."""


class SpielGo(Go):
    """Go as OpenSpiel plays it: the game is a draw as soon as a position is repeated."""

    name = "spiel_go"
    superko = True

    repeated: bool = False

    def apply_action(self, action):
        if action != self.points and self.was_seen(self.position_after(action)):
            self.repeated = True
        super().apply_action(action)

    def forbid_repetitions(self):
        """Forbid what the ko rule forbids, and no other repetition."""
        if self.ko != NO_KO:
            self.legal[self.ko // self.span] &= ~(1 << self.ko % self.span)

    def is_terminal(self):
        return self.repeated or super().is_terminal()

    def returns(self):
        if self.repeated:
            return (0.0, 0.0)
        return super().returns()


GAMES = {
    "othello": ("othello", "othello"),
    "hex": ("hex", "hex"),
    "breakthrough": ("breakthrough", "breakthrough"),
    "go": (f"{HERE}:SpielGo", "go(board_size=9)"),
    "amazons": ("amazons", "amazons"),
    "dots_and_boxes": ("dots_and_boxes(rows=5,columns=5)", "dots_and_boxes(num_rows=5,num_cols=5)"),
}
"""Our text form of each game that OpenSpiel plays here, and OpenSpiel's."""


def spiel_name(game: type[bw.Game]) -> str:
    """Return OpenSpiel's name of a game."""
    for ours, theirs in GAMES.values():
        if bw.load_game(ours).name == game.name:
            return theirs
    raise SystemExit(f"no game of OpenSpiel is known for {game.name}; there are {', '.join(GAMES)}")


def spiel_action(state: Any, action: int, other: Any) -> int:
    """Return OpenSpiel's number of our action; other : OpenSpiel's state.

    All games here but breakthrough have the same numbers. OpenSpiel counts the rows of breakthrough from the
    other end, and marks captures.
    """
    if not state.name.startswith("breakthrough"):
        return action
    texts = {mirrored(other.action_to_string(theirs), state.rows): theirs for theirs in other.legal_actions()}
    return int(texts[state.action_to_string(action)])


def our_action(state: Any, action: int, other: Any) -> int:
    """Return our number of OpenSpiel's action in its state `other`."""
    if not state.name.startswith("breakthrough"):
        return action
    text = mirrored(other.action_to_string(action), state.rows)
    return next(int(ours) for ours in state.legal_actions() if state.action_to_string(ours) == text)


def mirrored(text: str, rows: int) -> str:
    """Return the text of a move in breakthrough with rows counted from the other end.

    >>> mirrored("a7b6*", 8)
    'a2b3'
    """
    return re.sub(r"\d", lambda digit: str(rows + 1 - int(digit[0])), text).rstrip("*")


class Ran(NamedTuple):
    """The statistics of a search by OpenSpiel."""

    simulations: int


class OpenSpielBot(bw.Bot):
    """OpenSpiel's C++ `MCTSBot`, with proofs and a new tree for every move.

    uct_c : for returns from -1 to 1; OpenSpiel's example programs use 2, which is our c = 1.   rollouts :
    random games of a simulation.
    """

    name = "open_spiel"

    def __init__(
        self,
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        uct_c: float = 2.0,
        rollouts: int = 1,
        seed: int = 1,
    ) -> None:
        self._new_bot = partial(
            pyspiel.MCTSBot,
            evaluator=pyspiel.RandomRolloutEvaluator(rollouts, seed % 2**31),
            uct_c=uct_c,
            max_simulations=NO_SIMULATION_LIMIT if simulations is None else simulations,
            max_memory_mb=NO_MEMORY_LIMIT,
            solve=True,
            seed=seed % 2**31,
            verbose=False,
            max_wall_clock_time=NO_TIME_LIMIT if seconds is None else seconds,
        )
        self._game: type[bw.Game] | None = None
        self._forget()

    def choose(self, state: Any, limit: Any = None, moves: Sequence[int] | None = None) -> int:
        assert moves is not None, "the arena gives the moves so far"
        self._go_to(type(state), list(moves))
        root = self._bot.mcts_search(self._theirs)
        self.result = Ran(root.explore_count)  # type: ignore[assignment]
        return our_action(self._ours, int(root.best_child().action), self._theirs)

    def new_game(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._moves: list[int] = []
        self._ours: Any = None
        self._theirs: Any = None

    def _go_to(self, game: type[bw.Game], moves: list[int]) -> None:
        """Play the moves that are new since the last choice, in our state and in OpenSpiel's."""
        if game is not self._game:
            self._game = game
            self._spiel = pyspiel.load_game(spiel_name(game))
            self._bot = self._new_bot(self._spiel)
            self._forget()
        if self._ours is None or moves[: len(self._moves)] != self._moves:
            self._moves, self._ours, self._theirs = [], game(), self._spiel.new_initial_state()
        for action in moves[len(self._moves) :]:
            theirs = spiel_action(self._ours, action, self._theirs)
            self._ours.apply_action(action)
            self._theirs.apply_action(theirs)
        self._moves = moves


OPEN_SPIEL = f"{HERE}:OpenSpielBot"


class Contest(NamedTuple):
    """A game and two bots without limits, with the seconds a move that they may use."""

    game: str
    bot: str
    against: str
    seconds: float
    by_clock: bool

    @property
    def text_of_game(self) -> str:
        """The game as Branchwise loads it: against OpenSpiel, with its rules."""
        known = is_openspiel(self.against) and self.game in GAMES
        return GAMES[self.game][0] if known else self.game

    def values(self) -> Row:
        """Return what the file names it by, without a path of this machine."""
        return self._asdict() | {"against": self.against.replace(OPEN_SPIEL, OpenSpielBot.name)}


def is_openspiel(bot: str) -> bool:
    return parse_spec(bot)[0] == OPEN_SPIEL


def is_search(bot: str) -> bool:
    """Whether the bot can be limited by simulations; other programs have their own limits."""
    return is_openspiel(bot) or parse_spec(bot)[0] == "mcts"


def limited(bot: str, **limit: float) -> str:
    """Return a bot that searches with a limit, unless it has one; other bots are returned unchanged.

    >>> limited("mcts(c=0.5)", simulations=100), limited("mcts(seconds=1)", simulations=100)
    ('mcts(c=0.5,simulations=100)', 'mcts(seconds=1)')
    """
    name, options = parse_spec(bot)
    if not is_search(bot) or LIMITS & options.keys():
        return bot
    return format_spec(name, {**options, **limit})


def positions_of_play(game: str, seed: int) -> list[tuple[Any, list[int]]]:
    """Return positions at equal distances in a game between two searches, with the moves that led to them."""
    bot = bw.load_bot(f"mcts(simulations={PLAYED_WITH})", seed=seed)
    state = bw.load_game(game)()
    moves: list[int] = []
    found: list[tuple[Any, list[int]]] = []
    while not state.is_terminal():
        found.append((state.copy(), list(moves)))
        moves.append(bot.choose(state))
        state.apply_action(moves[-1])
    bot.close()
    count = min(POSITIONS, len(found))
    return [found[number * len(found) // count] for number in range(count)]


def simulations_in(contest: Contest) -> list[int | None]:
    """Return the simulations that each bot runs in its seconds a move; None for a bot with its own limits.

    This is the mean over the positions of a game, in processor time. In each position the bots take turns.
    """
    positions = positions_of_play(contest.text_of_game, seed=1)
    ran, spent = [0, 0], [0.0, 0.0]
    searches = {
        side: bw.load_bot(limited(bot, seconds=contest.seconds), seed=1)
        for side, bot in enumerate((contest.bot, contest.against))
        if is_search(bot)
    }
    for search in searches.values():  # compiled before
        search.choose(positions[0][0], None, positions[0][1])
    for state, moves in positions * ROUNDS:
        for side, search in searches.items():
            search.new_game()
            began = time.process_time()
            search.choose(state, None, moves)
            if search.result is not None:
                spent[side] += time.process_time() - began
                ran[side] += search.result.simulations
    return [round(n / took * contest.seconds) if took else None for n, took in zip(ran, spent, strict=True)]


def played(contest: Contest, simulations: Sequence[int | None], seed: int, games: int) -> Row:
    """Play a match and return its score."""
    bots = []
    for bot, count in zip((contest.bot, contest.against), simulations, strict=True):
        limit = {"seconds": contest.seconds} if count is None else {"simulations": count}
        bots.append(limited(bot, **limit))
    depth = OPENING_MOVES_OF.get(contest.game, OPENING_MOVES)
    return play(contest.text_of_game, bots, games=games, seed=seed, openings_depth=depth)


def show(of: Row, rows: Rows) -> None:
    """Print the total of a contest."""
    limits = [
        "the clock" if of["by_clock"] else "its own limits" if n is None else n for n in of["simulations"]
    ]
    counts = " : ".join(f"{n:,}" if isinstance(n, int) else n for n in limits)
    print(
        f"{of['game']:<14} {of['bot']} : {of['against']}, {of['seconds']:g} s, {counts}\n"
        f"{'':<14} {verdict(total(rows.of(of)))}",
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--on", nargs="+", default=list(GAMES), metavar="GAME", help=f"({' '.join(GAMES)})")
    parser.add_argument("--bot", default="mcts", help="our bot, without limits (mcts)")
    parser.add_argument("--against", default=OPEN_SPIEL, help="its opponent (OpenSpiel's MCTSBot)")
    parser.add_argument("--seconds", type=float, default=0.2, help="a move (0.2)")
    parser.add_argument("--games", type=int, default=200, help="of each game (200)")
    parser.add_argument("--seed", type=int, default=1, help="of a game's first match (1)")
    parser.add_argument("--by-clock", action="store_true", help="limit moves by the clock")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add the results to FILE")
    parser.add_argument("--totals", action="store_true", help="only print the totals of FILE")
    options = parser.parse_args(arguments)
    rows = Rows(options.json)
    if options.totals:
        for of in rows.contests():
            show(of, rows)
        return
    limits: dict[Contest, list[int | None]] = {}
    for game in options.on:
        contest = Contest(game, options.bot, options.against, options.seconds, options.by_clock)
        earlier = [of for of in rows.contests() if contest.values().items() <= of.items()]
        if earlier:
            limits[contest] = earlier[0]["simulations"]
        else:
            limits[contest] = [None, None] if options.by_clock else simulations_in(contest)
    unfinished = [({**contest.values(), "simulations": limits[contest]}, contest) for contest in limits]
    while unfinished:
        unfinished = [(of, contest) for of, contest in unfinished if rows.left(of, options.games)]
        for of, contest in unfinished:
            games = min(GAMES_OF_A_MATCH, rows.left(of, options.games))
            rows.add({**of, **played(contest, limits[contest], rows.next_seed(of, options.seed), games)})
            show(of, rows)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("interrupted; with --json, the same command continues") from None
