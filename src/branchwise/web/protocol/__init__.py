"""Messages between page and server, their limits, and errors in the page's words.

The lowest room of `web`.
"""
