"""Waiting for what a page comes to show."""

import time
from collections.abc import Callable

from playwright.sync_api import Page


def until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until something holds. (The page's policy forbids what playwright's own waiting evaluates.)"""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.05)


def address_of(page: Page) -> str:
    """Return the page's address as it is now; `page.url` is of the last call to the page."""
    found: str = page.evaluate("location.href")
    return found
