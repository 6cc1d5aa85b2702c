"""Seeing: what the library knows, as pictures a player believes."""
