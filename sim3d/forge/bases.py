"""Every base of the catalogue as a mesh, for other programs; each lies on z = 0, its front towards +x."""

from __future__ import annotations

from functools import partial

from sim3d.forge.item import Item
from sim3d.mini import CATALOGUE, Base
from sim3d.solid.boolean import Mesh

CHORD_MM = 0.01  # a tenth of what a printer can do


def lying(name: str) -> Mesh:
    """The base as a closed prism."""
    return Base.named(name).mesh(chord_mm=CHORD_MM)


def _said(name: str) -> str:
    outline = Base.named(name).outline
    kind = "hexagon" if name.startswith("hex") else "stadium" if "x" in name and name.endswith("n") else "oval"
    kind = kind if "x" in name else "round"
    return f"{kind}{', notched front and rear' if name.endswith('n') else ''}, {outline.area_mm2():.0f} mm²"


ITEMS = tuple(
    Item(f"{name}.stl", partial(lying, name), _said(name), f"{Base.named(name).thickness_mm:g}") for name in CATALOGUE
)
