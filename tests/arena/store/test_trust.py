"""A store from elsewhere: the code that it names runs only if the user agrees."""

import json
import os
import sqlite3
import sys

import pytest
from typer.testing import CliRunner

import branchwise as bw
from branchwise.arena.store.store import Store
from branchwise.arena.store.trust_seal import UntrustedError, code_in, is_sealed, key_file, seal
from branchwise.arena.tuning.series import Series
from branchwise.catalogue.trusted_code import runs_code
from branchwise.cli.app import app
from branchwise.cli.terminal.many_games import with_consent

PLANTED = """
from pathlib import Path
import branchwise as bw
from branchwise.games.nim import Nim

Path(__file__).with_name("ran").touch()


class Planted(bw.Bot):
    def choose(self, state):
        return state.legal_actions()[0]


class PlantedNim(Nim):
    pass
"""


@pytest.fixture(autouse=True)
def data(monkeypatch, tmp_path):
    """A folder of the user's own, where the key is."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path / "data" / "branchwise")
    return tmp_path / "data" / "branchwise"


@pytest.fixture
def run():
    """Run the command line; returns its output, or its error if it must be `refused`."""

    def run(*words, refused=False):
        result = CliRunner().invoke(app, [str(word) for word in words], prog_name="branchwise")
        assert isinstance(result.exception, SystemExit | None)
        assert (result.exit_code != 0) is refused
        return result.stderr if refused else result.stdout

    return run


@pytest.fixture
def planted(tmp_path):
    file = tmp_path / "planted.py"
    file.write_text(PLANTED)
    return file


def begun(file, game, *bots):
    """Start a match and stop it after one of two games."""
    match = bw.Match(game, list(bots), games=2, seed=1, openings=[[]])
    played = match.run()
    with Store(file) as store:
        number = store.begin(match._rules.name, match.bots, 2, match.settings(), {})
        store.add(number, played.records[0])
        store.release(number)


def unload(planted):
    """Make a file run again when it is next loaded."""
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) == str(planted):
            del sys.modules[name]
    planted.with_name("ran").unlink()


def forget_key():
    """Make the store look like one from another machine or another user."""
    key_file().unlink()


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        ("nim(heaps=(3,4))", False),
        ("mcts(simulations=10)", False),
        ("level(level=3)", False),
        ("some_entry_point", False),
        ("my_bot.py", True),
        (" ./a/my_bot.py (x=1)", True),
        ("my_bot.py:MyBot", True),
        ("os.path:join", True),
        ("engine(command='rm -r /')", True),
        (" engine (command='ls')", True),
        ("level(level=3,file='levels.json')", True),
        ("mcts(selection=rave(bias=0.1),c=0.3)", False),
        ("mcts(selection=my_rules.py:rule)", True),
        ("mcts(c=1.0, selection='package.rules:rule')", True),
        ("mcts(evaluator=./nets/my_net.py)", True),
        (r"mcts(selection='my_rules\x2epy\x3arule')", True),
        ("mcts(selection='my_rules.p' 'y')", True),
        ("level(level=3,\N{LATIN SMALL LIGATURE FI}le='levels.json')", True),
        ("mcts(", True),
        (f"mcts(c={'-' * 100_000}1)", True),
    ],
)
def test_names_that_run_code_are_known(name, runs):
    assert runs_code(name) is runs


def test_a_match_of_ones_own_continues_without_a_question(tmp_path, planted):
    file = tmp_path / "matches.sqlite"
    begun(file, "nim", f"{planted}:Planted", "random")
    result = bw.Match.resume(file)
    assert result.ended_by == "games"


def test_a_match_from_elsewhere_runs_no_file_until_it_is_trusted(tmp_path, planted, run):
    file = tmp_path / "matches.sqlite"
    begun(file, "nim", f"{planted}:Planted", "random")
    forget_key()
    unload(planted)
    with pytest.raises(UntrustedError) as caught:
        bw.Match.resume(file)
    assert "match 1 in" in str(caught.value)
    assert f"was not begun by you on this machine, and would run {planted}:Planted" in str(caught.value)
    assert "--trust" in run("match", "--resume", "--store", file, refused=True)
    assert not (tmp_path / "ran").exists()
    assert json.loads(run("match", "--resume", "--trust", "--store", file, "--json"))["played"] == 2
    assert (tmp_path / "ran").exists()


def test_an_engine_of_a_match_from_elsewhere_is_not_started(tmp_path, run):
    file = tmp_path / "matches.sqlite"
    match = bw.Match("nim", ["random", "random"], games=2, seed=1, openings=[[]])
    evil = f"engine(command='touch {tmp_path / 'ran'}')"
    with Store(file) as store:
        number = store.begin("nim", match.bots, 2, match.settings(), {})
        store.release(number)
    settings = {**match.settings(), "bots": ["random", evil]}
    with sqlite3.connect(file) as db:  # changed by its sender; the seal is for other settings
        db.execute("UPDATE matches SET settings = ?", (json.dumps(settings),))
    db.close()
    with pytest.raises(UntrustedError, match="would run engine"):
        bw.Match.resume(file)
    assert not (tmp_path / "ran").exists()
    assert "random : random" in run("results", "--store", file)


def test_rules_from_elsewhere_are_not_read_to_show_a_game(tmp_path, planted, run):
    file = tmp_path / "matches.sqlite"
    begun(file, f"{planted}:PlantedNim", "random", "random")
    shown = run("replay", "1", "0", "--store", file)
    assert "The end" in shown
    forget_key()
    unload(planted)
    export = ("results", "1", "--export", tmp_path / "games.jsonl", "--store", file)
    for words in (("replay", "1", "0", "--store", file), ("review", "1", "0", "--store", file), export):
        assert "PlantedNim" in run(*words, refused=True).replace("\n", "")
    assert not (tmp_path / "ran").exists()
    assert "1 of 2 games" in run("results", "1", "--games", "--store", file)
    assert run("replay", "1", "0", "--store", file, "--trust") == shown


def test_a_match_of_built_in_names_continues_wherever_it_is_from(tmp_path, run):
    file = tmp_path / "matches.sqlite"
    begun(file, "nim", "random", "random")
    forget_key()
    assert bw.Match.resume(file).ended_by == "games"
    assert "The end" in run("replay", "1", "0", "--store", file)


@pytest.mark.parametrize("kind", ["sweep", "tune", "tuning"])
def test_a_series_from_elsewhere_is_refused_too(tmp_path, kind):
    settings = {"game": "nim", "bot": "planted.py:Planted(x={x})", "against": "random"}
    with Store(tmp_path / "matches.sqlite") as store:
        Series.begin(store, kind, settings)
        assert Series.find(store, kind, None)[1] == settings
        forget_key()
        with pytest.raises(UntrustedError, match=f"{kind} 1 in"):
            Series.find(store, kind, None)
        assert Series.find(store, kind, None, trust=True)[1] == settings


def test_a_tournament_from_elsewhere_is_refused_too(tmp_path, planted):
    file = tmp_path / "matches.sqlite"
    bots = [f"{planted}:Planted", "random"]
    tournament = bw.Tournament("nim", bots, games=2, seed=1, openings=[[]])
    with Store(file) as store:
        number = store.begin("nim", tournament.bots, 2, tournament.settings(), {}, kind="tournament")
        store.release(number)
    forget_key()
    with pytest.raises(UntrustedError, match="tournament 1 in"):
        bw.Tournament.resume(file)
    assert bw.Tournament.resume(file, trust=True).ended_by == "games"


def test_seals_are_of_the_settings_the_kind_and_the_users_key(data):
    settings = {"game": "a.py", "bots": ("random",), "seed": 1}
    mine = seal("match", settings)
    assert is_sealed("match", json.loads(json.dumps(settings)), mine)
    assert not is_sealed("match", {**settings, "seed": 2}, mine)
    assert not is_sealed("tournament", settings, mine)
    assert not is_sealed("match", settings, "")
    assert key_file().stat().st_mode & 0o777 == 0o600
    assert [file.name for file in data.iterdir()] == ["store.key"]
    forget_key()
    assert not is_sealed("match", settings, mine)
    assert not key_file().exists()  # reading does not create a key
    assert seal("match", settings) not in ("", mine)


def test_a_key_that_others_can_read_seals_nothing():
    settings = {"game": "a.py"}
    mine = seal("match", settings)
    os.chmod(key_file(), 0o644)
    assert not is_sealed("match", settings, mine)
    assert seal("match", settings) == ""


def test_where_no_key_can_be_kept_nothing_is_sealed(data):
    data.parent.mkdir()
    data.write_text("in the way")
    assert seal("match", {"game": "a.py"}) == ""


def test_what_would_run_is_reported_without_control_characters(tmp_path):
    settings = {"game": "nim", "bots": ["a.py", "a.py", "\x1b[2Jb.py:B", 3]}
    assert code_in(settings) == ["a.py", "\x1b[2Jb.py:B"]
    with Store(tmp_path / "m.sqlite") as store:
        number = store.begin("nim", ("a", "b"), 2, settings, {})
        store.release(number)
    forget_key()
    with pytest.raises(UntrustedError) as caught:
        bw.Match.resume(tmp_path / "m.sqlite")
    assert "would run a.py, ?[2Jb.py:B" in str(caught.value)


def test_at_a_terminal_somebody_is_asked():
    asked = []

    def run(trust):
        if not trust:
            raise UntrustedError("match 1 would run a.py")
        return "played"

    def answer(text):
        def ask(question):
            asked.append(question)
            return text

        return ask

    assert with_consent(run, False, ask=answer(" Yes ")) == "played"
    assert asked == ["match 1 would run a.py. Run it? [y/N] "]
    for text in ("", "n", "what?"):
        with pytest.raises(UntrustedError):
            with_consent(run, False, ask=answer(text))
    with pytest.raises(UntrustedError):  # no terminal
        with_consent(run, False)
    assert with_consent(run, True) == "played"


def test_a_store_of_an_older_version_is_read_and_not_trusted(tmp_path):
    file = tmp_path / "matches.sqlite"
    with Store(file) as store:
        number = store.begin("nim", ("a.py", "random"), 2, {"game": "nim", "bots": ["a.py", "random"]}, {})
        store.release(number)
    with sqlite3.connect(file) as db:
        for column in ("best", "seal"):
            db.execute(f"ALTER TABLE matches DROP COLUMN {column}")
        db.execute("ALTER TABLE games DROP COLUMN dice")
        db.execute("ALTER TABLE moves DROP COLUMN reached")
        db.execute("PRAGMA user_version = 2")
    db.close()
    with Store(file) as store:
        assert (store.match().best, store.match().seal) == (None, "")
    with pytest.raises(UntrustedError):
        bw.Match.resume(file)
