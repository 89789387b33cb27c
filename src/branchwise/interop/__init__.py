"""Bridges to other libraries, one a module; none is imported before it is asked for."""
