"""Bridges to other libraries, one a module; each is imported only on request.

Imports `rules`; nothing of the project imports it, except the package itself by name.
"""
