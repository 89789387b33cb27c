"""Playing games with hidden information at a terminal: a person sees what that player may see."""

import io
import json
import re
import tempfile
from pathlib import Path

import pytest
from rich.console import Console

import branchwise as bw
from branchwise.bots import load_bot
from branchwise.bots.base.bot import Bot
from branchwise.cli.play.dialogue import Dialogue
from branchwise.cli.play.terminal_session import Session
from branchwise.cli.terminal.screen import Screen
from branchwise.games import load_game
from branchwise.rules.playthrough.position import position_after


class Trying(Bot):
    """Tries the cells from the last, or takes the last legal action."""

    def choose(self, state):
        return state.legal_actions()[-1]


def sit(game, *lines, humans=(0,), opening=(), bot=None):
    """Play a script, and return what was shown."""
    written, left = io.StringIO(), list(lines)
    screen = Screen(
        Console(file=written, width=100, markup=False, highlight=False),
        Console(file=io.StringIO(), width=100),
    )

    def ask(prompt):
        if not left:
            raise EOFError
        written.write(f"{prompt}{left[0]}\n")
        return left.pop(0)

    session = Session(load_game(game), bot or Trying(), humans, opening, seed=1)
    adviser = load_bot("pimc(simulations=60,deals=3)", seed=1)

    def load(text):
        loaded = load_bot(text, seed=1)
        loaded.check_game(session.game)
        return loaded

    Dialogue(session, screen, ask=ask, load=load, adviser=adviser).run()
    return written.getvalue()


def test_nobody_is_told_the_deal_or_the_others_card():
    shown = sit("kuhn_poker", "moves", opening=["J", "K"])
    assert "chance" not in shown.partition("> moves")[0]
    assert "player 0     J" in shown
    assert "player 1     ?" in shown
    assert "player 1     K" not in shown
    assert "Played: chance J, chance ?\n" in shown


def test_all_is_shown_when_the_game_is_over():
    shown = sit("kuhn_poker", "bet", opening=["J", "K"])
    before, _, after = shown.partition("> bet")
    assert "player 1     K" not in before
    assert "player 1     K" in after
    assert "player 1 plays bet" in after
    assert "player 1 (trying) wins" in after.replace("bot", "trying")


def test_moves_of_which_a_person_sees_nothing_are_not_shown():
    """The bot tries c1, which is taken, before c2: neither the try nor the cell is shown."""
    shown = sit("phantom_tic_tac_toe", "c1", "moves")
    between = shown.partition("> c1")[2].partition("> moves")[0]
    assert between.count("O has moved") == 1
    assert between.count("3  . . .") == 2  # after the own move, and after the other's
    assert "c2" not in between.replace("X to move: a3 b3 c3 a2 b2 c2", "")
    assert "Played: X c1, O ?\n" in shown


def test_a_hint_is_searched_in_dealt_states_and_undo_names_no_moves():
    shown = sit("kuhn_poker", "hint", "pass", "undo", opening=["K", "J"])
    assert "Best move found: bet" in shown
    assert "Took back: 2 moves." in shown


def test_two_people_see_their_own_cards_in_turn():
    shown = sit("kuhn_poker", "pass", "pass", humans=(0, 1), opening=["J", "K"])
    first, _, rest = shown.partition("> pass")
    second = rest.partition("> pass")[0]
    assert re.search(r"> player 0     J .*\n  player 1     \?", first)
    assert re.search(r"  player 0     \? .*\n> player 1     K", second)


def test_a_bot_that_searches_states_is_refused_and_play_goes_on():
    shown = sit("kuhn_poker", "opponent mcts(simulations=50)", "opponent", opening=["K", "J"])
    assert "kuhn_poker has hidden information, and mcts searches states, which no player sees" in shown
    assert "You are player 0; trying plays player 1." in shown.rpartition("> opponent\n")[2]


def test_hidden_outcomes_cannot_be_typed_in():
    with pytest.raises(bw.SettingsError, match="nobody can type it in"):
        Session(load_game("kuhn_poker"), Trying(), (0,), types_dice=True)


def test_the_default_opponent_is_one_that_does_not_cheat(run):
    shown = run("play", "kuhn_poker", "--simulations", "60", "--seed", "1")
    assert shown.code == 0, shown.err
    assert "ismcts(simulations=60,seed=1) plays kuhn_poker against itself" in " ".join(shown.out.split())


@pytest.mark.parametrize(
    "words",
    [
        ("play", "kuhn_poker", "--opponent", "mcts"),
        ("match", "kuhn_poker", "mcts", "random"),
        ("bench", "kuhn_poker"),
        ("gtp", "kuhn_poker", "--bot", "random"),
    ],
    ids=lambda words: words[0],
)
def test_what_would_see_everything_is_refused_in_one_sentence(run, words):
    shown = run(*words)
    assert shown.code == 2
    assert "kuhn_poker has hidden information" in shown.err
    assert "Traceback" not in shown.err


def searched(run, moves, **settings):
    """Return what a search of Kuhn poker after `moves` prints as JSON."""
    words = [f"--{name}={value}" for name, value in settings.items()]
    shown = run("search", "kuhn_poker", "--moves", moves, "--simulations", "300", "--json", *words)
    assert shown.code == 0, shown.err
    return json.loads(shown.out)


def test_a_search_of_a_hidden_game_is_of_what_the_player_knows(run):
    """With the queen, player 1 faces a bet and cannot tell a jack from a king: both are searched alike."""
    jack, king = (searched(run, f"{card} Q bet", seed=1) for card in "JK")
    assert jack["children"] == king["children"]
    assert {child["move"] for child in jack["children"]} == {"pass", "bet"}
    assert (jack["simulations"], jack["moves"]) == (300, ["J", "Q", "bet"])
    shown = run("search", "kuhn_poker", "--moves", "J Q bet", "--simulations", "300")
    assert re.search(r"  player 0     \? .*\n> player 1     Q", shown.out)


@pytest.mark.parametrize("form", ["text", "json", "svg", "html", "dot", "csv"])
def test_a_tree_of_a_hidden_game_is_of_what_the_player_knows(run, form):
    """Whether the other holds the jack or the king, every form of the tree is the same."""
    words = ("--simulations", "300", "--seed", "1", "--format", form, "--output")
    jack, king = (
        _written(run, "tree", "kuhn_poker", "--moves", f"{card} Q bet", *words) for card in ("J", "K")
    )
    assert jack.replace('"J"', '"K"') == king  # the moves that were given
    assert "pass" in jack


def _written(run, *words):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shown"
        shown = run(*words, str(file))
        assert shown.code == 0, shown.err
        return re.sub(r'"seconds": .*', "", file.read_text())


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_a_walkthrough_of_a_hidden_game_is_of_what_the_player_knows(run, form):
    words = ("--simulations", "6", "--seed", "1", "--format", form, "--output")
    jack, king = (
        _written(run, "walkthrough", "kuhn_poker", "--moves", f"{card} Q bet", *words) for card in ("J", "K")
    )
    assert jack.replace('"J",\n    "Q",\n    "bet"', '"K",\n    "Q",\n    "bet"') == king
    assert "pass" in jack


@pytest.mark.parametrize("command", ["search", "tree", "walkthrough"])
def test_hidden_deals_are_drawn_by_the_seed_and_shown_as_the_player_sees_them(run, command):
    """Of the seeds that deal player 0 the jack, some deal player 1 the queen and some the king."""
    shown = {}
    for seed in map(str, range(12)):
        text = run(command, "kuhn_poker", "--seed", seed, "--simulations", "20").out
        mine, other = dealt(int(seed))
        assert f"as player 0 saw it: {mine}, ?\n" in text
        shown.setdefault((mine, other), text.replace(f"--seed {seed}", ""))
    assert {("J", "Q"), ("J", "K")} <= shown.keys()


def dealt(seed):
    position = position_after(load_game("kuhn_poker")(), [], bw.Random(seed))
    return position.played.text.split()


def test_hearts_is_searched_without_a_deal(run):
    told = json.loads(run("search", "hearts", "--simulations", "20", "--seed", "1", "--json").out)
    assert len(told["drawn"]) == 53
    assert set(told["drawn"][1:]) == {"?"}
    assert 1 <= len(told["children"]) <= 13


def test_a_search_may_be_asked_to_see_everything(run):
    everything = {"settings": "perfect_information=True"}
    jack, king = (searched(run, f"{card} Q bet", **everything)["value"] for card in "JK")
    assert jack > 0.9 > -0.9 > king


def test_a_search_of_a_hidden_game_that_is_over_is_refused(run):
    shown = run("search", "kuhn_poker", "--moves", "J K bet bet")
    assert (shown.code, "this kuhn_poker game is over" in shown.err) == (2, True)


def test_a_person_sees_the_own_fleet_and_what_shots_told():
    """The ship of the bot lies on c1 and c2; a shot at c2 tells a hit. In the end the ship is shown."""
    shown = sit("battleship(rows=2,columns=3,sizes=(2,),shots=2)", "a2h", "c2", "moves", "a1")
    laid = shown.partition("> a2h")[2].partition("> c2")[0]
    assert "player 1 has moved" in laid
    assert "Played: player 0 a2h, player 1 ?, player 0 c2, player 1 c1\n" in shown
    after_shot, _, over = shown.partition("> c2")[2].rpartition("player 1 plays c1")
    assert "2 a a .     2 . . x\n1 . . ~     1 . . .\n" in after_shot
    assert "A" not in after_shot
    assert "2 a a .     2 . . A\n1 . . ~     1 ~ . a\n" in over
