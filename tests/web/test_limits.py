"""What nobody may exceed: memory, places for searches, messages."""

import asyncio
import gc
import json
import os
import time
import weakref
from pathlib import Path

import pytest

from branchwise.common.errors import SettingsError
from branchwise.web.app.waiting_messages import MOST_WAITING, Outbox
from branchwise.web.protocol.limits import ServerLimits
from branchwise.web.search.tree_memory import Memory
from branchwise.web.session.search_slots import Slots

RESIDENT = Path("/proc/self/statm")


def analyse(page, game="connect_four"):
    page.ask("new_game", game=game, seats=[0, 1], opponent={"simulations": 50})
    page.say("analyse", on=True)


def test_searches_wait_for_their_turn_and_everyone_gets_one(limited, monkeypatch):
    monkeypatch.setattr("branchwise.web.session.search_slots.QUANTUM", 0.2)
    live = limited(searches=1)
    live.server.slots._quantum = 0.2
    one, other = live.page(), live.page()
    analyse(one)
    one.until("analysis")
    analyse(other)
    stages = [other.until("thinking")["stage"]]
    while stages[-1] != "searching":
        stages.append(other.until("thinking")["stage"])
        live.until(
            lambda: live.searching() <= 1, 2
        )  # a thread that has said its last word may still be there
    assert "waiting" in stages
    assert one.until(lambda told: told["type"] == "thinking" and told["stage"] == "waiting")
    assert one.until(lambda told: told["type"] == "thinking" and told["stage"] == "searching")
    before = one.until("analysis")["simulations"]
    assert one.until(lambda told: told["type"] == "analysis" and told["simulations"] > before)


def test_a_bot_with_an_end_is_waited_for(limited):
    live = limited(searches=1)
    live.server.slots._quantum = 0.05
    one, other = live.page(), live.page()
    one.ask("new_game", game="connect_four", seats=[1], opponent={"seconds": 1.0})
    one.until("analysis")
    other.ask("new_game", game="connect_four", seats=[1], opponent={"simulations": 10})
    assert other.until("thinking")["stage"] == "waiting"
    assert one.until("position")["ply"] == 1
    assert other.until("position")["ply"] == 1


def test_a_waiting_search_can_be_given_up(limited):
    live = limited(searches=1)
    one, other = live.page(), live.page()
    one.ask("new_game", game="connect_four", seats=[1], opponent={"seconds": 50})
    one.until("analysis")
    other.ask("new_game", game="connect_four", seats=[1], opponent={"simulations": 10})
    assert other.until(lambda told: told["type"] == "thinking")["stage"] == "waiting"
    assert other.ask("go_to", ply=0)["ply"] == 0
    other.until(lambda told: told["type"] == "thinking" and told["who"] == "")
    one.ask("stop")
    assert one.until("position")["ply"] == 1
    assert live.server.slots.is_free


def test_a_tree_fills_its_memory_and_no_more(limited):
    live = limited(searches=1, memory_mb=8)
    page = live.page()
    analyse(page)
    told = page.until(lambda told: told["type"] == "analysis" and told["memory_full"])
    assert told["memory_bytes"] <= 8 * 2**20
    assert live.server.memory.held_mb <= 8


def test_trees_of_those_who_do_nothing_make_room(limited):
    live = limited(searches=2, memory_mb=16)
    pages = [live.page() for _ in range(4)]
    for page in pages:
        analyse(page)
        page.until("analysis")
        page.ask("analyse", on=False)
        live.until(lambda: live.searching() == 0)
        assert live.server.memory.held_mb <= 16
    first = pages[0]
    first.quiet(0.05)
    assert "no tree" in first.refusal("ask_node", path=[])["message"]
    first.say("analyse", on=True)
    assert first.until("analysis")["simulations"] > 0


def test_a_game_that_continues_too_fast_is_reported(limited):
    live = limited(messages_per_second=5.0, burst=10)
    page, other = live.page(), live.page()
    page.ask("new_game", game="nim", seats=[0, 1])
    for _ in range(30):
        page.say("go_to", ply=0)
    told = [page.until(lambda told: told.get("id") is not None) for _ in range(30)]
    refused = [answer for answer in told if answer["type"] == "refused"]
    assert 15 <= len(refused) <= 25
    assert refused[0]["message"] == "too many messages"
    assert other.ask("new_game", game="nim")["ply"] == 0


def test_seconds_of_a_search_are_limited(limited):
    live = limited(seconds=0.3)
    page = live.page()
    page.refusal("new_game", game="nim", opponent={"seconds": 1.0})
    analyse(page)
    assert page.until(lambda told: told["type"] == "analysis" and told["ended_by"])["ended_by"] == "seconds"
    assert page.until("thinking")["stage"] == "paused"
    page.ask("new_game", game="connect_four", seats=[1], opponent={"simulations": 10**9})
    assert page.until(lambda told: told["type"] == "position" and told["ply"] == 1, timeout=10)


def test_limits_that_make_no_sense_are_refused():
    for wrong in (
        {"searches": 0},
        {"memory_mb": 4, "searches": 1},
        {"message_bytes": 10},
        {"seconds": 0},
        {"sessions": -1},
        {"burst": 0.5},
    ):
        with pytest.raises(SettingsError):
            ServerLimits(**wrong)


@pytest.mark.parametrize("searches", [1, 2, 5, 16, 100])
def test_every_place_has_its_share_of_the_memory(searches):
    memory = Memory(1600, searches)
    grants = [memory.grant(lambda: None) for _ in range(searches)]
    assert all(grant.mb >= 1600 / searches / 40 - 1e-6 for grant in grants)
    assert memory.held_mb <= 1600 + 1e-6
    assert grants[0].mb > 1600 / 5


def test_memory_that_rests_is_taken_back_oldest_first():
    memory, lost = Memory(100, 2), []
    grants = [memory.grant(lambda n=n: lost.append(n)) for n in range(2)]
    grants[1].rest()
    grants[0].rest()
    busy = memory.grant(lambda: lost.append("busy"))
    assert lost in ([1], [1, 0])
    assert busy.mb >= 50 or memory.held_mb <= 100
    again = memory.grant(lambda: None)
    assert lost == [1, 0]
    assert "busy" not in lost
    assert memory.held_mb <= 100
    again.give_back()
    again.give_back()
    assert memory.held_mb == pytest.approx(busy.mb)


def test_places_are_given_in_order():
    async def play():
        slots, order = Slots(1, quantum=10), []

        async def search(name):
            async with slots.hold():
                order.append(name)
                await asyncio.sleep(0.01)

        tasks = [asyncio.create_task(search(name)) for name in "abcd"]
        await asyncio.sleep(0)
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return order, slots.is_free, slots.waiting

    assert asyncio.run(play()) == (["a", "b", "d"], True, 0)


def test_only_the_latest_analysis_waits_for_a_slow_page():
    from branchwise.web.protocol.messages import Analysis, Thinking

    def analysis(simulations):
        values = dict.fromkeys(("ply", "player", "depth", "nodes", "memory_bytes"), 0)
        return Analysis(
            **values,
            who="analysis",
            simulations=simulations,
            seconds=0.0,
            rate=0.0,
            memory_full=False,
            ended_by="",
            value=None,
            values=None,
            children=[],
        )

    async def play():
        box = Outbox()
        for number in range(5):
            box.put(analysis(number))
            box.put(Thinking(who="bot", stage=str(number)))
        found, messages = [], box.messages()
        for _ in range(6):
            told = json.loads(await anext(messages))
            found.append(told["simulations"] if told["type"] == "analysis" else told["stage"])
        for _ in range(MOST_WAITING):
            box.put(Thinking(who="bot", stage=""))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(box.has_room(), 0.01)
        await anext(messages)
        await asyncio.wait_for(box.has_room(), 1)
        return found

    assert asyncio.run(play()) == [4, "0", "1", "2", "3", "4"]


def test_a_tree_that_fills_its_memory_grows_while_there_is_more():
    memory = Memory(2048, 16)
    grant = memory.grant(lambda: None)
    first = grant.mb
    while grant.grow():
        assert memory.held_mb <= 2048
    assert grant.mb > 2.5 * first
    assert grant.tree_mb >= 0.8 * 2048
    others = [memory.grant(lambda: None) for _ in range(15)]
    assert all(other.mb >= 2048 / 16 / 40 - 1e-6 for other in others), (
        "each of the others has its least share"
    )
    assert memory.held_mb <= 2048 + 1e-6
    assert not grant.grow()


def grown(*grants):
    """Let the grants grow in turn as long as one of them can, and return their sizes."""
    while sum(grant.grow() for grant in grants):
        pass
    return [round(grant.mb) for grant in grants]


def test_three_who_search_have_an_equal_share_and_what_one_gives_back_goes_to_the_others():
    memory, lost = Memory(2048, 16), []
    one, two, three = (memory.grant(lambda number=number: lost.append(number)) for number in range(3))
    assert grown(one, two, three) == [626, 626, 626]
    one.give_back()
    assert grown(two, three) == [939, 939]
    two.rest()
    assert grown(three) == [1877]
    assert lost == [1]


def test_those_who_come_late_find_room_beside_one_who_has_grown():
    memory = Memory(2048, 16)
    first = memory.grant(lambda: None)
    grown(first)
    late = [memory.grant(lambda: None) for _ in range(2)]
    sizes = grown(*late)
    assert min(sizes) > 40
    assert memory.held_mb <= 2048
    first.rest()
    assert grown(*late) == [939, 939]


def test_what_is_left_behind_takes_nothing_from_those_who_come():
    memory, lost = Memory(2048, 16), []
    first = memory.grant(lambda: lost.append(0))
    size = first.mb
    first.rest()
    for number in range(1, 30):  # pages that are closed, one after the other
        first.abandon()
        first = memory.grant(lambda number=number: lost.append(number))
        assert first.mb == pytest.approx(size)
        first.rest()
    assert lost == list(range(29))


def test_a_search_continues_when_its_tree_grows_to_four_fifths_of_the_memory(limited):
    live = limited(searches=3, memory_mb=48)
    page = live.page()
    analyse(page)
    first = page.until("analysis")
    searched = page.until(lambda told: told["type"] == "analysis" and told["memory_full"])
    while searched["memory_bytes"] < 0.8 * 48 * 2**20:
        (grant,) = live.server.memory._grants
        assert grant.mb < 0.9 * 48, "it does not grow further"
        searched = page.until(lambda told: told["type"] == "analysis" and told["memory_full"])
    assert searched["simulations"] > first["simulations"]
    assert live.server.memory.held_mb <= 48


def test_a_tree_that_is_taken_back_is_freed(limited):
    live = limited(searches=1, memory_mb=8)
    page = live.page()
    analyse(page)
    page.until("analysis")
    (grant,) = live.server.memory._grants
    planner = weakref.ref(grant.on_loss.__self__._planner)
    page.say("analyse", on=False)
    live.until(lambda: live.searching() == 0)
    grant.on_loss()
    live.until(lambda: gc.collect() >= 0 and planner() is None)


def test_three_pages_share_the_memory_and_one_that_stops_gives_back(limited):
    live = limited(searches=4, memory_mb=48)
    pages = [live.page() for _ in range(3)]
    for page in pages:
        analyse(page)

    def have_each(count):
        share = round(48 * (1 - 1 / 12) / count, 6)
        return [round(grant.mb, 6) for grant in live.server.memory._grants].count(share) == count

    live.until(lambda: have_each(3))
    pages[0].say("analyse", on=False)
    live.until(lambda: have_each(2))
    pages[1].close()
    live.until(lambda: have_each(1))


@pytest.mark.slow
@pytest.mark.skipif(not RESIDENT.exists(), reason="the system does not say how much memory is in use")
def test_ten_minutes_of_analysis_use_the_memory_and_no_more(limited):
    """The tree of one page, and the process around it."""
    live = limited()
    page = live.page()

    def resident():
        return int(RESIDENT.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20

    analyse(page)
    end, most, told = time.monotonic() + 590, 0.0, page.until("analysis")
    before = resident() - told["memory_bytes"] / 2**20
    while told["memory_bytes"] < 0.8 * 2048 * 2**20:
        assert time.monotonic() < end
        told = page.until("analysis")
        most = max(most, resident() - before)
    assert most < 1.02 * 2048
