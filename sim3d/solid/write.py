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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim3d.keep import keep
from sim3d.space import Floats, Ints

Colours = NDArray[np.uint8]  # (n, 4) red, green, blue, alpha of each corner
ENDINGS = (".stl", ".ply", ".obj", ".glb")
STL_TITLE = b"sim3d binary STL, millimetres, z up"  # must not begin with "solid": that would mean ASCII
STL_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
PLY_CORNER = np.dtype([("xyz", "<f4", 3)])
PLY_COLOURED = np.dtype([("xyz", "<f4", 3), ("rgba", "u1", 4)])
PLY_FACE = np.dtype([("count", "u1"), ("corners", "<i4", 3)])
CHUNK_JSON, CHUNK_BIN = 0x4E4F534A, 0x004E4942
FLOAT32, UINT16, UINT32 = 5126, 5123, 5125
FOR_CORNERS, FOR_TRIANGLES = 34962, 34963


def write_mesh(path: Path | str, vertices: Floats, faces: Ints, *, colours: Colours | None = None) -> None:
    """Write one mesh (mm, z up) in the format its name ends in; `colours` only in PLY and GLB."""
    path = Path(path)
    keep(path, encode(path.suffix, vertices, faces, colours=colours))


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
    return glb([Part("", vertices, faces, None if colours is None else colours[:, :3] / 255.0)])


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A mesh of a GLB (mm, z up): its name, and one colour of a screen (0 to 1) for all of it or for each corner."""

    name: str
    vertices: Floats
    faces: Ints
    colour: Any = None  # three numbers, or (n, 3)


def glb(parts: Sequence[Part]) -> bytes:
    """A GLB of meshes, each a node under its name; z up in millimetres becomes y up in metres, (x, z, -y) / 1000.

    Colours are those of corners, in the linear light that the format asks for; surfaces are matt and seen from both
    sides. A viewer that is told less shows black metal.
    """
    made = _Gltf()
    for part in parts:
        made.add(part)
    return made.bytes()


class _Gltf:
    """A file under way: blocks of numbers, and what refers to them."""

    def __init__(self) -> None:
        self.blocks: list[bytes] = []
        self.views: list[dict[str, int]] = []
        self.accessors: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.nodes: list[dict[str, Any]] = []
        self.size = 0

    def add(self, part: Part) -> None:
        """One mesh, which may be empty: then nothing is written."""
        if not len(part.faces):
            return
        x, y, z = part.vertices.T
        placed = np.ascontiguousarray(np.stack([x, z, -y], axis=1) / 1000.0 + 0.0, dtype="<f4")
        box = {"min": [float(v) for v in placed.min(axis=0)], "max": [float(v) for v in placed.max(axis=0)]}
        told = {"componentType": UINT32, "count": int(part.faces.size), "type": "SCALAR"}
        primitive: dict[str, Any] = {"indices": self._take(FOR_TRIANGLES, part.faces.astype("<u4").tobytes(), told)}
        told = {"componentType": FLOAT32, "count": len(placed), "type": "VEC3"}
        attributes = {"POSITION": self._take(FOR_CORNERS, placed.tobytes(), told | box)}
        if part.colour is not None:
            colours = np.ones((len(placed), 4))
            colours[:, :3] = linear(np.asarray(part.colour, dtype=np.float64))
            told = {"componentType": UINT16, "normalized": True, "count": len(placed), "type": "VEC4"}
            data = np.round(colours * 65535).astype("<u2").tobytes()
            attributes["COLOR_0"] = self._take(FOR_CORNERS, data, told)
        named = {"name": part.name} if part.name else {}
        self.meshes.append({"primitives": [primitive | {"attributes": attributes, "material": 0}]} | named)
        self.nodes.append({"mesh": len(self.meshes) - 1} | named)

    def _take(self, target: int, block: bytes, told: dict[str, Any]) -> int:
        """A block of numbers; every one is a multiple of four bytes long, so none needs padding between."""
        self.views.append({"buffer": 0, "byteOffset": self.size, "byteLength": len(block), "target": target})
        self.accessors.append({"bufferView": len(self.views) - 1} | told)
        self.blocks.append(block)
        self.size += len(block)
        return len(self.accessors) - 1

    def bytes(self) -> bytes:
        """The file."""
        paint = {"baseColorFactor": [1.0, 1.0, 1.0, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9}
        scene: dict[str, Any] = {"asset": {"version": "2.0", "generator": "sim3d"}, "scene": 0}
        scene["scenes"] = [{"nodes": list(range(len(self.nodes)))} if self.nodes else {}]
        if self.nodes:
            scene |= {"nodes": self.nodes, "meshes": self.meshes, "accessors": self.accessors}
            scene["materials"] = [{"name": "matt", "pbrMetallicRoughness": paint, "doubleSided": True}]
            scene |= {"bufferViews": self.views, "buffers": [{"byteLength": self.size}]}
        told = json.dumps(scene, separators=(",", ":")).encode("ascii")
        told += b" " * (-len(told) % 4)
        chunks = struct.pack("<II", len(told), CHUNK_JSON) + told
        if self.size:
            chunks += struct.pack("<II", self.size, CHUNK_BIN) + b"".join(self.blocks)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def linear(colour: Floats) -> Floats:
    """Colours of a screen (sRGB, 0 to 1) in linear light.

    >>> linear(np.array([0.0, 0.5, 1.0])).round(4).tolist()
    [0.0, 0.214, 1.0]
    """
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
