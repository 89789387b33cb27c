"""Searching in several threads or processes."""
