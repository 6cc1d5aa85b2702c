"""Broken meshes, one small file per defect, and what should be said of each: `python -m sim3d.forge.bad`.

Every file is spelled out byte by byte, so that it is the same on every machine; beside it lies the report that
`read_solid` gives for it, and a test compares the two.
"""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sim3d.finding import Refused
from sim3d.solid import read_solid
from sim3d.space import Floats, Ints

Mesh = tuple[Floats, Ints]
CUBE_AT = [(x, y, z) for z in (0, 10) for y in (0, 10) for x in (0, 10)]
CUBE = [
    *((0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4)),
    *((2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5)),
]
NEGATIVE = '<config><object id="2"><part id="1" subtype="normal_part" /><part id="3" subtype="negative_part" />'
NEGATIVE += "</object></config>"
MODEL = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"


def cube(*, at: Sequence[float] = (0, 0, 0), size: float = 10.0, inward: bool = False) -> Mesh:
    """Corners and triangles of a cube with its low corner at a place."""
    corners = np.array(CUBE_AT, dtype=float) * size / 10 + np.array(at, dtype=float)
    triangles = np.array(CUBE, dtype=np.int64)
    return corners, triangles[:, ::-1] if inward else triangles


def joined(*meshes: Mesh) -> Mesh:
    """Several meshes as one."""
    corners: list[Any] = []
    triangles: list[Any] = []
    before = 0
    for v, f in meshes:
        corners.append(v)
        triangles.append(f + before)
        before += len(v)
    return np.concatenate(corners), np.concatenate(triangles)


def loop(*, bar: float = 10.0) -> Mesh:
    """A square bar bent four times so that its end runs through its beginning: one shell of 16000 mm³ on paper."""
    left = [(0, 5), (35, 5), (35, 35), (25, 35), (25, -20)]
    right = [(0, -5), (45, -5), (45, 45), (15, 45), (15, -20)]
    ring = [(p, z) for pair in zip(left, right, strict=True) for z in (0.0, bar) for p in pair]
    corners = np.array([(*p, z) for p, z in ring], dtype=float)
    faces: list[tuple[int, int, int]] = [(0, 1, 2), (1, 3, 2), (16, 18, 17), (17, 18, 19)]
    for i in range(0, 16, 4):  # of each bend: left and right below, left and right above
        for a, b in ((0, 1), (1, 3), (3, 2), (2, 0)):
            faces += [(i + a, i + 4 + b, i + b), (i + a, i + 4 + a, i + 4 + b)]
    return corners, np.array(faces, dtype=np.int64)


def stl(mesh: Mesh | None = None, *, header: bytes = b"a cube", count: int | None = None) -> bytes:
    """A binary STL."""
    v, f = mesh or cube()
    out = header.ljust(80, b"\0") + struct.pack("<I", len(f) if count is None else count)
    for t in f:
        out += struct.pack("<12fH", 0, 0, 1, *np.asarray(v, dtype=float)[t].ravel(), 0)
    return out


def stl_ascii(mesh: Mesh | None = None, *, name: str = "a cube") -> bytes:
    """An ASCII STL."""
    v, f = mesh or cube()
    rows = []
    for t in f:
        corners = "".join(f"vertex {x:g} {y:g} {z:g}\n" for x, y, z in np.asarray(v)[t])
        rows.append(f"facet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\n")
    return f"solid {name}\n{''.join(rows)}endsolid {name}\n".encode("latin-1")


def obj(mesh: Mesh | None = None) -> bytes:
    """An OBJ."""
    v, f = mesh or cube()
    rows = [f"v {x:g} {y:g} {z:g}" for x, y, z in v] + ["f " + " ".join(str(i + 1) for i in t) for t in f]
    return ("\n".join(rows) + "\n").encode()


def off(mesh: Mesh | None = None) -> bytes:
    """An OFF."""
    v, f = mesh or cube()
    rows = [f"{x:g} {y:g} {z:g}" for x, y, z in v] + [f"{len(t)} " + " ".join(map(str, t)) for t in f]
    return (f"OFF\n{len(v)} {len(f)} 0\n" + "\n".join(rows) + "\n").encode()


def ply(mesh: Mesh | None = None, *, order: str = "ascii", faces: int | None = None) -> bytes:
    """A PLY; `order` is ascii, little or big."""
    v, f = mesh or cube()
    out = f"ply\nformat {'ascii' if order == 'ascii' else f'binary_{order}_endian'} 1.0\n".encode()
    out += f"element vertex {len(v)}\nproperty float x\nproperty float y\nproperty float z\n".encode()
    out += f"element face {len(f) if faces is None else faces}\n".encode()
    out += b"property list uchar int vertex_indices\nend_header\n"
    if order == "ascii":
        rows = [f"{x:g} {y:g} {z:g}" for x, y, z in v] + [f"{len(t)} " + " ".join(map(str, t)) for t in f]
        return out + ("\n".join(rows) + "\n").encode()
    mark = "<" if order == "little" else ">"
    out += b"".join(struct.pack(f"{mark}3f", *p) for p in v)
    return out + b"".join(struct.pack(f"{mark}B{len(t)}i", len(t), *t) for t in f)


def gltf_parts(mesh: Mesh | None = None, **changed: Any) -> tuple[dict[str, Any], bytes]:
    """The JSON of a glTF as a dict, and its buffer; metres."""
    v, f = mesh or cube()
    points = (np.asarray(v) / 1000).astype("<f4").tobytes()
    numbers = np.asarray(f).astype("<u2").tobytes()
    data = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(v), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3 * len(f), "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(points)},
            {"buffer": 0, "byteOffset": len(points), "byteLength": len(numbers)},
        ],
        "buffers": [{"byteLength": len(points) + len(numbers)}],
    }
    return data | changed, points + numbers


def glb(data: dict[str, Any] | bytes | None = None, binary: bytes = b"") -> bytes:
    """A GLB of this JSON and this buffer; a cube without them."""
    if data is None:
        data, binary = gltf_parts()
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    body = struct.pack("<I", len(text)) + b"JSON" + text + struct.pack("<I", len(binary)) + b"BIN\0" + binary
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


def gltf(data: dict[str, Any] | None = None, binary: bytes = b"", *, uri: str | None = None) -> bytes:
    """A glTF with its buffer within, or at an address."""
    if data is None:
        data, binary = gltf_parts()
    data["buffers"][0]["uri"] = uri or "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
    return json.dumps(data).encode()


def mesh_xml(mesh: Mesh | None = None) -> str:
    """The mesh element of a 3MF object."""
    v, f = mesh or cube()
    points = "".join(f'<vertex x="{x:g}" y="{y:g}" z="{z:g}" />' for x, y, z in v)
    faces = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}" />' for a, b, c in f)
    return f"<mesh><vertices>{points}</vertices><triangles>{faces}</triangles></mesh>"


def model_xml(
    resources: str | None = None, build: str = '<item objectid="1" />', *, unit: str = "millimeter", root: str = ""
) -> str:
    """The model part of a 3MF."""
    resources = resources or f'<object id="1" type="model">{mesh_xml()}</object>'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<model unit="{unit}" xmlns="{MODEL}" {root}>'
        f"<resources>{resources}</resources><build>{build}</build></model>"
    )


def threemf(
    model: str | bytes | None = None,
    *,
    more: Sequence[tuple[str, str | bytes]] = (),
    name: str = "3D/3dmodel.model",
    compression: int = zipfile.ZIP_STORED,
) -> bytes:
    """A 3MF archive, without time stamps."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for part, text in [(name, model or model_xml()), *more]:
            archive.writestr(zipfile.ZipInfo(part), text, compression)
    return out.getvalue()


def _gltf(**changed: Any) -> bytes:
    return gltf(*gltf_parts(**changed))


def _with(corners: int, place: Sequence[float]) -> Mesh:
    v, f = cube()
    v[corners] = place
    return v, f


def _flipped(triangle: int) -> Mesh:
    v, f = cube()
    f[triangle] = f[triangle][::-1]
    return v, f


def _component(resources: str) -> bytes:
    return threemf(model_xml(resources))


def _declaring(archive: bytes, size: int) -> bytes:
    """The archive with another unpacked size in both of its directories."""
    told = struct.pack("<I", size)
    entry = archive.index(b"PK\x01\x02")
    return archive[:22] + told + archive[26 : entry + 24] + told + archive[entry + 28 :]


def _objects(*uses: tuple[int, Sequence[int]]) -> str:
    parts = []
    for key, used in uses:
        inner = "".join(f'<component objectid="{u}" />' for u in used)
        parts.append(
            f'<object id="{key}" type="model">{f"<components>{inner}</components>" if used else mesh_xml()}</object>'
        )
    return "".join(parts)


def _one_part() -> str:
    used = '<component objectid="1" /><component objectid="3" transform="0.5 0 0 0 0.5 0 0 0 1 2 2 2" />'
    parts = f'<object id="1" type="model">{mesh_xml()}</object><object id="3" type="model">{mesh_xml()}</object>'
    parts += f'<object id="2" type="model"><components>{used}</components></object>'
    return model_xml(parts, '<item objectid="2" />')


def defects() -> dict[str, bytes]:
    """Every file of `meshes/bad` by its name."""
    nan, inf = float("nan"), float("inf")
    laughs = '<!DOCTYPE m [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    plate = np.array([(0, 0), (30, 0), (30, 30), (0, 30)], dtype=float)
    flat = np.column_stack([plate, np.zeros(4)]), np.array([(0, 1, 2), (0, 2, 3)])
    return {
        "empty.stl": b"",
        "one_byte.stl": b"x",
        "web_page.stl": b"<!DOCTYPE html><html><body>404 Not Found</body></html>",
        "glb_named_stl.stl": glb(),
        "count_zero.stl": stl(count=0),
        "count_half.stl": stl(count=6),
        "count_huge.stl": stl(count=2**32 - 1),
        "cut_in_a_triangle.stl": stl()[:-120],
        "no_triangles.stl": stl((np.empty((0, 3)), np.empty((0, 3), np.int64))),
        "nan.stl": stl(_with(3, (nan, 0, 0))),
        "infinite.stl": stl(_with(3, (inf, 0, 0))),
        "one_corner_at_1e30.stl": stl(_with(3, (1e30, 0, 0))),
        "five_kilometres_off.stl": stl(cube(at=(5e6, 5e6, 0))),
        "flat.stl": stl(flat),
        "trailing_bytes.stl": stl() + b"junk at the end",
        "header_solid.stl": stl(header=b"solid but binary"),
        "cut.words.stl": stl_ascii()[:-80],
        "not_a_number.words.stl": stl_ascii().replace(b"vertex 10 ", b"vertex ten ", 1),
        "open.obj": obj((cube()[0], cube()[1][:-2])),
        "one_face_flipped.obj": obj(_flipped(4)),
        "inside_out.obj": obj(cube(inward=True)),
        "overlapping_cubes.obj": obj(joined(cube(), cube(at=(5, 5, 5)))),
        "through_itself.obj": obj(loop()),
        "cubes_on_an_edge.obj": obj(joined(cube(), cube(at=(10, 10, 0)))),
        "doubled.obj": obj(joined(cube(), cube())),
        "sliver.obj": obj() + b"v 5 0 0\nf 1 2 9\n",
        "index_out_of_range.obj": obj() + b"f 1 2 99\n",
        "index_zero.obj": obj() + b"f 0 1 2\n",
        "not_a_number.obj": obj().replace(b"v 10 0 0", b"v 1_0.0 0 0", 1),
        "tilted_sheet.obj": obj((np.array([(0, 0, 0), (30, 0, 10), (30, 30, 25), (0, 30, 15)]), flat[1])),
        "unknown_word.obj": obj() + b"vv 1 2 3\n",
        "metres.obj": obj(cube(size=0.03)),
        "micrometres.obj": obj(cube(size=30_000)),
        "cut.ply": ply(order="little")[:-20],
        "faces_missing.ply": ply(faces=13),
        "faces_missing.off": off().replace(b"8 12 0", b"8 13 0"),
        "negative_count.off": off().replace(b"8 12 0", b"8 -12 0"),
        "reads_passwd.gltf": gltf(*gltf_parts(), uri="../../etc/passwd"),
        "calls_home.gltf": gltf(*gltf_parts(), uri="https://example.org/cube.bin"),
        "buffer_missing.gltf": gltf(*gltf_parts(), uri="nowhere.bin"),
        "node_loop.gltf": _gltf(nodes=[{"children": [1], "mesh": 0}, {"children": [0]}]),
        "node_shared.gltf": _gltf(
            nodes=[{"children": [1, 2]}, {"children": [3]}, {"children": [3]}, {"mesh": 0}], scenes=[{"nodes": [0]}]
        ),
        "beyond_the_buffer.gltf": _gltf(
            bufferViews=[{"buffer": 0, "byteLength": 10**6}, {"buffer": 0, "byteLength": 72}]
        ),
        "draco.gltf": _gltf(extensionsRequired=["KHR_draco_mesh_compression"]),
        "instances.gltf": _gltf(extensionsRequired=["EXT_mesh_gpu_instancing"]),
        "cut_in_half.glb": glb()[: len(glb()) // 2],
        "entity_bomb.3mf": threemf(model_xml().replace("<model", laughs + "<model", 1)),
        "unknown_unit.3mf": threemf(model_xml(unit="parsec")),
        "component_loop.3mf": _component(_objects((1, [2]), (2, [1]))),
        "component_missing.3mf": _component(_objects((1, [7]))),
        "component_blow_up.3mf": _component(_objects((10, []), *((n, [n + 1] * 10) for n in range(1, 10)))),
        "extension_needed.3mf": threemf(model_xml(root='requiredextensions="b" xmlns:b="http://example.org/beams"')),
        "negative_part.3mf": threemf(_one_part(), more=[("Metadata/model_settings.config", NEGATIVE)]),
        "zip_bomb.3mf": _declaring(threemf(), 2_000_000_000),
        "damaged.3mf": threemf()[:300],
    }


def report_of(path: Path) -> dict[str, Any]:
    """What is said of a file: its findings, and its facts where it can be read; the folder is left out."""
    try:
        solid = read_solid(path)
    except Refused as no:
        said = no.report.as_dict()
        facts = None
    else:
        said = solid.inspected().as_dict()
        facts = solid.facts()
    for finding in said["findings"]:
        finding["file"] = path.name
    return {**said, "facts": facts}


def make(folder: Path) -> None:
    """Write every broken mesh and its report."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in defects().items():
        path = folder / name
        path.write_bytes(data)
        text = json.dumps(report_of(path), indent=1, ensure_ascii=False) + "\n"
        (folder / f"{name}.report.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    make(Path("meshes") / "bad")
