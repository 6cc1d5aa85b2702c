"""What is set down: `Base` (outline, notches, thickness), `Mini` (base, body, mass, centre of mass), the catalogue.

A base's own frame: its underside's middle at the origin, its front towards +x, z up. Nothing here knows a game.
"""

from sim3d.mini.base import (
    CATALOGUE,
    NOTCH_DEPTH_MM,
    NOTCH_WIDTH_MM,
    NOTCHED_THICKNESS_MM,
    THICKNESS_MM,
    Base,
    MeshSource,
)
from sim3d.mini.mini import BODY_SHARE, COM_SHARE, HEIGHT_SHARE, MASS_G, Body, Mini, Unsound
from sim3d.mini.reading import SAME_BASE_MM, UNDERSIDE_MM, BaseReading, base_of, read_base

__all__ = [
    "BODY_SHARE",
    "CATALOGUE",
    "COM_SHARE",
    "HEIGHT_SHARE",
    "MASS_G",
    "NOTCHED_THICKNESS_MM",
    "NOTCH_DEPTH_MM",
    "NOTCH_WIDTH_MM",
    "SAME_BASE_MM",
    "THICKNESS_MM",
    "UNDERSIDE_MM",
    "Base",
    "BaseReading",
    "Body",
    "MeshSource",
    "Mini",
    "Unsound",
    "base_of",
    "read_base",
]
