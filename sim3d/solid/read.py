"""`read_solid`: a mesh file in, a proven `Solid` out, or `Refused` with every fault; never a guess."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sim3d.finding import Refused, plain
from sim3d.solid.gltf import read_gltf
from sim3d.solid.guard import USUAL, Limits, kind_of, read_bytes, within
from sim3d.solid.obj import read_obj
from sim3d.solid.off import read_off
from sim3d.solid.ply import read_ply
from sim3d.solid.solid import Solid, proven_solid
from sim3d.solid.soup import Soup
from sim3d.solid.stl import read_stl
from sim3d.solid.threemf import read_3mf


def read_solid(
    path: str | os.PathLike[str], *, unit: str | None = None, up: str | None = None, limits: Limits = USUAL
) -> Solid:
    """The mesh in a file, in mm and z up; `unit` and `up` override what the format or the file says.

    STL, OBJ, PLY and OFF count as mm with z up, glTF as metres with y up, 3MF as it declares.

    >>> read_solid("nothing.stl")
    Traceback (most recent call last):
    sim3d.finding.Refused: nothing.stl: error FILE_MISSING: there is no such file
    """
    path = Path(path)
    file = path.as_posix()
    try:
        data = read_bytes(path, limits=limits)
        soup = _READERS[kind_of(path, data)](path, data, limits)
        too_many = within(len(soup.faces), limits)
        if too_many:
            raise Refused(*soup.findings, *too_many)
    except Refused as no:
        raise Refused(*(replace(f, file=file) for f in no.report)) from no.__cause__
    return proven_solid(soup, name=plain(path.stem), unit=unit, up=up, file=file)


Reader = Callable[[Path, bytes, Limits], Soup]
_READERS: dict[str, Reader] = {
    "stl": lambda path, data, limits: read_stl(data, limits=limits),
    "obj": lambda path, data, limits: read_obj(data, limits=limits),
    "ply": lambda path, data, limits: read_ply(data, limits=limits),
    "off": lambda path, data, limits: read_off(data, limits=limits),
    "glb": read_gltf,
    "gltf": read_gltf,
    "3mf": lambda path, data, limits: read_3mf(data, limits=limits),
}
