"""What tests of packs share: small meshes, packs written from text, a piece as the checks see it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from sim3d.pack import How, Pack, Validation, read_pack, validate
from sim3d.pack.manifest import HeadForm, PrintForm, UseForm
from sim3d.pack.shape import Subject
from sim3d.solid import Solid
from sim3d.solid.boolean import Mesh, box, union
from sim3d.solid.write import write_mesh

HEAD = '[pack]\nid = "test"\nname = "Test"\nunits = "mm"\nup = "z"\n'


def crate(size: float = 60.0, height: float = 30.0) -> Mesh:
    """A box about the origin that stands on z = 0."""
    return box((-size / 2, -size / 2, 0), (size / 2, size / 2, height))


def together(*meshes: Mesh) -> Mesh:
    """Meshes as one file holds them: nothing is united."""
    corners, faces, before = [], [], 0
    for vertices, triangles in meshes:
        corners.append(vertices)
        faces.append(triangles + before)
        before += len(vertices)
    return np.concatenate(corners), np.concatenate(faces)


def inside_out(mesh: Mesh) -> Mesh:
    """The same with every face turned round."""
    return mesh[0], mesh[1][:, ::-1].copy()


def on_legs(*legs: tuple[float, float, float], size: float = 100.0) -> Mesh:
    """A table top on legs at (x, y), each with its own height of the foot over z = 0."""
    top = box((-size / 2, -size / 2, 20), (size / 2, size / 2, 24))
    return union([top, *(box((x - 2, y - 2, z), (x + 2, y + 2, 21)) for x, y, z in legs)])


def dunes(n: int, size: float = 100.0) -> Mesh:
    """A wavy sheet of n by n squares: many triangles, quickly made."""
    x, y = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0))
    corners = np.column_stack([x.ravel() * size / n, y.ravel() * size / n, 3 * np.sin(x.ravel() * 20 / n)])
    a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    return corners, np.concatenate([np.column_stack([a, a + 1, a + n + 2]), np.column_stack([a, a + n + 2, a + n + 1])])


def turned(mesh: Mesh) -> Mesh:
    """The same with its y axis up."""
    vertices, faces = mesh
    return np.column_stack([vertices[:, 0], vertices[:, 2], -vertices[:, 1]]), faces


def subject(mesh: Mesh, *, said: dict[str, Any] | None = None, kind: str = "arrays", **head: Any) -> Subject:
    """A piece as the checks see it."""
    solid = Solid.of(*mesh)
    object.__setattr__(solid, "source", type(solid.source)(format=kind, unit=head.pop("unit", "mm")))
    use, printer = UseForm(), PrintForm()
    return Subject("piece", "piece.stl", solid, said or {}, HeadForm(id="t", name="T", **head), use, printer)


def written(folder: Path, manifest: str | None = HEAD, **meshes: Mesh) -> Path:
    """A folder with these meshes as STL files and this manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, mesh in meshes.items():
        write_mesh(folder / f"{name}.stl", *mesh)
    if manifest is not None:
        (folder / "pack.toml").write_text(manifest, encoding="utf-8")
    return folder


def pack_of(folder: Path, manifest: str | None = HEAD, **meshes: Mesh) -> Pack:
    """The same, read."""
    return read_pack(written(folder, manifest, **meshes))


def shapes_of(pack: Pack, **how: Any) -> Validation:
    """What is found without asking where bases stand."""
    return validate(pack, how=How(workers=0, standing=False, **how))
