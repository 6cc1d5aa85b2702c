"""`first_manifest()`: a manifest for a folder that has none, from what its meshes show; for a person to correct."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from sim3d.finding import Refused, Severity, plain
from sim3d.form import to_toml
from sim3d.mini import Mini
from sim3d.pack.floors import floors_of
from sim3d.pack.folder import looked_through
from sim3d.pack.manifest import BED_MM, CLIMB_MM, WALL_MM
from sim3d.pack.shape import LARGEST_MM, SMALLEST_MM, STATES_UNIT
from sim3d.solid import Solid, read_solid
from sim3d.table.file import LONGEST_MM
from sim3d.table.table import known, numbered

BASES = ("27", "50")  # the smallest first: a level is a floor on which that one has room
MOST_NAME = 90  # characters of a piece's name: a manifest takes a hundred, and equal ones are numbered

HEAD = """\
# Written by `sim3d init` from what the meshes show. Everything here is for you to correct:
# units are {units},
# levels are heights of floors in the meshes on which a base {base} has room, bases and printer are guesses.
"""


def first_manifest(folder: Path) -> tuple[str | None, tuple[str, ...]]:
    """The text of a manifest, None for a folder without a mesh, and a line for every mesh that could not be read."""
    there = looked_through(folder)
    files = there.files
    names = numbered([Path(file).stem[:MOST_NAME] or "piece" for file in files])
    pieces: dict[str, dict[str, Any]] = {}
    left = [str(finding) for finding in there.findings]
    odd: list[str] = []  # files of a size that no terrain has in mm
    undeclared = False
    for name, file in zip(names, files, strict=True):
        try:
            solid = read_solid(folder / file)
        except Refused as refused:
            pieces[name] = {"file": file}
            left += [str(replace(f, file=file)) for f in refused.report.at_least(Severity.ERROR)]
            continue
        if solid.source.format.split()[0] not in STATES_UNIT:
            undeclared = True
            if not SMALLEST_MM <= max(solid.extents_mm) <= LARGEST_MM:
                odd.append(plain(file))
        pieces[name] = _piece(file, solid)
    if not files:
        return None, tuple(left)
    name = plain(folder.resolve().name)[:100] or "pack"
    head: dict[str, Any] = {
        "id": re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "pack",
        "name": name,
        "version": "0.1.0",
        "authors": [],
        "licence": "",
        "units": "mm" if undeclared and not odd else None,
        "up": "z" if undeclared else None,
    }
    unread = sum(list(piece) == ["file"] for piece in pieces.values())
    said = "as every file states them"
    if unread == len(files):
        said = "not said: no file could be read"
    if undeclared:
        said = (
            "mm: no file says so, but the sizes are plausible"
            if not odd
            else f"not declared: in mm the sizes are not plausible of {known(odd)};\n"
            "# say `units` for the whole pack, or for each of these in its own table"
        )
    data = {
        "pack": head,
        "use": {"bases": list(BASES), "climb": CLIMB_MM},
        "print": {"wall": WALL_MM, "bed": list(BED_MM)},
        "piece": pieces,
    }
    return HEAD.format(units=said, base=BASES[0]) + "\n" + to_toml(data), tuple(left)


def _piece(file: str, solid: Solid) -> dict[str, Any]:
    x, y, z = (_size(v) for v in solid.extents_mm)
    levels = [z for z, _ in floors_of(solid, Mini(base=BASES[0]))]
    data: dict[str, Any] = {"file": file}
    if min(x, y) > 0 and max(x, y) <= LONGEST_MM:  # a manifest takes no others
        data["footprint_mm"] = [x, y]
    if 0 < z <= LONGEST_MM:
        data["height_mm"] = z
    return data | ({"levels_mm": levels} if levels else {})


def _size(v: float) -> float:
    """A size in tenths of a mm; what is too small for that, in two digits.

    >>> _size(59.96), _size(0.0412)
    (60.0, 0.041)
    """
    return round(v, 1) if v >= 1 else float(f"{v:.2g}")
