"""Steps of rolling told ahead beside those that are taken one by one. Run as a program, loops not compiled.

With the word "dear" at places where that takes long.

Prints a line of JSON for each place: how many steps were told ahead, and what of them differs most from the one that
would have been taken there, looking all around: the kind, the angle (radians), the pose and its contacts (mm). Whether
the base is said to be held whichever way a table leans by a nudge and a bit, the same after another base was there, the
tip (degrees), and the least tilt that takes it over when directions all round are tried instead.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from sim3d.ground import ground_of
from sim3d.mini import Mini
from sim3d.solid import Solid, read_solid
from sim3d.space import Floats
from sim3d.table import Table

MESHES = Path(__file__).parents[1] / "meshes"
WIDE_MM, RISE, LONG_MM = 60.0, 0.4, 120.0  # half the width of a groove, the slope of its sides, half its length
PEG_MM = 9.0  # its top: a base of 50 mm lies 1 mm over it, and comes down on it as it leans
LEANS_DEG = 5.26
FARTHEST_DEG = 10.25
PLACES = (
    ("gallery/stairs.stl", "27", (25.26, 8.59)),
    ("groove", "50", (0.0, 0.3)),
    ("groove with a peg", "50", (-20.0, 0.3)),
)
DEAR = (  # places where many steps are taken: most of a minute
    ("pack/hill.ply", "27", (-55.51, 71.2)),  # the easiest way lies between the directions that are tried, however many
    ("groove", "60x35", (5.0, 1.0)),
    *(("groove with a peg", "50", (x, 0.3)) for x in (-23.0, -15.0)),
    ("pack/hill.ply", "27", (76.12, -75.76)),
    ("pack/craters.ply", "27", (-7.39, -65.77)),
    ("pack/craters.ply", "27", (-28.0, 48.0)),  # where it rests after a nudge it rolls into a hollow on its way home
)


def groove(peg: bool) -> Solid:
    """A groove along x; with a peg in it at x = 0."""
    corners = [(x, y, RISE * abs(y)) for x in (-LONG_MM, LONG_MM) for y in (-WIDE_MM, 0.0, WIDE_MM)]
    faces = [(0, 3, 4), (0, 4, 1), (1, 4, 5), (1, 5, 2)]
    if peg:
        corners += [(0.4, 8.0, 0.0), (-0.2, 8.3, 0.0), (-0.2, 7.7, 0.0), (0.0, 8.0, PEG_MM)]
        faces += [(6, 7, 9), (7, 8, 9), (8, 6, 9)]
    return Solid.of(corners, faces)


def ahead(mesh: str, base: str, at: tuple[float, float]) -> dict[str, Any]:
    """What is told ahead while the easiest way over is sought, and how far off each of these steps is."""
    footing: Any = importlib.import_module("sim3d.statics.footing")
    rest: Any = importlib.import_module("sim3d.statics.rest")
    tips: Any = importlib.import_module("sim3d.statics.tip")
    solid = groove("peg" in mesh) if "groove" in mesh else read_solid(MESHES / mesh)
    case = rest.case_of(ground_of(Table.of(solid)), Mini(base), at=at, turn=0.0, level=None)
    _, *plane = case.lowest()
    on = case.footing(case.frame(*plane))
    t, tell, ask = on.trodden, footing.gone_ahead, tips.easiest_away
    told, worst = 0, {"kind": 0.0, "angle": 0.0, "pose": 0.0, "contacts": 0.0}

    def checked(on: Any, close: Any, frame: Floats, axis: Floats, contacts: Floats, more: int) -> Any:
        nonlocal told
        first = int(t.many[0])
        about = tell(on, close, frame, axis, contacts, more)
        for n in range(first, int(t.many[0])):
            frame, axis = t.froms[n, :4], t.froms[n, 4:]
            near = footing.followed(on, on.close, frame)
            kind, by, there, met, _ = footing.one_step(on, near, frame, axis, contacts, footing.SINK_MM)
            contacts = t.contacts[t.parts[n, 0] : t.parts[n, 1]]
            ends, mine = met[footing.hull(met)], contacts[t.rings[t.parts[n, 2] : t.parts[n, 3]]]
            off = {
                "kind": float(kind != t.kinds[n]),
                "angle": abs(by - float(t.angles[n])),
                "pose": float(np.abs(there - t.frames[n]).max()),
                "contacts": float(np.abs(ends[:, :6] - mine[:, :6]).max()) if len(ends) == len(mine) else math.inf,
            }
            worst.update({k: max(worst[k], off[k]) for k in off})
            told += 1
        return about

    footing.gone_ahead = checked
    held = bool(ask(on, math.radians(LEANS_DEG), True).held)
    away = [t.frames[n].copy() for n in range(int(t.many[0])) if t.homes[n] == 0]
    footing.forgotten(t)  # now as if another base had left ways home through all poses from which this one does not go
    t.gone[0] = 2 * len(away)
    for k, pose in enumerate(away):
        t.ways[2 * k], t.leads[2 * k], t.ways[2 * k + 1], t.leads[2 * k + 1] = pose, True, pose + 1e-3, False
    again = bool(ask(on, math.radians(LEANS_DEG), True).held)
    footing.forgotten(t)
    tilt, _ = tips.tip(on, math.radians(FARTHEST_DEG), 0.0)
    tips.easiest_away = lambda on, limit, only_held: ask.__globals__["Away"](False, 0.0, math.nan)
    tried, _ = tips.tip(on, math.radians(FARTHEST_DEG), 0.0)
    footing.gone_ahead, tips.easiest_away = tell, ask
    return {
        "mesh": mesh,
        "base": base,
        "at": at,
        "told": told,
        "held": held,
        "again": again,
        "tip": math.degrees(tilt),
        "tried": math.degrees(tried),
        **worst,
    }


if __name__ == "__main__":
    for place in DEAR if sys.argv[1:] == ["dear"] else PLACES:
        print(json.dumps(ahead(*place)), flush=True)
