"""What tests of the mesh reader share: the same cube in every format, and words for how reading it must end."""

from __future__ import annotations

from pathlib import Path

from sim3d.finding import Refused
from sim3d.forge.bad import glb, gltf, obj, off, ply, stl, stl_ascii, threemf
from sim3d.solid import Limits, Solid, read_solid

EVERY = {
    "cube.stl": stl(),
    "words.stl": stl_ascii(),
    "cube.obj": obj(),
    "cube.off": off(),
    "words.ply": ply(),
    "little.ply": ply(order="little"),
    "big.ply": ply(order="big"),
    "cube.glb": glb(),
    "cube.gltf": gltf(),
    "cube.3mf": threemf(compression=8),
    "plain.3mf": threemf(),
}  # the same 10 mm cube in every format


def heard(folder: Path, name: str, data: bytes, **options) -> Solid | Refused:
    """What reading these bytes under this name ends in: a solid or a refusal, anything else fails the test."""
    path = folder / name
    path.write_bytes(data)
    try:
        return read_solid(path, **options)
    except Refused as error:
        no = error
    assert not no.report.ok, "refused without an error"
    assert all(f.message and f.file for f in no.report)
    return no


def refused(folder: Path, name: str, data: bytes, **options) -> Refused:
    no = heard(folder, name, data, **options)
    assert isinstance(no, Refused), f"{name} should have been refused, but is {no!r}"
    return no


def accepted(folder: Path, name: str, data: bytes, **options) -> Solid:
    solid = heard(folder, name, data, **options)
    assert isinstance(solid, Solid), f"{name} should have been read: {solid}"
    return solid


FEW = Limits(max_bytes=1_000_000, max_triangles=1000, max_unpacked_bytes=2_000_000)
