"""Training small games: what is learnt, the same network for any number of threads, and going on."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import GameError, SettingsError
from branchwise.common.processes import try_lock
from branchwise.learning.recipe import Recipe
from branchwise.learning.strength import duel, verdict
from branchwise.learning.train import checkpoint_of
from branchwise.networks.inputs import Inputs
from branchwise.networks.network import Network

GAME = "mnk(rows=4,columns=4,in_a_row=3)"
QUICK = Recipe(simulations=32)


def learn(rounds, *, game=GAME, threads=1, **options):
    return bw.train(game, rounds=rounds, seed=5, threads=threads, memory_mb=16, recipe=QUICK, **options)


def test_the_same_seed_gives_the_same_network_for_any_number_of_threads():
    found = [learn(4, threads=threads) for threads in (1, 3)]
    assert found[0].network.weights.tobytes() == found[1].network.weights.tobytes()
    assert found[0].curve[-1].positions == found[1].curve[-1].positions
    other = bw.train(GAME, rounds=4, seed=6, threads=1, memory_mb=16, recipe=QUICK)
    assert other.network.weights.tobytes() != found[0].network.weights.tobytes()


def test_training_makes_the_network_stronger():
    game = bw.load_game(GAME)
    trained = learn(30)
    start, end = trained.curve[2], trained.curve[-1]
    assert end.policy_error < start.policy_error
    untrained = Network.initial(Inputs.of(game), seed=5)
    players = tuple(bw.MCTS(network=network, seed=1) for network in (trained.network, untrained))
    lead = duel(game(), players, 8, games=100, seconds=60.0, seed=1)
    assert lead is not None
    assert lead.low > 0


def test_a_training_that_was_ended_goes_on_to_the_same_network(tmp_path):
    whole = learn(6)

    def end_after_three(state):
        if state.round == 3:
            raise KeyboardInterrupt

    file = tmp_path / "a.bwnet"
    with pytest.raises(KeyboardInterrupt):
        learn(6, file=file, games=0, progress=end_after_three)
    assert (tmp_path / "a.bwnet.training" / "state.npz").exists()
    with pytest.raises(SettingsError, match="exists already"):
        learn(6, file=file)
    with pytest.raises(SettingsError, match="has rounds 6, not 7"):
        learn(7, file=file, resume=True)
    resumed = learn(6, file=file, games=0, resume=True)
    assert resumed.network.weights.tobytes() == whole.network.weights.tobytes()
    assert not (tmp_path / "a.bwnet.training").exists()
    with pytest.raises(SettingsError, match="exists already"):
        learn(6, file=file)


def test_the_recipe_follows_the_time_and_stays_when_a_training_goes_on(tmp_path, monkeypatch):
    assert Recipe.of_time(30, None).widths == Recipe.of_time(1, 10_000).widths == (64, 32)
    assert Recipe.of_time(60, None).widths == Recipe.of_time(1, 12_000).widths == (128, 32)
    assert Recipe.of_time(60, 50) == Recipe.of_time(10, None) == Recipe()

    def end(state):
        if state.round == 2:
            raise KeyboardInterrupt

    given = {"seed": 1, "threads": 1, "memory_mb": 16, "games": 0, "file": tmp_path / "w.bwnet"}
    with pytest.raises(KeyboardInterrupt):
        bw.train(GAME, minutes=0.1, progress=end, **given)
    monkeypatch.setattr("branchwise.learning.recipe._LONG", ((0.1, 5000, (64, 32)),))
    with pytest.raises(SettingsError, match="another recipe"):
        bw.train(GAME, minutes=0.11, resume=True, recipe=QUICK, **given)
    assert bw.train(GAME, minutes=0.11, resume=True, **given).network.widths == (32, 16)
    assert bw.train(GAME, minutes=0.1, seed=1, threads=1, memory_mb=16).network.widths == (64, 32)


@pytest.fixture
def stopped(tmp_path):
    """The file of a training that was stopped after its first checkpoint."""

    def stop(state):
        if state.round == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(4, file=tmp_path / "s.bwnet", games=0, progress=stop)
    return tmp_path / "s.bwnet"


def test_only_the_training_that_was_stopped_goes_on(stopped, monkeypatch):
    folder = checkpoint_of(stopped).parent
    with pytest.raises(SettingsError, match=r"has game mnk.*, not tic_tac_toe"):
        learn(4, game="tic_tac_toe", file=stopped, resume=True)
    with monkeypatch.context() as patch:
        patch.setattr("branchwise.learning.train.rules_digest", lambda _: "of other rules")
        with pytest.raises(SettingsError, match=r"the rules of mnk.* have changed since"):
            learn(4, file=stopped, resume=True)
    whole = checkpoint_of(stopped).read_bytes()
    for damaged in (b"", whole[:1000], whole[:-1000]):
        checkpoint_of(stopped).write_bytes(damaged)
        with pytest.raises(SettingsError, match=f"cannot be read.*\n.*delete {folder}, and begin again"):
            learn(4, file=stopped, resume=True)
    checkpoint_of(stopped).write_bytes(whole)
    samples = (folder / "words").rename(folder.parent / "kept")
    with pytest.raises(SettingsError, match="are not those that it was written with"):
        learn(4, file=stopped, resume=True)
    samples.rename(folder / "words")
    assert learn(4, file=stopped, games=0, resume=True).curve[-1].share == 1.0


def test_two_processes_do_not_train_the_same_file(stopped):
    with (checkpoint_of(stopped).parent / "lock").open("ab") as lock:
        assert try_lock(lock)
        with pytest.raises(SettingsError, match="another process is training"):
            learn(4, file=stopped, resume=True)
    assert learn(4, file=stopped, games=0, resume=True).file == stopped


def test_a_full_disk_leaves_a_training_that_goes_on(stopped, monkeypatch):
    """The network cannot be written, or a checkpoint cannot, and what was written before is still there."""

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("branchwise.learning.train.SAVED_SECONDS", 0.0)
    for place in ("numpy.savez", "pathlib.Path.write_bytes"):
        with monkeypatch.context() as patch:
            patch.setattr(place, full)
            with pytest.raises(SettingsError, match="No space left on device"):
                learn(4, file=stopped, games=0, resume=True)
        assert not stopped.exists()
    assert (
        learn(4, file=stopped, games=0, resume=True).network.weights.tobytes()
        == learn(4).network.weights.tobytes()
    )


CHILD = """
import sys, branchwise as bw
def told(state):
    print(state.round, flush=True)
bw.train(sys.argv[1], minutes=5, seed=1, threads=1, memory_mb=16, file=sys.argv[2], games=0, progress=told,
         resume=len(sys.argv) > 3)
"""


def test_a_killed_training_goes_on_from_its_last_checkpoint(tmp_path):
    file = tmp_path / "b.bwnet"
    rounds = []
    for resume in ([], ["again"]):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, GAME, str(file), *resume], stdout=subprocess.PIPE, text=True
        )
        with child.stdout:
            told = [int(child.stdout.readline()) for _ in range(4)]
            os.kill(child.pid, signal.SIGKILL)
        child.wait()
        rounds.append(told)
    first, second = rounds
    assert first == [1, 2, 3, 4]
    assert second[0] > 1  # what the first checkpoint has is not done again
    with np.load(file.with_name("b.bwnet.training") / "state.npz") as kept:
        assert json.loads(str(kept["told"]))["totals"]["games"] > 0


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("kuhn_poker", "hidden|sees"),
        ("goofspiel", "at once|hidden"),
        ("sokoban", "two players|one player"),
        ("backgammon", "chance"),
    ],
)
def test_games_that_it_is_not_for_are_refused(game, words):
    with pytest.raises(GameError, match=words):
        bw.train(game, rounds=1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"minutes": 0.05}, "minutes"),
        ({"minutes": float("nan")}, "minutes"),
        ({"rounds": 0}, "rounds"),
        ({"memory_mb": 1}, "memory_mb"),
        ({"resume": True}, "without a file"),
        ({"file": "/nowhere/at/all/a.bwnet", "resume": True}, "no training to resume"),
    ],
)
def test_options_out_of_range_are_refused(options, words):
    with pytest.raises(SettingsError, match=words):
        bw.train(GAME, **options)


def test_weights_that_are_no_numbers_end_the_training():
    with pytest.raises(SettingsError, match="no numbers"):
        bw.train(
            GAME, rounds=8, seed=1, threads=1, memory_mb=16, recipe=Recipe(simulations=8, first_rate=1e30)
        )


def test_the_verdict_is_honest():
    from branchwise.arena.statistics.elo import EloDifference

    assert verdict(EloDifference(-50.0, -90.0, -10.0)).startswith("Not worth it")
    assert verdict(EloDifference(10.0, -20.0, 40.0)).startswith("Not shown")
