"""Witness one: the resting pose of a flat-bottomed base on any terrain and its numbers, exactly, without an engine."""

from sim3d.certificate import Contact
from sim3d.statics.rest import Rest, rest

__all__ = ["Contact", "Rest", "rest"]
