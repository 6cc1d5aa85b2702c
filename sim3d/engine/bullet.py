"""Bullet behind the engine protocol: the one door to pybullet. Nothing is printed, nothing is left in the process.

What this file knows that its caller need not: pybullet's contact threshold is global to the process and multiplied by
the size of a shape; coefficients of friction multiply; positions it returns are of the centre of mass; it takes meshes
that are not one without a word, so only a proven `Rock` gets here; it keeps four contacts between two bodies, however
many there are, and a fifth puts out one that carries.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import importlib
import importlib.util
import math
import os
import sys
from collections.abc import Iterator
from functools import cache
from types import ModuleType, TracebackType
from typing import Any, Self

import numpy as np

from sim3d.asked import checked_friction
from sim3d.engine.protocol import STANDARD_GRAVITY_M_S2, Moving, Rock, Settings, Touch
from sim3d.engine.shape import raised
from sim3d.space import Floats, Ints, Pose

MARGIN_UNITS = (
    1e-3  # Bullet rounds hulls by this, 0.01 mm, and links keep it whatever they are told: so the underside is raised
)

_OPEN: list[BulletWorld] = []  # the world there is, if any
_TRIPLES: list[list[float]] = []  # lent to pybullet as corners: see BulletWorld._shape


class Bullet:
    """The engine "bullet": wheels for Linux x86_64 and Python below 3.12."""

    name = "bullet"

    def available(self) -> bool:
        """Whether pybullet is installed."""
        return importlib.util.find_spec("pybullet") is not None

    def world(
        self,
        ground: Rock,
        moving: Moving,
        pose: Pose,
        *,
        friction: float,
        settings: Settings,
    ) -> BulletWorld:
        """A fresh world; one at a time."""
        return BulletWorld(ground, moving, pose, friction=friction, settings=settings)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Nothing on file descriptors 1 and 2, not even later: C keeps its own buffers, so both sides flush them."""
    for written in (sys.stdout, sys.stderr):
        if written is not None:  # as it is where it was closed before Python began
            written.flush()
    flush = ctypes.CDLL(None).fflush
    flush(None)
    kept = [(stream, _copied(stream)) for stream in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for stream, _ in kept:
            os.dup2(nowhere, stream)
        yield
        flush(None)
    finally:
        if nowhere not in (1, 2):
            os.close(nowhere)
        for stream, copy in kept:
            if copy is None:
                os.close(stream)
            else:
                os.dup2(copy, stream)
                os.close(copy)


def _copied(stream: int) -> int | None:
    """Another descriptor of what is written to; None where it is closed, as it then has to be afterwards."""
    import fcntl  # not everywhere, as Bullet

    try:
        return fcntl.fcntl(stream, fcntl.F_DUPFD_CLOEXEC, 3)  # a plain copy would take the place of one that is closed
    except OSError as error:
        if error.errno != errno.EBADF:
            raise
        return None


@cache
def _library() -> ModuleType:
    with _silence():
        return importlib.import_module("pybullet")


@cache
def _headless() -> int:
    """One connection for the process: opening one takes 5 ms, emptying it 0.2, and it forgets everything."""
    p = _library()
    client: int = p.connect(p.DIRECT)
    return client


class BulletWorld:
    """One body over one ground in Bullet."""

    def __init__(self, ground: Rock, moving: Moving, pose: Pose, *, friction: float, settings: Settings) -> None:
        checked_friction(friction)
        self._p: Any = _library()
        self._settings = settings
        if _OPEN:
            raise RuntimeError("a Bullet world is open: close it first, there is one at a time")
        _OPEN.append(self)
        self._client = _headless()
        try:
            self._build(ground, moving, pose, friction)
        except BaseException:
            self.close()
            raise

    def _build(self, ground: Rock, moving: Moving, pose: Pose, friction: float) -> None:
        settings = self._settings
        self._com = np.array(moving.com)
        self._origin = pose.place
        self._weight_n = moving.mass_g * 1e-3 * STANDARD_GRAVITY_M_S2
        p, c, unit = self._p, self._client, settings.unit_mm
        p.resetSimulation(physicsClientId=c)
        reach = _reach(moving) / unit
        p.setPhysicsEngineParameter(
            fixedTimeStep=1 / settings.steps_hz,
            numSolverIterations=settings.iterations,
            # Bullet multiplies by the shape's reach about its centre of mass
            contactBreakingThreshold=settings.contact_mm / unit / reach,
            deterministicOverlappingPairs=1,
            physicsClientId=c,
        )
        self.pull((0.0, 0.0, -STANDARD_GRAVITY_M_S2))
        corners = ground.moved((-pose.place[0], -pose.place[1], -pose.place[2]))
        self._terrain = [
            self._fixed(corners / unit, faces)
            for cell in _cells(corners, ground.faces, moving.width_mm(), settings.cells)
            for faces in _chunks(cell, settings.largest_mesh)
        ]
        self._body = self._free(moving, pose)
        self.grip(friction)

    def _shape(self, corners: Floats, **mesh: Any) -> int:
        """From corners; pybullet never lets go of the lists it is given, so the same ones are lent to it every time."""
        while len(_TRIPLES) < len(corners):
            _TRIPLES.append([0.0, 0.0, 0.0])
        vertices = _TRIPLES[: len(corners)]
        for lent, corner in zip(vertices, corners.tolist(), strict=True):
            lent[:] = corner
        shape: int = self._p.createCollisionShape(
            self._p.GEOM_MESH, vertices=vertices, physicsClientId=self._client, **mesh
        )
        for given in (vertices, *mesh.values()):
            if isinstance(given, list):
                given.clear()
        return shape

    def _cylinder(self, radius_mm: float, part: Floats) -> int:
        """A round base as one: it has no flat side to stop on, and its farthest point is told, not sought.

        The margin rounds its rim within its radius and its height: nothing has to be raised.
        """
        unit, low, high = self._settings.unit_mm, float(part[:, 2].min()), float(part[:, 2].max())
        x, y, z = (float(v) for v in (np.array((0.0, 0.0, (low + high) / 2)) - self._com) / unit)
        shape: int = self._p.createCollisionShape(
            self._p.GEOM_CYLINDER,
            radius=radius_mm / unit,
            height=(high - low) / unit,
            collisionFramePosition=(x, y, z),
            physicsClientId=self._client,
        )
        return shape

    def _fixed(self, corners: Floats, faces: Ints) -> int:
        p, c = self._p, self._client
        used, flat = np.unique(faces, return_inverse=True)
        shape = self._shape(corners[used], indices=flat.ravel().tolist(), flags=p.GEOM_FORCE_CONCAVE_TRIMESH)
        body: int = p.createMultiBody(0, shape, physicsClientId=c)
        p.changeDynamics(body, -1, lateralFriction=1.0, collisionMargin=0.0, physicsClientId=c)
        return body

    def _free(self, moving: Moving, pose: Pose) -> int:
        p, c, unit = self._p, self._client, self._settings.unit_mm
        first, *others = (
            self._cylinder(moving.round_mm, part)
            if k == 0 and moving.round_mm is not None
            else self._shape((raised(part, MARGIN_UNITS * unit) - self._com) / unit)
            for k, part in enumerate(moving.parts)
        )
        count = len(others)
        zero, straight = [(0.0, 0.0, 0.0)] * count, [(0.0, 0.0, 0.0, 1.0)] * count
        w, x, y, z = pose.spin
        body: int = p.createMultiBody(
            1.0,
            first,
            basePosition=(pose.rotation() @ self._com / unit).tolist(),
            baseOrientation=(x, y, z, w),
            # further parts are massless links that cannot move: pybullet makes no compound of hulls from corners
            linkMasses=[0.0] * count,
            linkCollisionShapeIndices=others,
            linkVisualShapeIndices=[-1] * count,
            linkPositions=zero,
            linkOrientations=straight,
            linkInertialFramePositions=zero,
            linkInertialFrameOrientations=straight,
            linkParentIndices=[0] * count,
            linkJointTypes=[p.JOINT_FIXED] * count,
            linkJointAxis=[(0.0, 0.0, 1.0)] * count,
            physicsClientId=c,
        )
        self._links = range(-1, count)
        for link in self._links:
            p.changeDynamics(
                body,
                link,
                collisionMargin=MARGIN_UNITS,
                restitution=0.0,
                physicsClientId=c,
            )
        p.changeDynamics(
            body,
            -1,
            localInertiaDiagonal=[i / moving.mass_g / unit**2 for i in moving.inertia_g_mm2],
            linearDamping=self._settings.damping_hz,
            angularDamping=self._settings.damping_hz,
            activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING,
            physicsClientId=c,
        )
        return body

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Leaves nothing behind."""
        if self in _OPEN:
            _OPEN.remove(self)
            self._p.resetSimulation(physicsClientId=self._client)

    def step(self, count: int = 1) -> None:
        """`count` steps."""
        for _ in range(count):
            self._p.stepSimulation(physicsClientId=self._client)

    def pull(self, gravity_m_s2: tuple[float, float, float]) -> None:
        """Gravity as on a table; the engine's is a tenth."""
        scale = self._settings.gravity_m_s2 / STANDARD_GRAVITY_M_S2 * 1000 / self._settings.unit_mm
        x, y, z = gravity_m_s2
        self._p.setGravity(x * scale, y * scale, z * scale, physicsClientId=self._client)

    def grip(self, friction: float) -> None:
        """The product of both coefficients: the ground has 1, and they multiply."""
        checked_friction(friction)
        for link in self._links:
            self._p.changeDynamics(self._body, link, lateralFriction=friction, physicsClientId=self._client)

    def pose(self) -> Pose:
        """Of the base's frame."""
        (cx, cy, cz), (x, y, z, w) = self._p.getBasePositionAndOrientation(self._body, physicsClientId=self._client)
        size = math.sqrt(w * w + x * x + y * y + z * z)
        spin = (w / size, x / size, y / size, z / size)
        ox, oy, oz = Pose(spin=spin).rotation() @ self._com
        unit = self._settings.unit_mm
        bx, by, bz = self._origin
        return Pose((float(cx * unit - ox + bx), float(cy * unit - oy + by), float(cz * unit - oz + bz)), spin)

    def velocity(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """Of the centre of mass in mm, turning in degrees, an engine second."""
        (vx, vy, vz), turn = self._p.getBaseVelocity(self._body, physicsClientId=self._client)
        unit = self._settings.unit_mm
        wx, wy, wz = (math.degrees(w) for w in turn)
        return (vx * unit, vy * unit, vz * unit), (wx, wy, wz)

    def contacts(self) -> tuple[Touch, ...]:
        """What carries it now."""
        unit = self._settings.unit_mm
        pull = self._settings.gravity_m_s2 * 1000 / unit
        return tuple(
            Touch(
                (
                    point[6][0] * unit + self._origin[0],
                    point[6][1] * unit + self._origin[1],
                    point[6][2] * unit + self._origin[2],
                ),
                (float(point[7][0]), float(point[7][1]), float(point[7][2])),
                point[8] * unit,
                point[9] / pull * self._weight_n,
            )
            for terrain in self._terrain
            for point in self._p.getContactPoints(self._body, terrain, physicsClientId=self._client)
        )

    def bits(self) -> bytes:
        """Pose and velocity to the last bit."""
        state = (
            *self._p.getBasePositionAndOrientation(self._body, physicsClientId=self._client),
            *self._p.getBaseVelocity(self._body, physicsClientId=self._client),
        )
        return np.array([n for part in state for n in part], dtype="<f8").tobytes()


def _cells(corners: Floats, faces: Ints, width_mm: float, across: int) -> list[Ints]:
    """The triangles by where their middles lie: in squares, so many across the base that `corners` are about."""
    if across == 1 or not len(faces):
        return [faces]
    middles = corners[faces].mean(axis=1)[:, :2]
    _, cell = np.unique(np.floor(middles / width_mm * across).astype(np.int64), axis=0, return_inverse=True)
    cell = cell.ravel()
    order = np.argsort(cell, kind="stable")
    return [faces[members] for members in np.split(order, np.cumsum(np.bincount(cell))[:-1])]


def _chunks(faces: Ints, most: int) -> list[Ints]:
    return [faces[i : i + most] for i in range(0, len(faces), most)]


def _reach(moving: Moving) -> float:
    """Bullet's angular motion disc in mm: half the diagonal of the box about the shape, and its middle's distance."""
    points = np.vstack(moving.parts) - np.array(moving.com)
    low, high = points.min(axis=0), points.max(axis=0)
    return float(np.linalg.norm(high - low) / 2 + np.linalg.norm(high + low) / 2)
