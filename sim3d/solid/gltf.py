"""glTF and GLB: every triangle of the scene, at its node's place. Metres and y up, as the standard says.

Pictures, materials and movements are never opened; skins are, for they say where a mesh is. Buffers come from the file
itself or from its own folder.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sim3d.finding import Finding, Refused, Severity, check
from sim3d.solid.accessor import (
    MESHOPT,
    box_wrong,
    chunks_of,
    column,
    compressed,
    fractions,
    out_of_bounds,
    pick,
    unknown_extension,
    whole,
)
from sim3d.solid.guard import (
    Limits,
    bad,
    cut_off,
    neighbour,
    outside,
    read_bytes,
    shown,
    skipped,
    trailing_bytes,
    within,
)
from sim3d.solid.skin import joint_matrices, posed
from sim3d.solid.soup import Soup, behind
from sim3d.space import Floats, Ints

VALUES_MOST = 2_000_000  # things in the JSON: each takes a hundred bytes of memory or more
NODES_MOST = 200_000
UNIT_LENGTH = 0.01  # how far from 1 the length of a node's quaternion may be: two digits, as people write them
MATRIX_ROUNDING = 1e-5  # of the last row of a node's matrix: numbers of seven digits, multiplied a few times
_VISIBILITY = "KHR_node_visibility"  # of a node and of all below it
_HARMLESS = (
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "KHR_lights_",
    "KHR_mesh_quantization",
    _VISIBILITY,
    "KHR_xmp",
    "MSFT_texture",
)
_PACKED = ("KHR_draco_mesh_compression", *MESHOPT)
_INSTANCES = "EXT_mesh_gpu_instancing"
_NEWEST = (2, 0)  # the version of the format that is read
_MORPHED = tuple(f"{what} with morph targets (the rest shape was read)" for what in ("surface", "surfaces"))
_SKIPPED = {0: "points", 1: "lines", 2: "lines", 3: "lines"}


@check("GLTF_NODE_LOOP", Severity.ERROR, "node {node} contains itself, by way of its children")
def node_loop(*_: object) -> None:
    """The nodes of the scene form a loop.

    Why: the scene would have no end. Example: node 0 has child 1, and node 1 has child 0. Do: export it again.
    """


@check("GLTF_NODE_SHARED", Severity.ERROR, "node {node} has more than one parent")
def node_shared(*_: object) -> None:
    """A node is a child of two nodes; the standard demands a tree.

    Why: such scenes can multiply without bounds, and programs disagree about them. Example: two tables that share
    one leg.
    Do: export it again; one mesh may be used by many nodes.
    """


def read_gltf(path: Path, data: bytes, limits: Limits) -> Soup:
    """The scene of a glTF (JSON) or GLB file as triangles."""
    binary: bytes | None = None
    found: tuple[Finding, ...] = ()
    text = data
    if data.startswith(b"glTF"):
        text, binary, extra = chunks_of(data)
        if extra:
            found = (trailing_bytes.hit(what=f"{extra} bytes"),)
    scene = Scene(_parsed(text), path, binary, limits, {}, {}, {}, {}, {})
    soup = scene.soup("glb" if binary is not None else "gltf")
    return replace(soup, findings=found + soup.findings)


def _parsed(text: bytes) -> dict[str, Any]:
    values = text.count(b",") + text.count(b"[") + text.count(b"{")
    if values > VALUES_MOST:
        raise bad("glTF", f"{values} values in its JSON, at most {VALUES_MOST} are read")

    def number(word: str) -> NoReturn:
        raise ValueError(f"{word} is no number in JSON")

    try:
        root = json.loads(text.decode("utf-8-sig"), parse_constant=number)
    except RecursionError as error:
        raise bad("glTF", "its JSON is nested too deeply") from error
    except ValueError as error:  # includes broken UTF-8 and numbers of thousands of digits
        raise bad("glTF", f"its JSON cannot be read: {shown(error, most=100)}") from error
    if not isinstance(root, dict) or not isinstance(root.get("asset"), dict):
        raise bad("glTF", "it says nothing about the 'asset' that it is")
    version = root["asset"].get("version")
    if not isinstance(version, str) or not version.startswith("2."):
        raise bad("glTF", f"version {shown(version)}; only version 2 is read")
    least = root["asset"].get("minVersion", "2.0")
    if not isinstance(least, str) or not re.fullmatch(r"[0-9]{1,6}\.[0-9]{1,6}", least):
        raise bad("glTF", f"its 'minVersion' is {shown(least)}, not a version such as '2.0'")
    if tuple(map(int, least.split("."))) > _NEWEST:
        raise bad("glTF", f"it needs a reader of version {least} (minVersion); only version 2.0 is read")
    needed = root.get("extensionsRequired", [])
    if not isinstance(needed, list) or not all(isinstance(n, str) for n in needed):
        raise bad("glTF", "'extensionsRequired' is not a list of names")
    faults = [compressed.hit(extension=n) for n in needed if n in _PACKED]
    faults += [
        unknown_extension.hit(extension=shown(n)) for n in needed if n not in _PACKED and not n.startswith(_HARMLESS)
    ]
    if faults:
        raise Refused(*faults)
    return root


@dataclass(frozen=True, slots=True)
class Placed:
    """A mesh at a node of the scene; a skin, where it has one, says otherwise where its corners are."""

    mesh: int
    matrix: Floats
    skin: object = None


@dataclass(frozen=True, slots=True)
class Scene:
    """A parsed file, its buffers as they are first needed, its meshes as they are first used."""

    root: dict[str, Any]
    path: Path
    binary: bytes | None
    limits: Limits
    loaded: dict[int, bytes]
    meshes: dict[int, tuple[Floats, Ints]]
    others: dict[str, int]
    worlds: dict[int, Floats]  # where each node of the scene is
    boxes: dict[int, Finding]  # what is said of an accessor's own box

    def soup(self, kind: str) -> Soup:
        """Every mesh at every node of the scene that the file shows."""
        placed = self._placed()
        self._proven(placed)
        total = sum(len(self._mesh(p.mesh)[1]) for p in placed)
        corners = sum(len(self._mesh(p.mesh)[0]) for p in placed)
        if within(max(total, corners // 3), self.limits):
            raise Refused(*within(max(total, corners // 3), self.limits))
        vertices, faces, before = [np.empty((0, 3))], [np.empty((0, 3), np.int64)], 0
        for place in placed:
            triangles = self._mesh(place.mesh)[1]
            points, mirrored = self._posed(place) if place.skin is not None else self._moved(place)
            vertices.append(points)
            wound = triangles[:, ::-1] if mirrored else triangles  # a mirrored part would be inside out
            faces.append(behind(wound, before, len(points)))
            before += len(points)
        told = ", ".join(f"{n} {what}" for what, n in self.others.items())
        found = (*self.boxes.values(), *((skipped.hit(what=told),) if told else ()))
        name = next((shown(n) for n in self._names(placed) if n), "")
        return Soup(np.concatenate(vertices), np.concatenate(faces), kind, "m", "y", total, True, name, findings=found)

    def _moved(self, place: Placed) -> tuple[Floats, bool]:
        """The corners of a mesh at its node, and whether that turns them into their mirror image."""
        with np.errstate(over="ignore", invalid="ignore"):
            points = self._mesh(place.mesh)[0] @ place.matrix[:3, :3].T + place.matrix[:3, 3]
            return points, float(np.linalg.det(place.matrix[:3, :3])) < 0

    def _posed(self, place: Placed) -> tuple[Floats, bool]:
        """The corners of a mesh where the joints of its skin have them; its node's own place does not count."""
        matrices = joint_matrices(self.root, place.skin, self.buffer, self.worlds)
        made = [np.empty((0, 3))]
        said = dict(self.others)
        for primitive in _list(pick(self.root, "meshes", place.mesh), "primitives"):
            points, _ = self._primitive(primitive)
            self.others.update(said)  # lines and points were counted when the mesh was first read
            made.append(posed(self.root, primitive.get("attributes", {}), points, matrices, self.buffer))
        with np.errstate(over="ignore", invalid="ignore"):
            return np.concatenate(made), float(np.linalg.det(matrices[0, :3, :3])) < 0

    def _proven(self, placed: list[Placed]) -> None:
        """Every fault of every mesh at once, not only the first one's."""
        faults: list[Finding] = []
        corners, triangles = 0, 0
        for mesh in dict.fromkeys(p.mesh for p in placed):
            try:
                made = self._mesh(mesh)
                corners, triangles = corners + len(made[0]), triangles + len(made[1])
            except Refused as no:
                faults += [f for f in no.report if f not in faults]
            # Now, not when all are read: many meshes may be made of the same few bytes.
            if too_many := within(max(triangles, corners // 3), self.limits):
                raise Refused(*faults, *too_many)
        if faults:
            raise Refused(*faults)

    def _names(self, placed: list[Placed]) -> list[str]:
        names = [pick(self.root, "meshes", p.mesh).get("name") for p in placed[:1]]
        return [n for n in names if isinstance(n, str)]

    def _placed(self) -> list[Placed]:
        """The meshes in the scene, each with its place; without scenes, all nodes that are no one's child."""
        nodes = self.root.get("nodes", [])
        if not isinstance(nodes, list) or len(nodes) > NODES_MOST:
            raise bad("glTF", f"'nodes' is not a list of at most {NODES_MOST}")
        parent: dict[int, int] = {}
        for i in range(len(nodes)):
            for child in _list(pick(self.root, "nodes", i), "children"):
                pick(self.root, "nodes", child, "node")
                if child in parent:
                    raise Refused(node_shared.hit(node=child))
                parent[child] = i
        _no_loop(parent)
        if self.root.get("scenes"):
            starts = _list(pick(self.root, "scenes", self.root.get("scene", 0), "scene"), "nodes")
        else:
            starts = [i for i in range(len(nodes)) if i not in parent]
        waiting = [(n, np.eye(4), True) for n in reversed(starts)]
        placed: list[Placed] = []
        seen: set[int] = set()
        hidden = 0
        while waiting:
            n, above, visible = waiting.pop()
            node = pick(self.root, "nodes", n, "node")
            if n in seen:
                raise Refused(node_shared.hit(node=n))
            seen.add(n)
            extensions = node.get("extensions")
            if isinstance(extensions, dict) and _INSTANCES in extensions:
                raise Refused(unknown_extension.hit(extension=_INSTANCES))
            matrix = above @ _matrix(node)
            visible = _visible(n, extensions) and visible
            self.worlds[n] = matrix
            if "mesh" in node:
                pick(self.root, "meshes", node["mesh"], "mesh")
                if visible:
                    placed.append(Placed(node["mesh"], matrix, node.get("skin")))
                else:
                    hidden += 1
            waiting += [(child, matrix, visible) for child in reversed(_list(node, "children"))]
        if hidden:
            self.others[f"{'mesh that is' if hidden == 1 else 'meshes that are'} hidden ({_VISIBILITY})"] = hidden
        self._left_out(nodes, seen)
        return placed

    def _left_out(self, nodes: list[dict[str, Any]], shown_nodes: set[int]) -> None:
        """Count the meshes that the scene does not show: at nodes outside it, or at none."""
        at_nodes = {node["mesh"] for node in nodes if isinstance(node.get("mesh"), int)}
        outside = sum("mesh" in node for n, node in enumerate(nodes) if n not in shown_nodes)
        nowhere = sum(mesh not in at_nodes for mesh in range(len(_list(self.root, "meshes"))))
        if outside + nowhere:
            scenes = len(_list(self.root, "scenes"))
            of = f", which is one of {scenes}" if scenes > 1 else ""
            one = outside + nowhere == 1
            self.others[f"{'mesh that is' if one else 'meshes that are'} not in the scene{of}"] = outside + nowhere

    def _mesh(self, index: int) -> tuple[Floats, Ints]:
        if index not in self.meshes:
            vertices, faces, before = [np.empty((0, 3))], [np.empty((0, 3), np.int64)], 0
            for primitive in _list(pick(self.root, "meshes", index), "primitives"):
                if not isinstance(primitive, dict):
                    raise bad("glTF", f"mesh {index} has a primitive that is not an object")
                points, triangles = self._primitive(primitive)
                vertices.append(points)
                faces.append(behind(triangles, before, len(points)))
                before += len(points)
                if within(max(sum(map(len, faces)), before // 3), self.limits):
                    raise Refused(*within(max(sum(map(len, faces)), before // 3), self.limits))
            self.meshes[index] = np.concatenate(vertices), np.concatenate(faces)
        return self.meshes[index]

    def _primitive(self, primitive: dict[str, Any]) -> tuple[Floats, Ints]:
        attributes, extensions = primitive.get("attributes"), primitive.get("extensions")
        if isinstance(extensions, dict):
            for name in extensions:
                if name in _PACKED:
                    raise Refused(compressed.hit(extension=shown(name)))
        mode = whole(primitive, "mode", 4)
        if mode in _SKIPPED:
            self.others[_SKIPPED[mode]] = self.others.get(_SKIPPED[mode], 0) + 1
            return np.empty((0, 3)), np.empty((0, 3), np.int64)
        if mode > 6:
            raise bad("glTF", f"mode {mode} is no way to draw")
        if not isinstance(attributes, dict) or "POSITION" not in attributes:
            raise bad("glTF", "a primitive without corners (POSITION)")
        if primitive.get("targets"):
            so_far = sum(self.others.pop(what, 0) for what in _MORPHED)
            self.others[_MORPHED[so_far > 0]] = so_far + 1
        rows, normalized = column(self.root, attributes["POSITION"], self.buffer, width="VEC3")
        for finding in box_wrong(self.root, attributes["POSITION"], rows):
            self.boxes[attributes["POSITION"]] = finding
        if "indices" in primitive:
            numbers, _ = column(self.root, primitive["indices"], self.buffer, width="SCALAR")
            if numbers.dtype.kind != "u":
                raise bad("glTF", "corners' numbers of a signed or fractional type")
            order = numbers[:, 0].astype(np.int64)
        else:
            order = np.arange(len(rows))
        return fractions(rows, normalized), _triangles(order, mode)

    def buffer(self, index: int) -> bytes:
        """The bytes of a buffer: in the file, in a data address, or beside it."""
        if index not in self.loaded:
            row = pick(self.root, "buffers", index)
            declared, uri = whole(row, "byteLength"), row.get("uri")
            if uri is None:
                if index != 0 or self.binary is None:
                    raise Refused(out_of_bounds.hit(what=f"buffer {index} is nowhere: it has no address"))
                data = self.binary
            elif not isinstance(uri, str):
                raise bad("glTF", f"the address of buffer {index} is not a text")
            elif uri.startswith("data:"):
                data = _inline(uri)
            else:
                data = self._beside(uri)
            if len(data) < declared:
                raise Refused(cut_off.hit(what=f"buffer {index} should have {declared} bytes and has {len(data)}"))
            self.loaded[index] = data[:declared]
        return self.loaded[index]

    def _beside(self, uri: str) -> bytes:
        target = neighbour(self.path, uri)
        try:
            data = read_bytes(target, limits=self.limits)
        except Refused as no:
            reason = no.report.findings[0].message
            raise Refused(outside_or_missing(uri, reason)) from no
        if sum(map(len, self.loaded.values())) + len(data) > self.limits.max_unpacked_bytes:
            raise bad("glTF", f"its buffers have more than {self.limits.max_unpacked_bytes} bytes together")
        return data


@check("GLTF_BUFFER_MISSING", Severity.ERROR, "its buffer {uri!r} beside it cannot be read: {reason}")
def buffer_missing(*_: object) -> None:
    """A file that holds the glTF's numbers is not beside it, or cannot be read.

    Why: the mesh is in that file. Example: only the .gltf was copied, not its .bin. Do: copy both, or export as .glb.
    """


def outside_or_missing(uri: str, reason: str) -> Finding:
    """What to say of a buffer beside the file that could not be read."""
    return buffer_missing.hit(uri=shown(uri), reason=reason)


def _inline(uri: str) -> bytes:
    head, comma, body = uri.partition(",")
    if not comma or not head.endswith(";base64"):
        raise Refused(outside.hit(uri=shown(uri), reason="only base64 data addresses are read"))
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise bad("glTF", f"a data address that is not base64: {shown(error)}") from error


def _list(where: dict[str, Any], key: str) -> list[Any]:
    rows = where.get(key, [])
    if not isinstance(rows, list):
        raise bad("glTF", f"{key!r} is not a list")
    return rows


def _no_loop(parent: dict[int, int]) -> None:
    cleared: set[int] = set()
    for start in parent:
        trail: list[int] = []
        walked: set[int] = set()
        at: int | None = start
        while at is not None and at not in cleared:
            if at in walked:
                raise Refused(node_loop.hit(node=at))
            walked.add(at)
            trail.append(at)
            at = parent.get(at)
        cleared.update(trail)


def _visible(n: int, extensions: object) -> bool:
    """Whether a node does not hide itself and what is below it."""
    says = extensions.get(_VISIBILITY, {}) if isinstance(extensions, dict) else {}
    visible = says.get("visible", True) if isinstance(says, dict) else None
    if not isinstance(visible, bool):
        raise bad("glTF", f"the {_VISIBILITY} of node {n} does not say true or false")
    return visible


_NO_PLACE = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}


def _matrix(node: dict[str, Any]) -> Floats:
    def row(key: str, default: tuple[float, ...]) -> NDArray[np.float64]:
        values = node.get(key, default)
        if not isinstance(values, list | tuple) or len(values) != len(default):
            raise bad("glTF", f"a node's {key} does not have {len(default)} numbers")
        if not all(isinstance(v, int | float) and not isinstance(v, bool) and abs(v) < 1e30 for v in values):
            raise bad("glTF", f"a node's {key} has a value that is no number, or too large")
        return np.array(values, dtype=np.float64)

    if "matrix" in node:
        both = [key for key, usual in _NO_PLACE.items() if (row(key, usual) != usual).any()]
        if both:
            raise bad("glTF", f"a node has both a matrix and a {both[0]}, and programs disagree about which counts")
        matrix = row("matrix", tuple(np.eye(4).ravel())).reshape(4, 4).T
        if np.abs(matrix[3] - (0.0, 0.0, 0.0, 1.0)).max() > MATRIX_ROUNDING:
            last = ", ".join(f"{v:g}" for v in matrix[3])
            raise bad(
                "glTF",
                f"a node's matrix ends in the row {last}, not in 0, 0, 0, 1: column by column, and in the end a 1",
            )
        return matrix
    made = np.eye(4)
    x, y, z, w = row("rotation", _NO_PLACE["rotation"])
    norm = float(np.sqrt(x * x + y * y + z * z + w * w))
    if norm < 1e-6:
        raise bad("glTF", "a node's rotation is no rotation: all zero")
    if abs(norm - 1) > UNIT_LENGTH:
        raise bad("glTF", f"a node's rotation is a quaternion of length {norm:.3g}, not 1: programs differ on it")
    x, y, z, w = x / norm, y / norm, z / norm, w / norm
    made[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    made[:3, :3] *= row("scale", (1.0, 1.0, 1.0))
    made[:3, 3] = row("translation", (0.0, 0.0, 0.0))
    return made


def _triangles(order: Ints, mode: int) -> Ints:
    if mode == 4:
        if len(order) % 3:
            raise bad("glTF", f"{len(order)} corners do not make whole triangles")
        return order.reshape(-1, 3)
    count = max(len(order) - 2, 0)
    i = np.arange(count)
    if mode == 6:  # a fan about the first corner
        return np.column_stack([np.full(count, order[0] if count else 0), order[i + 1], order[i + 2]])
    odd = i % 2  # a strip: every second triangle runs the other way
    return np.column_stack([order[i], order[i + 1 + odd], order[i + 2 - odd]])
