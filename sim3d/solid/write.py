"""Meshes to files, the same bytes for the same mesh on any machine: STL, PLY, OBJ, GLB by the name's ending.

Coordinates go out as float32 millimetres, z up; GLB is metres, y up, as its standard demands. No time stamps.

>>> import numpy as np
>>> corners, triangles = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.5]]), np.array([[0, 1, 2]])
>>> print(encode(".obj", corners, triangles).decode())
v 0 0 0
v 1 0 0
v 0 1 0.5
f 1 2 3
<BLANKLINE>
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim3d.space import Floats, Ints

Colours = NDArray[np.uint8]  # (n, 4) red, green, blue, alpha of each corner
ENDINGS = (".stl", ".ply", ".obj", ".glb")
STL_TITLE = b"sim3d binary STL, millimetres, z up"  # must not begin with "solid": that would mean ASCII
STL_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
PLY_CORNER = np.dtype([("xyz", "<f4", 3)])
PLY_COLOURED = np.dtype([("xyz", "<f4", 3), ("rgba", "u1", 4)])
PLY_FACE = np.dtype([("count", "u1"), ("corners", "<i4", 3)])
CHUNK_JSON, CHUNK_BIN = 0x4E4F534A, 0x004E4942
FLOAT32, UINT8, UINT32 = 5126, 5121, 5125
FOR_CORNERS, FOR_TRIANGLES = 34962, 34963


def write_mesh(path: Path | str, vertices: Floats, faces: Ints, *, colours: Colours | None = None) -> None:
    """Write one mesh (mm, z up) in the format its name ends in; `colours` only in PLY and GLB."""
    path = Path(path)
    path.write_bytes(encode(path.suffix, vertices, faces, colours=colours))


def encode(ending: str, vertices: Floats, faces: Ints, *, colours: Colours | None = None) -> bytes:
    """The bytes of the file that `write_mesh` writes.

    >>> import numpy as np
    >>> encode(".step", np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
    Traceback (most recent call last):
    ValueError: '.step' is not a format written here; use .stl, .ply, .obj, .glb
    """
    kind = ending.lower()
    if kind not in ENDINGS:
        raise ValueError(f"{ending!r} is not a format written here; use {', '.join(ENDINGS)}")
    if colours is not None and kind not in (".ply", ".glb"):
        raise ValueError(f"{ending} holds no colours; use .ply or .glb")
    if kind == ".stl":
        return _stl(vertices, faces)
    if kind == ".obj":
        return _obj(vertices, faces)
    return _ply(vertices, faces, colours) if kind == ".ply" else _glb(vertices, faces, colours)


def _stl(vertices: Floats, faces: Ints) -> bytes:
    corners = vertices.astype(np.float32)[faces]
    wide = corners.astype(np.float64)
    normals = np.cross(wide[:, 1] - wide[:, 0], wide[:, 2] - wide[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    facets = np.zeros(len(faces), dtype=STL_FACET)
    # five digits: enough to shade by, and no trace of the machine's last bit
    facets["normal"] = np.round(normals / np.where(lengths > 0, lengths, 1.0), 5) + 0.0
    facets["corners"] = corners
    return STL_TITLE.ljust(80, b" ") + struct.pack("<I", len(faces)) + facets.tobytes()


def _ply(vertices: Floats, faces: Ints, colours: Colours | None) -> bytes:
    head = ["ply", "format binary_little_endian 1.0", "comment sim3d, millimetres, z up"]
    head += [f"element vertex {len(vertices)}", *(f"property float {axis}" for axis in "xyz")]
    if colours is not None:
        head += [f"property uchar {channel}" for channel in ("red", "green", "blue", "alpha")]
    head += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header", ""]
    corners = np.zeros(len(vertices), dtype=PLY_CORNER if colours is None else PLY_COLOURED)
    corners["xyz"] = vertices
    if colours is not None:
        corners["rgba"] = colours
    triangles = np.zeros(len(faces), dtype=PLY_FACE)
    triangles["count"] = 3
    triangles["corners"] = faces
    return "\n".join(head).encode("ascii") + corners.tobytes() + triangles.tobytes()


def _obj(vertices: Floats, faces: Ints) -> bytes:
    values, where = np.unique(vertices.astype(np.float32) + np.float32(0.0), return_inverse=True)
    words = [np.format_float_positional(value, trim="-") for value in values]
    lines = ["v " + " ".join(words[k] for k in row) for row in where.reshape(-1, 3).tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    return ("\n".join(lines) + "\n").encode("ascii")


def _glb(vertices: Floats, faces: Ints, colours: Colours | None) -> bytes:
    """One mesh in one buffer. z up in millimetres becomes y up in metres: (x, y, z) to (x, z, -y) / 1000."""
    placed = np.ascontiguousarray(
        np.stack([vertices[:, 0], vertices[:, 2], -vertices[:, 1]], axis=1) / 1000.0 + 0.0, dtype="<f4"
    )
    blocks = [(FOR_TRIANGLES, faces.astype("<u4").tobytes()), (FOR_CORNERS, placed.tobytes())]
    accessors: list[dict[str, Any]] = [
        {"bufferView": 0, "componentType": UINT32, "count": int(faces.size), "type": "SCALAR"},
        {
            "bufferView": 1,
            "componentType": FLOAT32,
            "count": len(placed),
            "type": "VEC3",
            "min": [float(v) for v in placed.min(axis=0)] if len(placed) else [0.0, 0.0, 0.0],
            "max": [float(v) for v in placed.max(axis=0)] if len(placed) else [0.0, 0.0, 0.0],
        },
    ]
    attributes = {"POSITION": 1}
    if colours is not None:
        blocks.append((FOR_CORNERS, colours.astype(np.uint8).tobytes()))
        count = len(colours)
        accessors.append({"bufferView": 2, "componentType": UINT8, "normalized": True, "count": count, "type": "VEC4"})
        attributes["COLOR_0"] = 2
    views, start = [], 0
    for target, block in blocks:  # every block is a multiple of four bytes long, so none needs padding between
        views.append({"buffer": 0, "byteOffset": start, "byteLength": len(block), "target": target})
        start += len(block)
    paint = {"baseColorFactor": [1.0, 1.0, 1.0, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9}
    scene = {
        "asset": {"version": "2.0", "generator": "sim3d"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": attributes, "indices": 0, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": paint}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": start}],
    }
    told = json.dumps(scene, separators=(",", ":")).encode("ascii")
    told += b" " * (-len(told) % 4)
    body = b"".join(block for _, block in blocks)
    chunks = struct.pack("<II", len(told), CHUNK_JSON) + told + struct.pack("<II", len(body), CHUNK_BIN) + body
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
