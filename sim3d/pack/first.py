"""`first_manifest()`: a manifest for a folder that has none, from what its meshes show; for a person to correct."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from sim3d.finding import Refused, plain
from sim3d.form import to_toml
from sim3d.pack.folder import looked_through
from sim3d.pack.manifest import BED_MM, CLIMB_MM, WALL_MM
from sim3d.pack.shape import LARGEST_MM, SMALLEST_MM, STATES_UNIT
from sim3d.solid import Solid, read_solid
from sim3d.solid.survey import cross_of
from sim3d.table.table import numbered

LEVEL_MM = 1.0  # heights this near to each other are one level
LEVEL_SHARE = 0.25  # of a 27 mm base's square: less level ground than that is a detail
LEVEL_MM2 = 27.0**2
LEVEL_COS = 0.999  # 2.5 degrees: what looks level
GROUND_MM = 5.0  # lower is the piece's own foot
MOST_LEVELS = 12
MOST_NAME = 90  # characters of a piece's name: a manifest takes a hundred, and equal ones are numbered

HEAD = """\
# Written by `sim3d init` from what the meshes show. Everything here is for you to correct:
# units are {units},
# levels are heights of level ground in the meshes, bases and printer are guesses.
"""


def first_manifest(folder: Path) -> tuple[str, tuple[str, ...]]:
    """The text of a manifest, and a line for every mesh that could not be read."""
    there = looked_through(folder)
    files = there.files
    names = numbered([Path(file).stem[:MOST_NAME] or "piece" for file in files])
    pieces: dict[str, dict[str, Any]] = {}
    left = [str(finding) for finding in there.findings]
    sizes: list[float] = []
    undeclared = False
    for name, file in zip(names, files, strict=True):
        try:
            solid = read_solid(folder / file)
        except Refused as refused:
            pieces[name] = {"file": file}
            left.append(f"{file}: {refused.report.findings[0].message}")
            continue
        if solid.source.format.split()[0] not in STATES_UNIT:
            undeclared = True
            sizes.append(max(solid.extents_mm))
        pieces[name] = _piece(file, solid)
    plausible = all(SMALLEST_MM <= size <= LARGEST_MM for size in sizes)
    name = plain(folder.resolve().name)[:100] or "pack"
    head: dict[str, Any] = {
        "id": re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "pack",
        "name": name,
        "version": "0.1.0",
        "authors": [],
        "licence": "",
        "units": "mm" if undeclared and plausible else None,
        "up": "z" if undeclared else None,
    }
    said = "as every file states them"
    if undeclared:
        said = (
            "mm: no file says so, but the sizes are plausible"
            if plausible
            else "not declared: the sizes are not plausible in mm"
        )
    data = {
        "pack": head,
        "use": {"bases": ["27", "50"], "climb": CLIMB_MM},
        "print": {"wall": WALL_MM, "bed": list(BED_MM)},
        "piece": pieces,
    }
    return HEAD.format(units=said) + "\n" + to_toml(data), tuple(left)


def _piece(file: str, solid: Solid) -> dict[str, Any]:
    x, y, z = (round(v, 1) for v in solid.extents_mm)
    levels = [z for z, _ in levels_of(solid)]
    data: dict[str, Any] = {"file": file, "footprint_mm": [x, y], "height_mm": z}
    return data | ({"levels_mm": levels} if levels else {})


def levels_of(solid: Solid) -> list[tuple[float, float]]:
    """Heights over the lowest point with level ground for at least a quarter of a small base, and its mm²."""
    double = cross_of(solid.vertices, solid.faces)
    size = np.linalg.norm(double, axis=1)
    height = solid.vertices[solid.faces][:, :, 2].mean(axis=1) - solid.bounds[0][2]
    level = (double[:, 2] > LEVEL_COS * size) & (height > GROUND_MM)
    order = np.flatnonzero(level)[np.argsort(height[level], kind="stable")]
    found: list[tuple[float, float]] = []
    start = 0
    for k in range(1, len(order) + 1):
        if k == len(order) or height[order[k]] - height[order[k - 1]] > LEVEL_MM:
            some = order[start:k]
            area = float(size[some].sum()) / 2
            if area >= LEVEL_SHARE * LEVEL_MM2:
                found.append((round(float(np.average(height[some], weights=size[some])), 1), area))
            start = k
    largest = sorted(found, key=lambda one: -one[1])[:MOST_LEVELS]
    return sorted(largest)
