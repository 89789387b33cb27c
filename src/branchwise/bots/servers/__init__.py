"""Our bots for other programs: servers of UGI, UCI and GTP.

The highest room of `bots`; `cli` imports it.
"""
