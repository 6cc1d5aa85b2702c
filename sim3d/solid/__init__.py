"""Meshes that can be trusted: `read_solid` gives a `Solid` in mm, z up, or `Refused` with every fault at once."""

from __future__ import annotations

from sim3d.solid.guard import Limits
from sim3d.solid.read import read_solid
from sim3d.solid.solid import Solid

__all__ = ["Limits", "Solid", "read_solid"]
