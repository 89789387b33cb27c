"""Bots of a page that answer at once, in place of their searches."""


class FakeBot:
    """choose : called with the bot, what it is shown, its limit and the moves before; returns its action."""

    result = None
    progress = None

    def __init__(self, choose):
        self._choose = choose

    def choose(self, state, limit, moves):
        return self._choose(self, state, limit, moves)

    def close(self):
        pass


def use_bots(monkeypatch, bot_for):
    """Let the page ask `bot_for(text)` for its bot."""
    place = "branchwise.web.search.searchers.Player._ready"
    monkeypatch.setattr(place, lambda player, text: bot_for(text))
