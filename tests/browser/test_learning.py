"""The curve of a training in the browser, followed while it goes on; and a network's judgement."""

import pytest
from playwright.sync_api import expect

from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.networks.network_file import save_network
from support.front_door import open_game
from support.nets import curve_point, random_network, write_checkpoint

pytestmark = pytest.mark.browser
expect.set_options(timeout=60_000)


def test_a_training_is_followed_to_its_end(visitor, serve, tmp_path):
    network = random_network(TicTacToe)
    plain = save_network(network, tmp_path / "plain.bwnet")
    started = serve("tic_tac_toe", "--opponent", f"mcts(simulations=50,network={str(plain)!r})")
    page = visitor.open("?game=tic_tac_toe", url=started.url)
    page.locator('[data-action="4"]').first.click()
    expect(page.get_by_test_id("figures")).to_contain_text("network, before")
    expect(page.get_by_role("columnheader", name="Prior")).to_be_visible()
    page.get_by_role("tab", name="Learning").click()
    panel = page.get_by_test_id("learning")
    expect(panel).to_contain_text("Nothing has learnt this game here yet")
    file = started.home / "t.bwnet"
    curve = [curve_point(0.1, (50.0, -20.0, 120.0)), curve_point(0.2)]
    write_checkpoint(file, "tic_tac_toe", curve)
    expect(panel).to_contain_text("t.bwnet")
    expect(panel).to_contain_text("under way: last checkpoint")
    expect(panel).to_contain_text("+50 [\u221220, +120]")
    expect(panel.locator(".graph")).to_have_count(3)
    write_checkpoint(file, "tic_tac_toe", [*curve, curve_point(0.5, (float("inf"), 300.0, float("inf")))])
    expect(panel).to_contain_text("above +300")
    save_network(network, file, notes={"curve": [*curve, curve_point(1.0)]})
    expect(panel).to_contain_text("complete")
    open_game(page, "pig")  # of chance, so nothing learns it
    expect(page.get_by_role("tab", name="Learning")).to_have_count(0)
    expect(page.get_by_role("tab", name="Search")).to_have_attribute("aria-selected", "true")
