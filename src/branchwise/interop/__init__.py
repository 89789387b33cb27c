"""Bridges to other libraries, one per module; each is imported only on request."""
