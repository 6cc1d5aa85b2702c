"""How often a closed surface wraps around a point. Compiled: of a mesh of many walls it is asked hundreds of times."""

from __future__ import annotations

import math

from sim3d.compiled import compiled
from sim3d.solid.boolean import Mesh
from sim3d.space import Floats, Ints


def winding(mesh: Mesh, point: Floats) -> float:
    """How often a closed mesh wraps around a point: 1 inside, 0 outside, by the solid angle of its triangles."""
    x, y, z = point.tolist()
    return float(_winding(mesh[0], mesh[1], x, y, z))


@compiled
def _winding(vertices: Floats, faces: Ints, x: float, y: float, z: float) -> float:
    whole = 0.0
    for t in range(faces.shape[0]):
        a, b, c = vertices[faces[t, 0]], vertices[faces[t, 1]], vertices[faces[t, 2]]
        ax, ay, az = a[0] - x, a[1] - y, a[2] - z
        bx, by, bz = b[0] - x, b[1] - y, b[2] - z
        cx, cy, cz = c[0] - x, c[1] - y, c[2] - z
        la = math.sqrt(ax * ax + ay * ay + az * az)
        lb = math.sqrt(bx * bx + by * by + bz * bz)
        lc = math.sqrt(cx * cx + cy * cy + cz * cz)
        top = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        below = la * lb * lc + (ax * bx + ay * by + az * bz) * lc
        below += (bx * cx + by * cy + bz * cz) * la + (cx * ax + cy * ay + cz * az) * lb
        whole += math.atan2(top, below)
    return whole / (2.0 * math.pi)
