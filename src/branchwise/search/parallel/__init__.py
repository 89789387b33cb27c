"""Searching in several threads, and in several processes."""
