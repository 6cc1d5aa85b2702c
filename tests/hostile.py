"""What tests of the mesh reader share: the same cube in every format, and words for how reading it must end."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sim3d.finding import Refused
from sim3d.forge.bad import cube, glb, gltf, obj, off, ply, stl, stl_ascii, threemf
from sim3d.solid import Limits, Solid, read_solid


def ply_with_colours(order: str) -> bytes:
    """The cube with much besides the corners of its faces, before and after them, as painted meshes have it."""
    corners, faces = cube()
    sign = ">" if order == "big" else "<"
    numbers, others = (f"{sign}i4", 3), (f"{sign}f8", 2)
    row = np.dtype([("q", f"{sign}f4"), ("n", "u1"), ("v", *numbers), ("rgb", "u1", 3), ("m", "u1"), ("t", *others)])
    rows = np.zeros(len(faces), row)
    rows["n"], rows["v"], rows["rgb"], rows["m"] = 3, faces, (255, 128, 0), 2
    head = ["ply", f"format {'ascii' if order == 'ascii' else f'binary_{order}_endian'} 1.0"]
    head += [f"element vertex {len(corners)}", *(f"property float {axis}" for axis in "xyz")]
    head += [f"element face {len(faces)}", "property float quality", "property list uchar int vertex_indices"]
    head += [*(f"property uchar {c}" for c in ("red", "green", "blue")), "property list uchar double uv", "end_header"]
    if order == "ascii":
        head += [" ".join(map(str, c)) for c in corners] + [f"0 3 {a} {b} {c} 255 128 0 2 0 0" for a, b, c in faces]
    first = "\n".join([*head, ""]).encode()
    return first if order == "ascii" else first + corners.astype(f"{sign}f4").tobytes() + rows.tobytes()


EVERY = {
    "cube.stl": stl(),
    "words.stl": stl_ascii(),
    "cube.obj": obj(),
    "cube.off": off(),
    "words.ply": ply(),
    "little.ply": ply(order="little"),
    "big.ply": ply(order="big"),
    "painted.ply": ply_with_colours("little"),
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
