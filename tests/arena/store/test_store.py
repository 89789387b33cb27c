"""The file of matches: records read back, bad files are refused, and games survive a crash."""

import sqlite3
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwise as bw
from branchwise.arena.records.record import ChildRecord, GamePlan, GameRecord, MoveRecord
from branchwise.arena.store.playing_process import Owner, this_process
from branchwise.arena.store.store import Store, default_store
from branchwise.arena.store.tables import VERSION

SETTINGS = {"game": "nim", "seed": 3, "openings": None}
VERSIONS = {"branchwise": "0.1.0"}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "matches.sqlite"


@pytest.fixture
def store(file):
    with Store(file) as store:
        yield store


def begun(store, games=10):
    return store.begin("nim", ("random", "mcts"), games, SETTINGS, VERSIONS)


def played(number, moves=()):
    plan = GamePlan(number, number // 2, (1, 2), (number % 2, 1 - number % 2), (5, 2**63 - 1))
    return GameRecord(plan, (1.0, -1.0), "end", began=1.5, seconds=0.25, moves=tuple(moves))


numbers = st.none() | st.floats(-1e9, 1e9)
whole = st.integers(0, 2**62)
children = st.builds(ChildRecord, whole, whole, numbers, numbers)
moves = st.builds(
    MoveRecord,
    ply=whole,
    seat=st.integers(0, 7),
    action=whole,
    seconds=numbers,
    clock=numbers,
    simulations=st.none() | whole,
    value=numbers,
    lower=numbers,
    upper=numbers,
    line=st.lists(whole, max_size=4).map(tuple),
    children=st.lists(children, max_size=3).map(tuple),
)
records = st.builds(
    GameRecord,
    plan=st.builds(
        GamePlan,
        whole,
        whole,
        st.lists(whole, max_size=5).map(tuple),
        st.permutations([0, 1, 2]).map(tuple),
        st.tuples(whole, whole),
    ),
    returns=st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
    ending=st.sampled_from(["end", "died"]),
    fault=st.none() | st.integers(0, 2),
    detail=st.text(),
    began=st.floats(0, 1e10),
    seconds=st.floats(0, 1e6),
    moves=st.lists(moves, max_size=4, unique_by=lambda move: move.ply).map(
        lambda found: tuple(sorted(found, key=lambda move: move.ply))
    ),
)


@given(record=records)
def test_a_game_comes_back_as_it_was(tmp_path_factory, record):
    file = tmp_path_factory.getbasetemp() / "round-trips.sqlite"
    with Store(file) as store:
        match = begun(store)
        store.add(match, record)
        assert store.game(match, record.number) == record
        assert store.games(match) == [record]
        assert store.games(match, moves=False)[0].moves == ()


def test_a_match_comes_back_as_it_was(store):
    match = begun(store)
    for number in (4, 0, 2):
        store.add(match, played(number))
    stored = store.match(match)
    assert (stored.game, stored.bots, stored.games, stored.played) == ("nim", ("random", "mcts"), 10, 3)
    assert (stored.settings, stored.versions) == (SETTINGS, VERSIONS)
    assert [record.number for record in store.games(match)] == [0, 2, 4]
    assert store.match() == stored


def test_a_game_is_never_there_twice_and_the_first_counts(store):
    match = begun(store)
    store.add(match, played(0, [MoveRecord(2, 0, 1, 0.5)]))
    store.add(match, played(0, [MoveRecord(2, 0, 2, 0.5), MoveRecord(3, 0, 2, 0.5)]))
    assert store.games(match) == [played(0, [MoveRecord(2, 0, 1, 0.5)])]


def test_a_game_that_cannot_be_written_whole_is_not_written_at_all(store):
    match = begun(store)
    twice = [MoveRecord(2, 0, 1), MoveRecord(2, 1, 1)]
    with pytest.raises(bw.StoreError, match="UNIQUE"):
        store.add(match, played(0, twice))
    assert store.games(match) == []
    with pytest.raises(bw.StoreError, match="FOREIGN KEY"):
        store.add(match + 1, played(0))


def test_what_is_missing_is_reported(store):
    with pytest.raises(bw.StoreError, match="has no matches"):
        store.match()
    match = begun(store)
    with pytest.raises(bw.StoreError, match=f"has no match {match + 5}"):
        store.game(match + 5, 0)
    with pytest.raises(bw.StoreError, match=f"match {match} has no game 7"):
        store.game(match, 7)


def test_the_state_of_a_match_follows_its_process(store):
    match = begun(store)
    assert store.match(match).state == "running"
    store.release(match)
    assert store.match(match).state == "interrupted"
    store.claim(match)
    assert store.match(match).state == "running"
    store.release(match, "games")
    assert (store.match(match).state, store.match(match).ended_by) == ("complete", "games")


def test_a_match_played_by_a_living_process_cannot_be_claimed_and_that_of_a_dead_one_can(file):
    code = (
        "import sys; from branchwise.arena.store.store import Store; store = Store(sys.argv[1]);"
        "store.begin('nim', ('random', 'mcts'), 10, {}, {}); print('begun', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout.readline() == "begun\n"
    with Store(file) as store:
        assert store.match(1).state == "running"
        with pytest.raises(bw.StoreError, match=f"match 1 is being played by process {other.pid}"):
            store.claim(1)
        other.kill()
        other.communicate()
        assert store.match(1).state == "interrupted"
        store.claim(1)
        assert store.match(1).state == "running"


def test_a_process_number_given_to_another_process_is_not_the_same_process():
    mine = this_process()
    assert mine.is_alive()
    assert Owner.from_json(mine.to_json()) == mine
    assert not Owner(mine.host, mine.pid, mine.started + "0").is_alive()
    assert not Owner("elsewhere", mine.pid, mine.started).is_alive()
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert not Owner(mine.host, gone.pid, "1").is_alive()


# --- files that are no stores -----------------------------------------------------------------------


def refused(file, told, **options):
    before = file.read_bytes()
    with pytest.raises(bw.StoreError) as caught:
        Store(file, **options)
    assert told in str(caught.value)
    assert str(file) in str(caught.value)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_file_of_something_else_is_refused_and_left_alone(file):
    file.write_bytes(b"My dear diary, today I lost at Nim again. " * 50)
    refused(file, "is not a file of matches")


@pytest.mark.parametrize("statement", ["CREATE TABLE diary (page)", "PRAGMA application_id = 77"])
def test_a_database_of_something_else_is_refused_and_left_alone(file, statement):
    db = sqlite3.connect(file)
    db.execute(statement)
    db.commit()
    db.close()
    refused(file, "is a database of something else")


def test_a_file_of_a_newer_version_is_refused_and_left_alone(file):
    Store(file).close()
    db = sqlite3.connect(file)
    db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()
    refused(file, "was written by a newer Branchwise")


def test_a_folder_and_a_place_that_is_not_there_are_refused(tmp_path):
    for place in (tmp_path, tmp_path / "nowhere" / "matches.sqlite"):
        with pytest.raises(bw.StoreError, match="unable to open"):
            Store(place)
    with pytest.raises(bw.StoreError, match="there is no file"):
        Store(tmp_path / "missing.sqlite", create=False)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_becomes_a_store(file):
    file.touch()
    with Store(file) as store:
        assert store.matches() == []


@pytest.mark.parametrize("cut", ["half", "page"])
def test_a_damaged_file_is_reported(file, cut):
    with Store(file) as store:
        match = begun(store)
        for number in range(200):
            store.add(match, played(number, [MoveRecord(2, 0, 1, 0.5)]))
    content = bytearray(file.read_bytes())
    assert len(content) > 20_000
    if cut == "half":
        del content[len(content) // 2 :]
    else:
        content[4096:] = b"\xa5" * (len(content) - 4096)
    file.write_bytes(content)
    with pytest.raises(bw.StoreError, match="damaged"), Store(file) as store:
        store.games(store.match().id)
    assert file.read_bytes() == bytes(content)


def test_values_that_make_no_sense_are_reported_as_damage(file, store):
    match = begun(store)
    store.add(match, played(0))
    store._db.execute("UPDATE games SET opening = '[1, '")
    with pytest.raises(bw.StoreError, match="is damaged"):
        store.games(match)


def test_a_locked_file_is_reported_after_a_while_and_waited_for_until_then(file):
    with Store(file) as holder, Store(file, patience=0.1) as hasty, Store(file, patience=60) as patient:
        match = begun(holder)
        holder._db.execute("BEGIN IMMEDIATE")
        assert hasty.match(match).played == 0  # reading does not wait
        with pytest.raises(bw.StoreError, match="is locked by another process"):
            hasty.add(match, played(0))
        done = []

        def write():
            with Store(file, patience=60) as own:
                own.add(match, played(1))
                done.append(1)

        writer = threading.Thread(target=write)
        writer.start()
        holder._db.execute("COMMIT")
        writer.join()
        assert done == [1]
        assert patient.match(match).played == 1


def test_many_writers_at_once_lose_nothing(file):
    """Several writers start at once, and each of them tries to create the file."""
    failed = []

    def write(writer):
        try:
            with Store(file) as store:
                match = begun(store, 50)
                for number in range(50):
                    store.add(match, played(number, [MoveRecord(2, 0, writer)]))
        except Exception as error:
            failed.append(error)

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failed == []
    with Store(file) as store:
        found = store.matches()
        assert len(found) == 4
        assert sorted(store.games(match.id)[0].moves[0].action for match in found) == [0, 1, 2, 3]
        assert all(match.played == 50 for match in found)


def test_the_default_place_is_the_users_data_or_what_the_variable_says(monkeypatch, tmp_path):
    monkeypatch.setenv("BRANCHWISE_STORE", str(tmp_path / "own.sqlite"))
    assert default_store() == tmp_path / "own.sqlite"
    monkeypatch.delenv("BRANCHWISE_STORE")
    assert default_store().name == "matches.sqlite"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    if sys.platform.startswith("linux"):
        with Store() as store:
            assert store.file == tmp_path / "branchwise" / "matches.sqlite"
