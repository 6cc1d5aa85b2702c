"""glTF skins: corners that follow joints, in the pose that the file stores. Their own node's place is void."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim3d.finding import Refused
from sim3d.solid.accessor import Buffers, column, fractions, out_of_bounds, pick
from sim3d.solid.guard import bad
from sim3d.space import Floats

SETS_MOST = 8  # of four joints for each corner


def joint_matrices(root: dict[str, Any], skin: object, buffers: Buffers, worlds: dict[int, Floats]) -> Floats:
    """For every joint of a skin the matrix (4, 4) that takes a corner from where it was bound to where it is."""
    row = pick(root, "skins", skin, "skin")
    joints = row.get("joints")
    if not isinstance(joints, list) or not joints:
        raise bad("glTF", f"skin {skin} has no joints")
    for joint in joints:
        pick(root, "nodes", joint, "joint")
        if joint not in worlds:
            raise bad("glTF", f"joint {joint} of skin {skin} is not in the scene")
    places = np.array([worlds[joint] for joint in joints])
    if "inverseBindMatrices" not in row:
        return places
    rows, _ = column(root, row["inverseBindMatrices"], buffers, width="MAT4")
    if len(rows) < len(joints):
        raise Refused(out_of_bounds.hit(what=f"skin {skin} has {len(joints)} joints and {len(rows)} bind matrices"))
    bound = rows[: len(joints)].astype(np.float64).reshape(-1, 4, 4).transpose(0, 2, 1)
    with np.errstate(over="ignore", invalid="ignore"):
        made: Floats = places @ bound
    return made


def posed(
    root: dict[str, Any], attributes: dict[str, Any], points: Floats, matrices: Floats, buffers: Buffers
) -> Floats:
    """The corners of a primitive where its joints have them; each corner follows some joints, by their weights."""
    made, weight = np.zeros_like(points), np.zeros(len(points))
    for n in range(SETS_MOST):
        if f"JOINTS_{n}" not in attributes or f"WEIGHTS_{n}" not in attributes:
            break
        joints, _ = column(root, attributes[f"JOINTS_{n}"], buffers, width="VEC4")
        weights = fractions(*column(root, attributes[f"WEIGHTS_{n}"], buffers, width="VEC4"))
        if joints.dtype.kind != "u" or len(joints) != len(points) or len(weights) != len(points):
            raise bad("glTF", "joints or weights that do not fit the corners of their mesh")
        for k in range(4):
            own = np.where(weights[:, k] != 0, joints[:, k], 0).astype(np.int64)
            if len(own) and own.max() >= len(matrices):
                raise Refused(out_of_bounds.hit(what=f"joint {own.max()} is asked for, the skin has {len(matrices)}"))
            with np.errstate(over="ignore", invalid="ignore"):
                placed = np.einsum("nij,nj->ni", matrices[own, :3, :3], points) + matrices[own, :3, 3]
                made += weights[:, k, None] * placed
            weight += weights[:, k]
    with np.errstate(over="ignore", invalid="ignore"):
        whole: Floats = np.where(
            weight[:, None] != 0,
            made / np.where(weight, weight, 1.0)[:, None],
            points @ matrices[0, :3, :3].T + matrices[0, :3, 3],  # tied to nothing: it stays with the first joint
        )
    return whole
