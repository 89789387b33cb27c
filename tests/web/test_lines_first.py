"""Lines that a page has visited before its search goes on."""


def visits_of(told, action):
    return next(child["visits"] for child in told["children"] if child["action"] == action)


def test_a_line_is_visited_in_a_running_analysis_which_then_goes_on(page):
    page.ask("new_game", game="connect_four", seats=[0, 1])
    page.say("analyse", on=True)
    before = page.until("analysis")
    page.say("analyse", on=True, at_least={"line": ["a1", "g1"], "visits": 2000})
    found = page.until(lambda told: told["type"] == "analysis" and visits_of(told, 0) >= 2000)
    assert found["simulations"] > before["simulations"]  # the same tree
    assert found["simulations"] >= 2000
    page.until(lambda told: told["type"] == "analysis" and told["simulations"] > found["simulations"] + 500)


def test_a_line_of_a_paused_analysis_is_visited_when_it_begins(page):
    page.ask("new_game", game="connect_four", seats=[0, 1])
    page.say("analyse", on=True, at_least={"line": [0], "visits": 500})
    page.until(lambda told: told["type"] == "analysis" and visits_of(told, 0) >= 500)
    page.ask("play", action=3, ply=0)
    after = page.until(lambda told: told["type"] == "analysis" and told["ply"] == 1)
    assert visits_of(after, 0) < after["simulations"]  # the line belongs to the position before


def test_a_line_that_cannot_be_played_is_refused_and_the_analysis_goes_on(page):
    page.ask("new_game", game="connect_four", seats=[0, 1])
    page.say("analyse", on=True)
    before = page.until("analysis")
    for line, told in (([7], "legal"), (["d2"], "legal"), ([], "line without moves")):
        assert told in page.refusal("analyse", on=True, at_least={"line": line, "visits": 10})["message"]
    page.until(lambda told: told["type"] == "analysis" and told["simulations"] > before["simulations"])
