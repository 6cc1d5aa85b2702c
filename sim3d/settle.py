"""Witness two: what a physics engine saw. Released from its resting pose, does the miniature stay, also when nudged?

It is let go at rest a hair above the pose it is given, because a drop measures the drop: on a ledge, 1 mm inside the
edge, 0.04 mm of fall is enough to tip it. Then gravity leans over to the nudge angle, swings once round, and comes
back, slowly, with enough grip that it can only tip. What keeps its place all the while stands; where it left it, single
nudges decide, each from a fresh rest: a swing that tips a base over may also tip it back, or walk it round on its rim.
Running out of time is never passed off as standing.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sim3d.engine import (
    STANDARD_GRAVITY_M_S2,
    Engine,
    Moving,
    Rock,
    Settings,
    World,
    checked_friction,
    default_engine,
    engine_named,
    merged,
    moving_of,
    needed,
)
from sim3d.engine.shape import CHORD_MM
from sim3d.engine.watch import DAMPING_PER_TAU, Eye, drift, lean, turn
from sim3d.mini import Mini
from sim3d.space import Bools, Floats, Ints, Pose

STAYED_MM = 1.0  # farther from where it was put and it did not stay: no player would call it the same place
STAYED_DEG = 2.0  # the same for a turn: the float noise of an engine is a hundred times smaller
NUDGE_DEG = 5.0  # gravity's lean that a bumped table amounts to
NUDGE_FRICTION = 3.0  # while nudged it may tip but not slide
LIFT_MM = 0.002  # over its resting pose at release: 0.02 already costs 0.3 mm on a ledge, 0 starts in the terrain
TIME_LIMIT_S = 2.0  # table seconds for one coming to rest: ten times what a mini takes that is going to
SURE_HZ = 1000  # steps an engine second where 240 left a doubt
# Bullet, where a first look left a doubt. As one body all of the ground has four contacts: where a base touches it in
# more, or nearly, a fifth puts out one that carries, it sinks there, and never rests. 2 cells across it were enough, 7
# no better. Of contacts close together its solver's 50 rounds leave a speed, and a base creeps round; 200 leave none.
# A step takes up to four times as long: so not at first
CELLS, ROUNDS = 4, 200

# zones (mm, degrees): a run sees only terrain that can touch the base inside its zone, and ends when the base leaves it
TIGHT = (0.1, 0.5)  # most bases never stir, or rock a little: few triangles of rough ground come so near
NARROW = (1.5, 3.0)  # a base that comes back need not have stayed within; one that has left it has left its place
ROCKING = (3.0, 7.0)  # where it rocks to another rest and comes back it mostly stays within
LOST_DEG = 30.0  # a base that leans more while nudged does not come back
ANYWHERE = (math.inf, math.inf)  # a drop may end anywhere
Zone = tuple[float, float]
HALF_MM, HALF_DEG = 0.5, 1.0  # it stayed, but went half of what is allowed: a doubt
# nudges one by one where the swing moved a base out of its place, in degrees from where gravity leant then: it takes a
# while to move, so the first is behind; 45 degrees apart none is missed by more than 0.41 degrees of tip, and the way
# that statics knows is none of these
SINGLES_DEG = (-40, 5, -85, 50, -130, 95, -175, 140)


@dataclass(frozen=True, slots=True)
class Band:
    """An engine's measured inaccuracy: nearer to a limit than this, its word proves nothing.

    Measured by benchmarks/bands.py, on coarse and on 2 mm triangles, turned by odd angles; rounded up, never tuned to a
    case. Past a limit neither engine holds on by more than 0.1 mm, 0.5 degrees or 1 % of friction.
    """

    edge_mm: float  # centre of mass inside an edge; both let go 0.05 mm early at most, and pegs are 0.1 mm wide
    tip_deg: float  # tip angle against the nudge's: the swing passes 0.4 to 0.5 degrees over it before a base falls
    friction_share: float  # of the coefficient at which it slides: Bullet lets go 0.8 % early, Rapier 2 %
    slope_deg: float  # tip angle left on a slope, on the rim: Bullet lets go 0.4 degrees early, Rapier 1.0
    barrier_mm: float  # lift of the centre of mass: Bullet lets go of 0.0005 mm, Rapier of 0.0095 on a slope
    rock_deg: float  # rolling on its rim, as in a groove, by more: Bullet is right, Rapier stops in 6 of 13


BANDS = {
    "bullet": Band(0.1, 0.5, 0.02, 0.5, 0.001, math.inf),
    "rapier": Band(0.1, 0.6, 0.03, 1.3, 0.01, 0.1),
}
SLOPING_DEG = 1.0  # a base that leans more rests on a slope, or on its rim


@dataclass(frozen=True, slots=True)
class Expected:
    """What statics says of a nudge: an engine that sees the same at once need not look closer."""

    over: bool  # it takes it over
    towards_rad: float | None  # where gravity leans then; or with the least tilt that takes it; None: not known


UNKNOWN = Expected(False, None)


@dataclass(frozen=True, slots=True)
class Settle:
    """What the engine saw of one placement."""

    rested: bool  # released, it came to rest (a run that ends because the base has left its place did not)
    stays: bool  # at rest within 1 mm and 2 degrees of where it was put
    nudged: bool | None  # nudged, it came back within 1 mm and 2 degrees; None: not nudged
    over: bool  # nudged, it leant as far as a base that does not come back
    drift_mm: float  # the base's middle, from where it was put
    turn_deg: float
    rock_deg: float  # farthest lean seen while nudged, from its own rest; a run ends as soon as it is lost
    time_s: float  # as a table's clock would show, release and nudge
    steps_hz: int  # the rate that decided, in engine seconds
    steps: int  # all that were computed, reruns included
    timed_out: bool
    pose: Pose  # when released and at rest, or when it was given up
    digest: str  # of the last state, to the last bit
    engine: str
    why: str
    track: tuple[tuple[float, Pose], ...] = ()  # seconds and poses on its way, where they were asked for


def settle(
    triangles: Rock | tuple[Floats, Ints],
    mini: Mini,
    pose: Pose,
    *,
    friction: float,
    engine: Engine | str | None = None,
    nudge_deg: float | None = NUDGE_DEG,
    drop_mm: float = 0.0,
    time_limit_s: float = TIME_LIMIT_S,
    settings: Settings | None = None,
    track: bool = False,
) -> Settle:
    """Release `mini` at its resting `pose` (of the middle of its underside, mm) on terrain triangles and watch.

    `friction` is the product of both coefficients. `drop_mm` over 0 drops it flat from that height instead. `track`
    keeps every pose it was seen in, and watches it to its end wherever it goes: to look at, not to judge by.
    """
    ground = triangles if isinstance(triangles, Rock) else Rock(*triangles)
    return settle_moving(
        ground,
        moving_of(mini),
        pose,
        friction=friction,
        engine=engine,
        nudge_deg=nudge_deg,
        drop_mm=drop_mm,
        time_limit_s=time_limit_s,
        settings=settings,
        track=track,
    )


def settle_moving(
    ground: Rock,
    moving: Moving,
    pose: Pose,
    *,
    friction: float,
    engine: Engine | str | None = None,
    nudge_deg: float | None = NUDGE_DEG,
    drop_mm: float = 0.0,
    time_limit_s: float = TIME_LIMIT_S,
    settings: Settings | None = None,
    track: bool = False,
    expected: Expected = UNKNOWN,
) -> Settle:
    """The same for a body cut into parts once and for all: what a search over many places calls.

    With what is `expected` of a nudge that way is tried first, and what comes out so is not asked again more finely.
    """
    checked_friction(friction)
    for name, value, most in (("nudge_deg", nudge_deg or 0.0, 45.0), ("drop_mm", drop_mm, 1000.0)):
        if not 0 <= value <= most:
            raise ValueError(f"{name} is a number from 0 to {most:g}, got {value}")
    if not (math.isfinite(time_limit_s) and time_limit_s > 0):
        raise ValueError(f"time_limit_s must be over 0, got {time_limit_s}")
    if not all(math.isfinite(n) for n in (*pose.place, *pose.spin)) or abs(math.hypot(*pose.spin) - 1) > 1e-6:
        raise ValueError(f"a resting pose is a place in mm and a unit quaternion, got {pose}")
    rules = settings or Settings()
    chosen = engine_named(engine) if isinstance(engine, str) else engine or default_engine()
    run = _Run(chosen, ground, moving, pose, friction, nudge_deg or 0.0, drop_mm, time_limit_s, rules, expected)
    if track:
        run.track = []
        return run.told(run.watch(run.settings.steps_hz, ANYWHERE))
    return _asked(run)


def _asked(run: _Run) -> Settle:
    """Narrow and quick first, closer, then finer where in doubt; nudges one by one where the swing moved it away."""
    sure = max(SURE_HZ, run.settings.steps_hz)
    if run.drop_mm > 0:
        seen = run.watch(run.settings.steps_hz, ANYWHERE)
        return run.told(run.watch(sure, ANYWHERE, again=True) if seen.timed_out else seen)
    seen = run.watch(run.settings.steps_hz, TIGHT)
    if seen.stays and seen.nudge == "left" and run.expected.over and run.expected.towards_rad is not None:
        ended, rocked = run.lean_to_the_end(run.expected.towards_rad)
        if ended == "left":
            return run.told(replace(seen, rock_deg=rocked))
    if "left" in (seen.release, seen.nudge):
        seen = run.watch(run.settings.steps_hz, NARROW)
    if seen.doubtful and (seen.timed_out or seen.stays):
        seen = run.watch(run.settings.steps_hz, NARROW, again=True)
    if seen.doubtful:
        seen = run.watch(sure, NARROW, again=True)
    if seen.stays and seen.strayed_rad is not None:
        seen = run.one_by_one(seen, sure)
    return run.told(seen)


@dataclass(frozen=True, slots=True)
class _Seen:
    """One run: how the release and the nudge ended ("" where there was none)."""

    release: str  # "rest", "left", "timeout"
    nudge: str  # "", "back", "elsewhere", "left", "timeout"
    drift_mm: float
    turn_deg: float
    rock_deg: float
    pose: Pose
    steps_hz: int
    engine_s: float
    digest: str
    again: bool = False  # with a closer eye on its contacts, after a doubt
    strayed_rad: float | None = None  # where gravity leant when the swing had moved it out of its place

    @property
    def stays(self) -> bool:
        return self.release == "rest" and self.drift_mm <= STAYED_MM and self.turn_deg <= STAYED_DEG

    @property
    def timed_out(self) -> bool:
        return "timeout" in (self.release, self.nudge)

    @property
    def doubtful(self) -> bool:
        near = self.drift_mm > HALF_MM or self.turn_deg > HALF_DEG
        return not self.stays or near or self.nudge == "timeout"


@dataclass(slots=True)
class _Run:
    """One placement, asked as often as it takes."""

    engine: Engine
    ground: Rock
    moving: Moving
    pose: Pose
    friction: float
    nudge_deg: float
    drop_mm: float
    time_limit_s: float
    settings: Settings
    expected: Expected = UNKNOWN
    steps: int = 0
    grounds: dict[Zone, Rock] = field(default_factory=dict)
    leant: dict[tuple[float, int, Zone, bool], tuple[str, float]] = field(default_factory=dict)  # none is made twice
    track: list[tuple[float, Pose]] | None = None

    @property
    def frame(self) -> Pose:
        """The engine's axes on the table: leaning with the base, so that the box about a tilted base holds little else
        and an engine looks at what is under its underside, not at all that a slope raises beside it."""
        x, y, z = (float(c) for c in self._start().rotation()[:, 2])
        size = math.sqrt((1 + z) * (1 + z) + y * y + x * x)  # 0 upside down: there the axes stay the table's
        spin = ((1 + z) / size, -y / size, x / size, 0.0) if size > 1e-6 else (1.0, 0.0, 0.0, 0.0)
        return Pose(self.pose.place, spin)

    @property
    def home(self) -> Pose:
        """Where it was put, in the engine's axes."""
        return self.frame.inverse() @ self.pose

    @property
    def tau_s(self) -> float:
        """In engine seconds: the time in which the body falls e times farther over."""
        h, g = self.moving.com[2], self.settings.gravity_m_s2 * 1000
        return math.sqrt((h * h + self.moving.gyration_mm() ** 2) / (g * h))

    def watch(self, steps_hz: int, zone: Zone, *, again: bool = False) -> _Seen:
        """Release, and nudge what stays."""
        with self._world(steps_hz, zone, again=again) as world:
            eye = Eye(world, self.tau_s, steps_hz, self.frame, self._kept)
            release = eye.until_rest(self.home, zone, self._limit_s())
            rest = world.pose()
            seen = _Seen(
                release,
                "",
                drift(self.home, rest),
                turn(self.home, rest),
                0.0,
                self.frame @ rest,
                steps_hz,
                eye.time_s,
                "",
                again,
            )
            if seen.stays and self.nudge_deg > 0:
                self._grip(world)
                ended = eye.swing(rest, zone, (STAYED_MM, STAYED_DEG), self.nudge_deg)
                nudge = ended or self._ended(world, eye, rest, zone)
                seen = replace(seen, nudge=nudge, rock_deg=eye.rock_deg, strayed_rad=eye.strayed_rad)
                seen = replace(seen, engine_s=eye.time_s)
            self.steps += eye.steps
            return replace(seen, digest=hashlib.sha256(world.bits()).hexdigest()[:16])

    def _kept(self, time_s: float, pose: Pose) -> None:
        """A look, written down where somebody wants to see it."""
        if self.track is not None:
            self.track.append((time_s * self.real, self.frame @ pose))

    def one_by_one(self, seen: _Seen, sure_hz: int) -> _Seen:
        """Nudged in single directions, each from its own fresh rest, until one does not bring it back."""
        rock_deg, known = seen.rock_deg, self.expected.towards_rad
        around = [(seen.strayed_rad or 0.0) + math.radians(deg) for deg in SINGLES_DEG]
        zones = (ROCKING, self._wide()) if seen.nudge == "left" else (NARROW, ROCKING, self._wide())
        for direction in around if known is None else [known, *around]:
            ended, rocked = self._single(direction, seen.steps_hz, sure_hz, zones, again=seen.again)
            rock_deg = max(rock_deg, rocked)
            if ended != "back":
                return replace(seen, nudge=ended, rock_deg=rock_deg, steps_hz=sure_hz)
        return replace(seen, nudge="back", rock_deg=rock_deg)

    def _single(
        self, direction: float, steps_hz: int, sure_hz: int, zones: Sequence[Zone], *, again: bool
    ) -> tuple[str, float]:
        """How one nudge ended, and the farthest it leant; whether it leaves its place is asked finer, how far is not,
        unless time ran out, nor where it was expected."""
        ended, rocked = "left", 0.0
        for zone in zones:
            if ended == "left":
                ended, rocked = self._lean(direction, steps_hz, zone, again=again)
        if ended == "timeout" and not again:
            return self._single(direction, steps_hz, sure_hz, zones, again=True)
        if ended == "back" or steps_hz >= sure_hz or (ended == "left" and self.expected.over):
            return ended, rocked
        finer, rocked_finer = self._lean(direction, sure_hz, NARROW, again=True)
        if finer != "left":
            return finer, rocked_finer
        return self._lean(direction, sure_hz, self._wide(), again=True) if ended == "timeout" else (ended, rocked)

    def lean_to_the_end(self, direction: float) -> tuple[str, float]:
        """One quick nudge, watched until the base does not come back."""
        return self._lean(direction, self.settings.steps_hz, self._wide(), again=False)

    def _wide(self) -> Zone:
        """A zone that is only left by who does not come back."""
        return self.moving.reach_mm(), LOST_DEG

    def _lean(self, direction: float, steps_hz: int, zone: Zone, *, again: bool) -> tuple[str, float]:
        """How a nudge in one direction ended, and the farthest it leant."""
        asked = direction, steps_hz, zone, again
        if asked not in self.leant:
            self.leant[asked] = self._leant(direction, steps_hz, zone, again=again)
        return self.leant[asked]

    def _leant(self, direction: float, steps_hz: int, zone: Zone, *, again: bool) -> tuple[str, float]:
        with self._world(steps_hz, zone, again=again) as world:
            eye = Eye(world, self.tau_s, steps_hz, self.frame)
            ended = eye.until_rest(self.home, zone, self._limit_s())
            if ended != "left":  # that it rests was seen before: on more terrain it may only quiver
                rest = world.pose()
                self._grip(world)
                ended = eye.lean_once(rest, zone, self.nudge_deg, direction) or self._ended(world, eye, rest, zone)
            self.steps += eye.steps
            return ended, eye.rock_deg

    def _grip(self, world: World) -> None:
        world.grip(max(NUDGE_FRICTION, self.friction))

    def _ended(self, world: World, eye: Eye, rest: Pose, zone: Zone) -> str:
        """After a nudge: "back" where it was, "elsewhere", "away" (and still moving), "left" or "timeout"."""
        ended = eye.until_rest(rest, zone, self._limit_s())
        if ended == "left":
            return ended
        end = world.pose()
        back = drift(rest, end) <= STAYED_MM and lean(rest, end) <= STAYED_DEG
        if ended == "timeout":
            return "timeout" if back else "away"
        return "back" if back else "elsewhere"

    def _limit_s(self) -> float:
        return self.time_limit_s / self.real

    def _world(self, steps_hz: int, zone: Zone, *, again: bool) -> World:
        rules = replace(self.settings, steps_hz=steps_hz, damping_hz=DAMPING_PER_TAU / self.tau_s)
        if again:
            rules = replace(rules, cells=max(CELLS, rules.cells), iterations=max(ROUNDS, rules.iterations))
        return self.engine.world(
            self._within(zone),
            self.moving,
            self.frame.inverse() @ self._start(),
            friction=self.friction,
            settings=rules,
        )

    def _start(self) -> Pose:
        x, y, z = self.pose.place
        up = self.pose.rotation()[:, 2]
        if self.drop_mm == 0:
            return Pose((x + LIFT_MM * up[0], y + LIFT_MM * up[1], z + LIFT_MM * up[2]), self.pose.spin)
        corners = np.vstack([part[part[:, 2] == part[:, 2].min()] for part in self.moving.parts])
        highest = float(self.pose.apply(corners)[:, 2].max())  # nothing under the base is over its resting plane
        w, _, _, rz = self.pose.spin
        size = math.hypot(w, rz)
        level = (w / size, 0.0, 0.0, rz / size) if size > 0 else (1.0, 0.0, 0.0, 0.0)
        return Pose((x, y, highest + self.drop_mm), level)

    def _within(self, zone: Zone) -> Rock:
        """The terrain that can touch the base while it is in a zone, in the engine's axes."""
        if zone not in self.grounds:
            far_mm, far_deg = zone
            ground = self.ground.seen_from(self.frame)
            if far_deg < LOST_DEG:
                far = math.radians(far_deg)
                slack = CHORD_MM + far_mm + 2 * self.moving.reach_mm() * math.sin(far)  # it is rounder than its parts
                points = self.home.apply(np.vstack(self.moving.parts))
                low, high = points.min(axis=0) - slack, points.max(axis=0) + slack
                # leaning about the middle of its underside takes no point lower than this
                sunk = points[:, 2] * math.cos(far) - np.hypot(points[:, 0], points[:, 1]) * math.sin(far)
                low[2] = float(sunk.min()) - far_mm
                corners = ground.vertices[ground.faces]
                keep: Bools = (corners.max(axis=1) >= low).all(axis=1)
                keep &= (corners.min(axis=1) <= high).all(axis=1)
                ground = needed(merged(ground.only(keep)), self.moving, self.home, far_mm, far_deg)
            else:
                ground = merged(ground)
            self.grounds[zone] = ground
        return self.grounds[zone]

    @property
    def real(self) -> float:
        """Table seconds in an engine second."""
        return math.sqrt(self.settings.gravity_m_s2 / STANDARD_GRAVITY_M_S2)

    def told(self, seen: _Seen) -> Settle:
        return Settle(
            rested=seen.release == "rest",
            stays=seen.stays,
            nudged=None if not seen.nudge or not seen.stays else seen.nudge == "back",
            over=seen.stays and seen.nudge == "left",
            drift_mm=seen.drift_mm,
            turn_deg=seen.turn_deg,
            rock_deg=seen.rock_deg,
            time_s=seen.engine_s * self.real,
            steps_hz=seen.steps_hz,
            steps=self.steps,
            timed_out=seen.timed_out,
            pose=seen.pose,
            digest=seen.digest,
            engine=self.engine.name,
            why=_why(seen, self.nudge_deg, self.time_limit_s),
            track=tuple(self.track or ()),
        )


def _why(seen: _Seen, nudge_deg: float, limit_s: float) -> str:
    went = f"{seen.drift_mm:.2f} mm and {seen.turn_deg:.2f} degrees from where it was put"
    if seen.release == "timeout":
        return f"it did not come to rest within {limit_s:g} s; it is now {went}"
    if not seen.stays:
        return f"it left its place: {went} when last seen"
    if not seen.nudge:
        return f"it came to rest {went}"
    return {
        "back": f"it came to rest {went}, and came back from a nudge of {nudge_deg:g} degrees in every direction",
        "left": f"it came to rest {went}, but a nudge of {nudge_deg:g} degrees takes it over",
        "elsewhere": f"it came to rest {went}, but came to rest elsewhere after a nudge of {nudge_deg:g} degrees",
        "away": f"it came to rest {went}, but was not back there {limit_s:g} s after a nudge of {nudge_deg:g} degrees",
        "timeout": f"it came to rest {went}, but not again within {limit_s:g} s of a nudge of {nudge_deg:g} degrees",
    }[seen.nudge]
