"""One page's session: its jobs, slots of searches, and the server's state.

Imports `web.search`; `web.app` imports it.
"""
