"""The list of games of the page."""

import re

from playwright.sync_api import Locator, Page


def game_button(page: Page) -> Locator:
    """Return the button that opens the list; its `data-game` names the game that is open."""
    return page.locator("header").get_by_role("button", name=re.compile("^Games"))


def open_game(page: Page, name: str) -> None:
    """Choose a game in the list."""
    game_button(page).click()
    page.locator(f'dialog button[data-game="{name}"]').click()
