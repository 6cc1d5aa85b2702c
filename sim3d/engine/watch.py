"""Watching a world: until it rests, while gravity leans over and swings round; when it has gone too far to come back.

Times are in tau, sqrt((h² + k²) / (g h)): in that time a mini that is over its edge falls e times farther over.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

import numpy as np

from sim3d.engine.protocol import STANDARD_GRAVITY_M_S2, World
from sim3d.space import Pose

REST_TAU = 3.0  # so long it must keep still: a fall that has begun 2 microns over an edge shows within this
DAMPING_PER_TAU = 0.6  # speed lost in this time: a base on a dome must come to rest, and not overshoot when nudged
RAMP_TAU = 4.0  # gravity leans over, and comes back, in this time: a sudden tilt overshoots
SWING_TAU = 21.0  # and swings once round in this: a mini over by half a degree has the time to fall
HOLD_TAU = 4.0  # a single direction is held until the base has leant no farther for so long: who is over by 0.01° does
LONGEST_HOLD_TAU = 40.0  # and at most so long: a rim may roll over slowly
SWING_DEG = 400.0  # once round and a bit: the direction it began with deserves its whole time too
STILL_MM, STILL_DEG = 0.02, 0.05  # within rest's window nothing moves more than this
LOOK_STEPS = 6  # steps between two looks at 240 Hz: a fortieth of a second


class Eye:
    """Looks at a world every few steps, and says when it has come to rest or gone too far.

    The world's axes are those of `frame` on the table; gravity is told here, poses are the world's own.
    """

    def __init__(
        self,
        world: World,
        tau_s: float,
        steps_hz: int,
        frame: Pose,
        seen: Callable[[float, Pose], None] | None = None,
    ) -> None:
        self.tau_s = tau_s
        self.seen = seen  # hears every look: engine seconds, and the pose in the world's axes
        self.turned = frame.rotation()
        self.world = world
        self.hz = steps_hz
        self.stride = max(1, round(LOOK_STEPS * steps_hz / 240))
        self.steps = 0
        self.rock_deg = 0.0
        self.strayed_rad: float | None = None  # where gravity leant when the base was first seen out of its place
        self._upright()

    @property
    def time_s(self) -> float:
        """In engine seconds."""
        return self.steps / self.hz

    def until_rest(self, home: Pose, far: tuple[float, float], limit_s: float) -> str:
        """How it ended: "rest", "left" (farther from `home` than `far`, mm and degrees), "timeout" (engine s)."""
        window = max(3, math.ceil(REST_TAU * self.tau_s * self.hz / self.stride))
        lately: deque[Pose] = deque(maxlen=window)
        for _ in range(math.ceil(limit_s * self.hz / self.stride)):
            pose = self._look(home)
            if _is_far(home, pose, far):
                return "left"
            if len(lately) == window and _still(lately, pose):
                return "rest"
            lately.append(pose)
        return "timeout"

    def swing(self, home: Pose, far: tuple[float, float], near: tuple[float, float], deg: float) -> str:
        """Gravity leans over, swings once round, and comes back; "left" as soon as the base is too far, else "".

        `near` (mm, degrees) is what still counts as its place.
        """
        self.rock_deg, self.strayed_rad = 0.0, None
        ramp, whole = RAMP_TAU, 2 * RAMP_TAU + SWING_TAU
        for done in range(0, math.ceil(whole * self.tau_s * self.hz), self.stride):
            tau = done / self.hz / self.tau_s
            direction = math.radians(SWING_DEG) * min(1.0, max(0.0, (tau - ramp) / SWING_TAU))
            pose = self._leaning(home, deg * max(0.0, min(1.0, tau / ramp, (whole - tau) / ramp)), direction)
            if self.strayed_rad is None and _is_far(home, pose, near):
                self.strayed_rad = direction
            if _is_far(home, pose, far):
                return "left"
        self._upright()
        return ""

    def lean_once(self, home: Pose, far: tuple[float, float], deg: float, direction: float) -> str:
        """Gravity leans over in one direction, waits while the base leans on, and comes back; "left" or ""."""
        ramp = math.ceil(RAMP_TAU * self.tau_s * self.hz / self.stride)
        for i in range(ramp):
            if _is_far(home, self._leaning(home, deg * (i + 1) / ramp, direction), far):
                return "left"
        look = self.stride / self.hz / self.tau_s
        begun = mark = held = 0.0
        while held - begun < HOLD_TAU and held < LONGEST_HOLD_TAU:
            if _is_far(home, self._leaning(home, deg, direction), far):
                return "left"
            held += look
            if self.rock_deg > mark + STILL_DEG:
                begun, mark = held, self.rock_deg
        for i in range(ramp):
            if _is_far(home, self._leaning(home, deg * (1 - (i + 1) / ramp), direction), far):
                return "left"
        self._upright()
        return ""

    def _leaning(self, home: Pose, deg: float, direction: float) -> Pose:
        """One look under a gravity that leans so much."""
        g, angle = STANDARD_GRAVITY_M_S2, math.radians(deg)
        side = g * math.sin(angle)
        self._pull(side * math.cos(direction), side * math.sin(direction), -g * math.cos(angle))
        return self._look(home)

    def _look(self, home: Pose) -> Pose:
        """A few steps on, where it is then."""
        self.world.step(self.stride)
        self.steps += self.stride
        pose = self.world.pose()
        self.rock_deg = max(self.rock_deg, lean(home, pose))
        if self.seen is not None:
            self.seen(self.time_s, pose)
        return pose

    def _upright(self) -> None:
        self._pull(0.0, 0.0, -STANDARD_GRAVITY_M_S2)

    def _pull(self, *gravity: float) -> None:
        x, y, z = np.array(gravity) @ self.turned
        self.world.pull((float(x), float(y), float(z)))


def _still(lately: deque[Pose], now: Pose) -> bool:
    return all(drift(now, p) <= STILL_MM and turn(now, p) <= STILL_DEG for p in lately)


def _is_far(home: Pose, pose: Pose, far: tuple[float, float]) -> bool:
    return drift(home, pose) > far[0] or lean(home, pose) > far[1]


def drift(a: Pose, b: Pose) -> float:
    """The distance between two poses in mm."""
    return math.dist(a.place, b.place)


def turn(a: Pose, b: Pose) -> float:
    """The angle between two poses in degrees, turns about the vertical included."""
    w, x, y, z = _turn_to(a, b)
    return math.degrees(2 * math.atan2(math.sqrt(x * x + y * y + z * z), abs(w)))


def lean(a: Pose, b: Pose) -> float:
    """The angle between their upward directions in degrees."""
    _, x, y, _ = _turn_to(a, b)
    return math.degrees(2 * math.asin(min(1.0, math.hypot(x, y))))


def _turn_to(a: Pose, b: Pose) -> tuple[float, float, float, float]:
    """The quaternion of the turn from one pose to another, as `a.inverse() @ b` has it: asked in every look."""
    w, x, y, z = a.spin
    x, y, z = -x, -y, -z
    i, j, k, m = b.spin
    return (
        w * i - x * j - y * k - z * m,
        w * j + x * i + y * m - z * k,
        w * k - x * m + y * i + z * j,
        w * m + x * k - y * j + z * i,
    )
