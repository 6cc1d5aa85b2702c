"""Rapier behind the engine protocol: the one door to rapier3d. Wheels for every platform; headless only.

What this file knows that its caller need not: Rapier computes in float32, so the ground is shifted to the body first;
its tolerances are multiples of a length unit; `PhysicsWorld` steps on many threads unless told otherwise.
"""

from __future__ import annotations

import importlib.util
import math
import struct
from types import TracebackType
from typing import Any, Self

import numpy as np

from sim3d.engine.protocol import STANDARD_GRAVITY_M_S2, Ground, Moving, Settings, Touch, checked_friction
from sim3d.space import Floats, Ints, Pose

XF = [None]
LONGEST_SHARE = 0.5  # of the base's width: the longest edge of a triangle; a quarter is no better and slower


class Rapier:
    """The engine "rapier"."""

    name = "rapier"

    def available(self) -> bool:
        """Whether rapier3d is installed."""
        return importlib.util.find_spec("rapier3d") is not None

    def world(
        self,
        ground: Ground,
        moving: Moving,
        pose: Pose,
        *,
        friction: float,
        settings: Settings,
        window: bool = False,
    ) -> RapierWorld:
        """A fresh world; a window is refused."""
        if window:
            raise ValueError("rapier has no window; choose bullet, or watch the web page")
        return RapierWorld(ground, moving, pose, friction=friction, settings=settings)


class RapierWorld:
    """One body over one ground in Rapier."""

    def __init__(self, ground: Ground, moving: Moving, pose: Pose, *, friction: float, settings: Settings) -> None:
        import rapier3d as r

        self._r: Any = r
        self._settings = settings
        self._com = np.array(moving.com)
        self._origin = pose.place
        self._weight_n = moving.mass_g * 1e-3 * STANDARD_GRAVITY_M_S2
        unit = settings.unit_mm
        self._world = world = r.PhysicsWorld()
        world.set_num_threads(1)  # answers must not hang on a scheduler
        rules = world.integration_parameters
        rules.dt = 1 / settings.steps_hz
        rules.length_unit = 1.0
        rules.num_solver_iterations = settings.substeps
        rules.normalized_prediction_distance = settings.foresight_mm / unit
        rules.normalized_allowed_linear_error = settings.slop_mm / unit
        rules.normalized_contact_recycle_distance = settings.recycle_mm / unit
        rules.contact_clustering = False  # it merges contacts of neighbouring triangles: rough ground jitters
        rules.friction_model = r.FrictionModel.COULOMB  # a true cone at each contact
        self.pull((0.0, 0.0, -STANDARD_GRAVITY_M_S2))
        shift = (-pose.place[0], -pose.place[1], -pose.place[2])
        self._grounds = []
        if len(ground.faces):
            corners, faces = finer(ground.moved(shift), ground.faces, LONGEST_SHARE * moving.width_mm())
            mesh = r.Collider.trimesh(corners / unit, faces.astype(np.uint32), XF[0])
            mesh = mesh.friction(1.0).restitution(0.0).friction_combine_rule(r.CoefficientCombineRule.MULTIPLY)
            self._grounds.append(world.add_collider(mesh))
        self._body = self._free(moving, pose)
        self._handles = []
        for part in moving.parts:
            made = (
                r.Collider.convex_hull((part - self._com) / unit)
                .density(0.0)
                .friction(friction)
                .restitution(0.0)
                .friction_combine_rule(r.CoefficientCombineRule.MULTIPLY)
            )
            self._handles.append(world.add_collider(made, self._body))
        self.grip(friction)

    def _free(self, moving: Moving, pose: Pose) -> Any:
        r, unit = self._r, self._settings.unit_mm
        w, x, y, z = pose.spin
        place = pose.rotation() @ self._com / unit
        spin = r.Rotation3(w, x, y, z)
        ix, iy, iz = (i / moving.mass_g / unit**2 for i in moving.inertia_g_mm2)
        made = (
            r.RigidBodyBuilder(r.RigidBodyType.DYNAMIC)
            .position((tuple(float(c) for c in place), spin))
            .additional_mass_properties(r.MassProperties((0.0, 0.0, 0.0), 1.0, (ix, iy, iz)))
            .linear_damping(self._settings.linear_damping_hz)
            .angular_damping(self._settings.angular_damping_hz)
            .can_sleep(False)
        )
        return self._world.add_body(made)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._world.clear()

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self._world.step()

    def pull(self, gravity_m_s2: tuple[float, float, float]) -> None:
        scale = self._settings.gravity_m_s2 / STANDARD_GRAVITY_M_S2 * 1000 / self._settings.unit_mm
        x, y, z = gravity_m_s2
        self._world.gravity = (x * scale, y * scale, z * scale)

    def grip(self, friction: float) -> None:
        checked_friction(friction)
        for handle in self._handles:
            self._world.colliders[handle].friction = friction

    def pose(self) -> Pose:
        body = self._world.rigid_bodies[self._body]
        q, c = body.rotation, body.translation
        size = math.sqrt(q.w * q.w + q.i * q.i + q.j * q.j + q.k * q.k)
        spin = (q.w / size, q.i / size, q.j / size, q.k / size)
        ox, oy, oz = Pose(spin=spin).rotation() @ self._com
        unit = self._settings.unit_mm
        bx, by, bz = self._origin
        return Pose((float(c.x * unit - ox + bx), float(c.y * unit - oy + by), float(c.z * unit - oz + bz)), spin)

    def velocity(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        body = self._world.rigid_bodies[self._body]
        v, w, unit = body.linvel, body.angvel, self._settings.unit_mm
        return (v.x * unit, v.y * unit, v.z * unit), (math.degrees(w.x), math.degrees(w.y), math.degrees(w.z))

    def contacts(self) -> tuple[Touch, ...]:
        return ()

    def bits(self) -> bytes:
        body = self._world.rigid_bodies[self._body]
        q, c, v, w = body.rotation, body.translation, body.linvel, body.angvel
        numbers = (c.x, c.y, c.z, q.w, q.i, q.j, q.k, v.x, v.y, v.z, w.x, w.y, w.z)
        return struct.pack("<13d", *numbers)



def finer(corners: Floats, faces: Ints, longest_mm: float) -> tuple[Floats, Ints]:
    """The same surface in triangles with no edge longer than `longest_mm`, halved at the middles of their edges.

    Rapier keeps four contacts a triangle and may choose the wrong four: on one large triangle a base falls off a ledge
    though its centre of mass is 1 mm inside, on small ones it is right to 0.1 mm.
    """
    while True:
        ends = np.stack([faces[:, [1, 2]], faces[:, [2, 0]], faces[:, [0, 1]]], axis=1)  # the edge opposite each corner
        long = np.linalg.norm(corners[ends[:, :, 0]] - corners[ends[:, :, 1]], axis=2)
        cut = long.max(axis=1, initial=0.0) > longest_mm
        if not cut.any():
            return corners, faces
        split, side = faces[cut], long[cut].argmax(axis=1)
        row = np.arange(len(split))
        top, a, b = split[row, side], split[row, (side + 1) % 3], split[row, (side + 2) % 3]
        middle = len(corners) + row
        corners = np.vstack([corners, (corners[a] + corners[b]) / 2])
        halves = [np.column_stack([top, a, middle]), np.column_stack([top, middle, b])]
        faces = np.vstack([faces[~cut], *halves])
