"""Networks on the page: what one says before a search, in bots, levels and tuned settings; and trainings."""

import json
import os
import time

import numpy as np
import pytest

from branchwise.bots.strength.levels_file import Ladder, Level
from branchwise.games.connect_four import ConnectFour
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.learning.train import checkpoint_of
from branchwise.networks.network_file import STEP, save_network
from branchwise.rules.measured_files.digest import rules_digest
from branchwise.web.game.trainings import trainings_told
from support.nets import curve_point, random_network, write_checkpoint
from support.tuned import tuned_settings

NETWORK = random_network(TicTacToe)
NETWORK.rows[:] = np.rint(NETWORK.rows / STEP) * STEP  # as files have them
OPENING = [4]  # b2


@pytest.fixture
def file(tmp_path):
    return save_network(NETWORK, tmp_path / "t.bwnet", notes={"curve": [curve_point(0.5)]})


def says(position):
    """Return the value and the policy of the network for a position."""
    return NETWORK.evaluate(TicTacToe.from_actions(position))


def assert_before_and_after(told, position):
    """Check that a finished search shows what the network said, and what was found."""
    value, policy = says(position)
    assert told["judged"] == pytest.approx(value, abs=1e-3)
    priors = {child["action"]: child["prior"] for child in told["children"]}
    assert priors == pytest.approx(policy, abs=1e-3)
    assert sum(child["visits"] for child in told["children"]) > len(policy)
    assert told["value"] != pytest.approx(value, abs=1e-4)


def bots_search(page):
    return page.until(lambda told: told["type"] == "analysis" and told["who"] == "bot" and told["ended_by"])


def test_a_bot_of_the_server_searches_with_a_network(limited, file):
    page = limited(
        "tic_tac_toe", opponents=[f"mcts(simulations=60,proofs=False,network={str(file)!r})"]
    ).page()
    told = page.ask("new_game", game="tic_tac_toe", seats=[0])
    assert told["opponent"]["bot"] == "mcts(simulations=60,proofs=False,network='t.bwnet')"
    page.ask("play", action=4, ply=0)
    assert_before_and_after(bots_search(page), OPENING)
    assert page.until("position")["ply"] == 2


def test_a_level_may_have_a_network(page, file, monkeypatch):
    level = Level(f"mcts(simulations=60,proofs=False,network={str(file)!r})", *[0.0] * 6)
    ladder = Ladder("tic_tac_toe", rules_digest(TicTacToe), 1.0, (level,) * 10, "", 2, 2, 1.0, {})
    (file.parent / "tic_tac_toe.json").write_text(ladder.to_json())
    monkeypatch.setenv("BRANCHWISE_LEVELS", str(file.parent))
    page.ask("new_game", game="tic_tac_toe", seats=[0], opponent={"level": 5})
    page.ask("play", action=4, ply=0)
    assert_before_and_after(bots_search(page), OPENING)


def test_tuned_settings_may_have_a_network(limited, file, monkeypatch):
    found = {"selection": "puct", "network": str(file), "proofs": False}
    tuned = tuned_settings(TicTacToe, "tic_tac_toe", found=found)
    (file.parent / "tic_tac_toe.json").write_text(tuned.to_json())
    monkeypatch.setenv("BRANCHWISE_TUNED", str(file.parent))
    page = limited("tic_tac_toe").page()
    told = page.ask("new_game", game="tic_tac_toe", seats=[0, 1], moves=OPENING)
    assert told["game"]["tuned"]["network"] == "t.bwnet"  # no folders of this machine
    page.say("analyse", on=True, settings={"tuned": True}, simulations=60)
    ended = page.until(lambda told: told["type"] == "analysis" and told["ended_by"])
    assert_before_and_after(ended, OPENING)
    assert page.ask("begin_steps", settings={"tuned": True})["rule"] == "puct"
    steps = page.ask("make_steps", count=2)
    assert len(steps["simulations"]) == 2
    page.say("set_players", seats=[0], opponent={"simulations": 60, "tuned": True})
    assert_before_and_after(bots_search(page), OPENING)
    refused = page.refusal("analyse", on=True, settings={"tuned": True, "playout": "mast"})
    assert refused["message"].startswith("playout cannot be combined with a network")


def test_a_search_without_a_network_says_nothing_of_one(page):
    page.ask("new_game", game="tic_tac_toe", seats=[0, 1])
    page.say("analyse", on=True, simulations=20)
    assert page.until("analysis")["judged"] is None


# --- trainings --------------------------------------------------------------------------------------------


def test_a_training_is_told_while_it_goes_on_and_afterwards(live, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def told(game="tic_tac_toe"):
        return live.http.get(f"/api/games/{game}/learning").json()

    assert told() == []
    curve = [curve_point(0.1), curve_point(0.2, (50.0, -20.0, float("inf")))]
    write_checkpoint(tmp_path / "t.bwnet", "tic_tac_toe", curve)
    os.utime(checkpoint_of(tmp_path / "t.bwnet"), (time.time() - 100,) * 2)
    (training,) = told()
    assert training["file"] == "t.bwnet"
    assert 100 <= training["age"] < 160
    assert [point["lead"] for point in training["points"]] == [None, [50.0, -20.0, None]]
    assert training["points"][1]["games"] == 200
    assert told("connect_four") == told("kuhn_poker") == []
    assert live.http.get("/api/games/tic_tac_to/learning").status_code == 404
    save_network(NETWORK, tmp_path / "t.bwnet", notes={"curve": curve})
    (training,) = told()
    assert training["age"] is None
    (tmp_path / "t.bwnet").write_bytes(b"nothing")
    assert told() == []


def test_the_latest_eight_trainings_are_told(tmp_path):
    network = random_network(ConnectFour)
    for number in range(10):
        file = save_network(network, tmp_path / f"{number}.bwnet", notes={"curve": [curve_point(1.0)]})
        os.utime(file, (number, number))
    told = trainings_told(ConnectFour, tmp_path)
    assert [one.file for one in told] == [f"{number}.bwnet" for number in range(9, 1, -1)]


def test_the_schema_has_trainings(live):
    parts = live.http.get("/api/schema").json()["$defs"]
    assert set(parts["Learning"]["properties"]) == {"file", "age", "points"}
    assert json.dumps(parts["LearningPoint"])
