"""The one door to trimesh: a solid as a `trimesh.Trimesh`, and any trimesh mesh or scene as a proven `Solid`.

Reading files does not go through it: trimesh drops what it cannot use in silence, and a `Solid` drops nothing unsaid.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import trimesh

from sim3d.solid.solid import Solid
from sim3d.space import Floats, Ints


def as_trimesh(vertices: Floats, faces: Ints) -> Any:
    """A `trimesh.Trimesh` of exactly these corners and triangles; nothing merged, nothing dropped.

    >>> len(as_trimesh(np.eye(3), np.array([[0, 1, 2]])).faces)
    1
    """
    return trimesh.Trimesh(vertices=np.array(vertices), faces=np.array(faces), process=False, validate=False)


def of_trimesh(mesh: Any, *, name: str = "") -> Solid:
    """A `trimesh.Trimesh` or `Scene`, taken as mm and z up, through the same proof as a file.

    >>> of_trimesh(trimesh.creation.box((1, 2, 3))).extents_mm
    (1.0, 2.0, 3.0)
    """
    if isinstance(mesh, trimesh.Scene):
        mesh = mesh.to_mesh()
    if not isinstance(mesh, trimesh.Trimesh):
        raise TypeError(f"a trimesh.Trimesh or Scene is needed, not {type(mesh).__name__}")
    return Solid.of(mesh.vertices, mesh.faces, name=name)
