"""Who plays, on the page."""

import re

from playwright.sync_api import Page, expect


def people_play_both(page: Page) -> None:
    """Let people play both sides. Until the server has answered, the page takes no moves: wait for that."""
    page.get_by_label("Who plays").select_option("0,1")
    expect(page.get_by_test_id("turn")).to_contain_text(re.compile("is to (move|choose)"))
