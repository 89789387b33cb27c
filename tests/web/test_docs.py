"""What docs/serving.md shows is what the server answers, and its limits are those that it has."""

import json
import re
from pathlib import Path

from branchwise.web.protocol.limits import ServerLimits

PAGE = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
SHOWN = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)]
OTHER_NAMES = {"memory": "memory_mb", "messages": "messages_per_second"}


def test_the_search_and_the_error_that_are_shown_are_answered(live):
    place, body = re.search(r"127\.0\.0\.1:8642(\S+).*?-d '(.*?)'", PAGE, re.DOTALL).groups()
    asked = json.loads(body) | {"settings": {"seed": 1}}
    answered = live.http.post(place, json=asked).json()
    refused = live.http.get("/api/games/tic_tac_to")
    shown, error = SHOWN
    assert answered.keys() >= shown.keys()
    for key in ("game", "player", "best_action", "best_move", "value", "ended_by"):
        assert answered[key] == shown[key]
    assert answered["children"][0].keys() >= shown["children"][0].keys()
    assert answered["children"][0]["proven"] == shown["children"][0]["proven"]
    assert refused.status_code == 404
    assert refused.json() == error


def test_the_limits_that_are_shown_are_the_defaults():
    limits = ServerLimits()
    rows = re.findall(r"^\| (`--.*?) \| ([\d, ]+?) \|", PAGE, re.MULTILINE)
    shown = {
        name.replace("-", "_"): float(value)
        for names, values in rows
        for name, value in zip(re.findall(r"--([a-z-]+)", names), values.split(", "), strict=True)
    }
    assert shown == {
        next((short for short, long in OTHER_NAMES.items() if long == name), name): getattr(limits, name)
        for name in ServerLimits.names()
    }
