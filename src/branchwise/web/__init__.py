"""The explorer: a page to play on and to watch searches, and an interface by HTTP."""
