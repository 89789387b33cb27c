"""Searches on the page: who searches, and results, nodes, trees and steps as messages.

Imports `web.game`; sessions may import it.
"""
