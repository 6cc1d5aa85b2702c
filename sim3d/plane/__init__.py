"""Shapes in the plane: exact outlines (`outline`), areas (`area`), convex rings that move (`sweep`); shapely's door.

An outline lives in its own frame: millimetres, its middle at the origin, its front towards +x, counter-clockwise.
"""

from sim3d.plane.area import (
    area_of,
    axes_deg,
    circle_around,
    clipped,
    coverage,
    covering,
    difference_mm,
    left_bare,
    meets_any,
    pockets,
    shadows,
    share_plan,
    shrunk,
    shrunk_whole,
    triangles_of,
    well_inside,
)
from sim3d.plane.crowd import parted_mm
from sim3d.plane.outline import Arc, Edge, Line, Notch, Outline, Point, monotone
from sim3d.plane.sweep import (
    apart_mm,
    area_mm2,
    covered,
    filled,
    foot_on,
    gaps_mm,
    hull,
    placed,
    swept,
    turned_through,
)

__all__ = [
    "Arc",
    "Edge",
    "Line",
    "Notch",
    "Outline",
    "Point",
    "apart_mm",
    "area_mm2",
    "area_of",
    "axes_deg",
    "circle_around",
    "clipped",
    "coverage",
    "covered",
    "covering",
    "difference_mm",
    "filled",
    "foot_on",
    "gaps_mm",
    "hull",
    "left_bare",
    "meets_any",
    "monotone",
    "parted_mm",
    "placed",
    "pockets",
    "shadows",
    "share_plan",
    "shrunk",
    "shrunk_whole",
    "swept",
    "triangles_of",
    "turned_through",
    "well_inside",
]
