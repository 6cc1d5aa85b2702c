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
from numpy.typing import NDArray

from sim3d.asked import checked_friction
from sim3d.engine.protocol import STANDARD_GRAVITY_M_S2, Moving, Rock, Settings, Touch
from sim3d.engine.shape import raised
from sim3d.space import Floats, Ints, Pose

# Hulls are rounded by this: sharp, a sliding base catches on the edges between triangles and stops after a quarter of a
# millimetre on any slope. The engine's own remedy, FIX_INTERNAL_EDGES, drops contacts that carry.
ROUND_MM = 0.1
LONGEST_SHARE = 0.5  # of the base's width: the longest edge of a triangle; a quarter is no better and slower


class Rapier:
    """The engine "rapier"."""

    name = "rapier"

    def available(self) -> bool:
        """Whether rapier3d is installed."""
        return importlib.util.find_spec("rapier3d") is not None

    def world(
        self,
        ground: Rock,
        moving: Moving,
        pose: Pose,
        *,
        friction: float,
        settings: Settings,
    ) -> RapierWorld:
        """A fresh world."""
        return RapierWorld(ground, moving, pose, friction=friction, settings=settings)


class RapierWorld:
    """One body over one ground in Rapier."""

    def __init__(self, ground: Rock, moving: Moving, pose: Pose, *, friction: float, settings: Settings) -> None:
        import rapier3d as r

        self._r: Any = r
        self._settings = settings
        self._com = np.array(moving.com)
        self._origin = pose.place
        self._weight_n = moving.mass_g * 1e-3 * STANDARD_GRAVITY_M_S2
        unit = settings.unit_mm
        world: Any = r.PhysicsWorld()
        self._world = world
        world.set_num_threads(1)  # answers must not hang on a scheduler
        rules = world.integration_parameters
        rules.dt = 1 / settings.steps_hz
        rules.length_unit = 1.0
        rules.num_solver_iterations = settings.substeps
        rules.num_internal_pgs_iterations = settings.rounds
        rules.normalized_prediction_distance = settings.foresight_mm / unit
        rules.normalized_allowed_linear_error = settings.slop_mm / unit
        rules.normalized_contact_recycle_distance = settings.recycle_mm / unit
        rules.contact_clustering = False  # it merges contacts of neighbouring triangles: rough ground jitters
        rules.friction_model = r.FrictionModel.COULOMB  # a true cone at each contact
        rules.friction_in_bias_pass = True  # else what pushes sunken contacts apart also walks them down their slopes
        self.pull((0.0, 0.0, -STANDARD_GRAVITY_M_S2))
        shift = (-pose.place[0], -pose.place[1], -pose.place[2])
        self._grounds = []
        if len(ground.faces):
            corners, faces = finer(ground.moved(shift), ground.faces, LONGEST_SHARE * moving.width_mm())
            mesh = r.Collider.trimesh(corners / unit, faces.astype(np.uint32), r.TriMeshFlags.empty())
            mesh = mesh.friction(1.0).restitution(0.0).friction_combine_rule(r.CoefficientCombineRule.MULTIPLY)
            self._grounds.append(world.add_collider(mesh))
        self._body = self._free(moving, pose)
        self._handles = []
        for part in moving.parts:
            made = (
                r.Collider.round_convex_hull((raised(part, ROUND_MM, inset=True) - self._com) / unit, ROUND_MM / unit)
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
            .linear_damping(self._settings.damping_hz)
            .angular_damping(self._settings.damping_hz)
            .can_sleep(False)
        )
        return self._world.add_body(made)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._world.clear()

    def step(self, count: int = 1) -> None:
        """`count` steps."""
        for _ in range(count):
            self._world.step()

    def pull(self, gravity_m_s2: tuple[float, float, float]) -> None:
        """Gravity as on a table; the engine's is a tenth."""
        scale = self._settings.gravity_m_s2 / STANDARD_GRAVITY_M_S2 * 1000 / self._settings.unit_mm
        x, y, z = gravity_m_s2
        self._world.gravity = (x * scale, y * scale, z * scale)

    def grip(self, friction: float) -> None:
        """The product of both coefficients: the ground has 1, and they multiply."""
        checked_friction(friction)
        for handle in self._handles:
            self._world.colliders[handle].friction = friction

    def pose(self) -> Pose:
        """Of the base's frame."""
        body = self._world.rigid_bodies[self._body]
        q, c = body.rotation, body.translation
        size = math.sqrt(q.w * q.w + q.i * q.i + q.j * q.j + q.k * q.k)
        spin = (q.w / size, q.i / size, q.j / size, q.k / size)
        ox, oy, oz = Pose(spin=spin).rotation() @ self._com
        unit = self._settings.unit_mm
        bx, by, bz = self._origin
        return Pose((float(c.x * unit - ox + bx), float(c.y * unit - oy + by), float(c.z * unit - oz + bz)), spin)

    def velocity(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Of the centre of mass in mm, turning in degrees, an engine second."""
        body = self._world.rigid_bodies[self._body]
        v, turn, unit = body.linvel, body.angvel, self._settings.unit_mm
        return (v.x * unit, v.y * unit, v.z * unit), (math.degrees(turn.x), math.degrees(turn.y), math.degrees(turn.z))

    def contacts(self) -> tuple[Touch, ...]:
        """What carries it now."""
        unit, found = self._settings.unit_mm, []
        per_newton = self._settings.gravity_m_s2 * 1000 / unit / self._settings.steps_hz / self._weight_n
        for ground in self._grounds:
            for handle in self._handles:
                pair = self._world.narrow_phase.contact_pair(ground, handle)
                for manifold in pair.manifolds if pair is not None else ():
                    n, flip = manifold.data.normal, 1.0 if pair.collider1 == ground else -1.0
                    for point in manifold.points:
                        if point.impulse <= 0:
                            continue  # looked ahead to, but carries nothing
                        p = point.local_p1 if flip > 0 else point.local_p2
                        ox, oy, oz = self._origin
                        place = (p.x * unit + ox, p.y * unit + oy, p.z * unit + oz)
                        normal = (n.x * flip, n.y * flip, n.z * flip)
                        found.append(Touch(place, normal, point.dist * unit, point.impulse / per_newton))
        return tuple(found)

    def bits(self) -> bytes:
        """Pose and velocity to the last bit."""
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
        start, end = faces, faces[:, [1, 2, 0]]  # of the three sides
        long = np.linalg.norm(corners[start] - corners[end], axis=2) > longest_mm
        if not long.any():
            return corners, faces
        low, high = np.minimum(start, end)[long], np.maximum(start, end)[long]
        sides, which = np.unique(low * len(corners) + high, return_inverse=True)  # a shared side gets one middle
        middle = np.full(faces.shape, -1, dtype=np.int64)
        middle[long] = len(corners) + which.ravel()
        ends = corners[sides // len(corners)], corners[sides % len(corners)]
        corners = np.vstack([corners, (ends[0] + ends[1]) / 2])
        faces = np.vstack([_cut(faces, middle, long.sum(axis=1), sides=k) for k in range(4)])


def _cut(faces: Ints, middle: Ints, count: NDArray[np.int64], *, sides: int) -> Ints:
    """The triangles with so many sides to halve, cut through the middles of those sides."""
    faces, middle = faces[count == sides], middle[count == sides]
    # turn each so that its first side is cut, and with two sides its first two
    turn = np.zeros(len(faces), dtype=np.int64)
    if sides == 1:
        turn = np.argmax(middle >= 0, axis=1)
    elif sides == 2:
        turn = (np.argmax(middle < 0, axis=1) + 1) % 3
    order = (turn[:, None] + np.arange(3)) % 3
    (a, b, c), (p, q, r) = np.take_along_axis(faces, order, axis=1).T, np.take_along_axis(middle, order, axis=1).T
    made = {
        0: [(a, b, c)],
        1: [(a, p, c), (p, b, c)],
        2: [(a, p, c), (p, q, c), (p, b, q)],
        3: [(a, p, r), (p, b, q), (r, q, c), (p, q, r)],
    }[sides]
    return np.vstack([np.column_stack(triangle) for triangle in made])
