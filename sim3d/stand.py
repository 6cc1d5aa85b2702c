"""`stand()`: will it stand? One word, its numbers and its reason, from both witnesses: exact statics, and an engine.

Where the witnesses disagree beyond the engine's known inaccuracy, or statics lies on a limit, the word is "undecided".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Literal

import numpy as np

from sim3d.asked import checked_material, checked_place
from sim3d.certificate import Certificate, Contact
from sim3d.engine import FAR_MM, Moving, Rock, engine_named, moving_of
from sim3d.engine import default_engine as usual_engine
from sim3d.finding import Refused, Severity, check
from sim3d.ground import ground_of
from sim3d.ground.patch import FLOOR, Patch
from sim3d.mini import Base, Mini
from sim3d.overlap import OVERLAP_MM, overlapped
from sim3d.settle import BANDS, SLOPING_DEG, STAYED_DEG, Band, Expected, Settle, settle_moving
from sim3d.space import WORD_BAND_DEG, WORD_BAND_MM, Floats, Pose
from sim3d.statics.rest import NUDGE_DEG, Case, Depth, Rest, case_of, foot_of, foot_within, solved
from sim3d.table import Table, checked_mini, checked_table

WORDS = ("off-table", "blocked", "falls", "topples", "slides", "too-steep", "precarious", "stable", "undecided")
STEEP_DEG = 45.0  # a base tilted more at rest is too steep to count as standing
WELL_INSIDE_MM = 1.0  # a base farther from the table's edge is not measured
UNCARRIED_MM = 0.01  # at rest, the point below the centre of mass lies no farther outside of what carries it
RISE_MM = 1.0  # what a rim reaches over is in its way where it is so much higher
ENGINE_AROUND_MM = 8.0  # terrain around the footprint that an engine gets
BY_HAND = "; lean it there by hand: let go level it may go over"
DOUBT = 4.0  # physics="doubt" asks the engine within this many bands of a limit
Physics = Literal["always", "doubt", "never"]

# the numbers of a verdict and what each says: for its data, their schema, what scenarios expect, and the docs
NUMBERS = {
    "tilt_deg": "tilt of the base at rest, degrees",
    "tip_deg": "the smallest tilt of gravity that takes it over; under 5 degrees it is precarious",
    "rock_deg": "how far a nudge makes it lean and it still comes back; 0 does not wobble",
    "barrier_mm": "how far its centre of mass is lifted on the easiest way over",
    "margin_mm": "from the point below its centre of mass to the border of what carries it; negative outside",
    "overhang_mm": "the farthest point of its rim from the part of its underside with terrain within 3 mm below",
    "overhang_share": "the share of its underside with no terrain within 3 mm below",
    "friction_needed": "the smallest coefficient of friction with which it does not slide",
    "slip_deg": "the tilt of gravity at which it slides; on faces of several slopes, or stirs, whichever is first",
    "com_limit_mm": "the highest centre of mass over the underside with which it would still be stable here",
    "drift_mm": "how far the engine saw its middle move",
    "turn_deg": "how far the engine saw it turn, degrees",
}
SEEN = ("drift_mm", "turn_deg")  # of these, the ones that only an engine sees


@dataclass(frozen=True, slots=True)
class Stand:
    """The verdict on one placement: a word, why, who decided, and the numbers it rests on (None: not known)."""

    answer: str
    why: str
    decided_by: tuple[str, ...]
    at: tuple[float, float]
    turn: float
    level: float | None
    friction: float
    mini: Mini
    pose: Pose | None = None
    tilt_deg: float | None = None
    tip_deg: float | None = None
    rock_deg: float | None = None
    barrier_mm: float | None = None
    margin_mm: float | None = None
    overhang_mm: float | None = None
    overhang_share: float | None = None
    friction_needed: float | None = None
    slip_deg: float | None = None
    com_limit_mm: float | None = None
    drift_mm: float | None = None
    turn_deg: float | None = None
    contacts: tuple[Contact, ...] = ()
    certificate: Certificate | None = None  # what `sim3d.check` needs to prove the word; None: nothing was proven
    barrier_is_least: bool = False  # the search over facets ended early: none that it went was easier
    by_hand: bool = False  # it rests leaning, and somebody has to lean it there: let go level it may go over

    def as_dict(self, *, certificate: bool = False) -> dict[str, Any]:
        """Plain data for JSON; what is not known is left out, and so is infinity. A certificate only if asked for."""
        out: dict[str, Any] = {"answer": self.answer, "why": self.why, "decided_by": list(self.decided_by)}
        out |= {"at": [round(v, 6) for v in self.at], "turn": self.turn, "friction": round(self.friction, 6)}
        if self.level is not None:
            out["level"] = self.level
        for name in NUMBERS:
            value = getattr(self, name)
            if value is not None and math.isfinite(value):
                out[name] = round(value, 6) + 0.0
        if self.barrier_is_least:
            out["barrier_is_least"] = True
        if self.by_hand:
            out["by_hand"] = True
        if self.pose is not None:
            out["pose"] = {
                "place": [round(v, 6) + 0.0 for v in self.pose.place],
                "spin": [round(v, 9) + 0.0 for v in self.pose.spin],
            }
        out["contacts"] = [
            {
                "place": [round(v, 5) + 0.0 for v in c.place],
                "normal": [round(v, 6) + 0.0 for v in c.normal],
                "load": round(c.load, 5) + 0.0,
                "piece": c.piece,
            }
            for c in self.contacts
        ]
        if certificate and self.certificate is not None:
            out["certificate"] = self.certificate.as_dict()
        return out

    @staticmethod
    def of_dict(data: Mapping[str, Any], mini: Mini) -> Stand:
        """A verdict again from the data of one with its certificate, for `sim3d.check`; the mini is not in the data."""
        proof = Certificate.of_dict(data["certificate"]) if "certificate" in data else None
        return Stand(
            answer=data["answer"],
            why=data["why"],
            decided_by=tuple(data["decided_by"]),
            at=(float(data["at"][0]), float(data["at"][1])),
            turn=float(data["turn"]),
            level=data.get("level"),
            friction=float(data["friction"]),
            mini=mini,
            pose=proof.pose if proof is not None and "pose" in data else None,
            contacts=() if proof is None else proof.contacts,
            certificate=proof,
            barrier_is_least=bool(data.get("barrier_is_least", False)),
            by_hand=bool(data.get("by_hand", False)),
            **{name: data.get(name) for name in NUMBERS},
        )


def stand(
    table: Table,
    mini: Mini,
    *,
    at: tuple[float, float],
    turn: float = 0.0,
    level: float | None = None,
    friction: float | None = None,
    material: str = "grip",
    engine: str | None = None,
    physics: Physics = "always",
    brief: bool = False,
) -> Stand:
    """Will `mini` stand with its middle at `at`, turned `turn` degrees, set down from above (below `level`, if given)?

    `friction` is the coefficient there is; without it, that of the mini's `material` on the slipperiest surface that
    it touches. `physics` says when the engine is asked: always, only in doubt, or never. `brief`, without an engine:
    the same word for a fraction of the time, without certificate, barrier, overhang and limit; its tip may be a bound.
    What is blocked is told without tip, barrier, overhang, limit.
    Every mini on the table is in the way: of one that is there ask `table.without(name)`.

    >>> from sim3d.solid import read_solid
    >>> crate = Table.of(read_solid("meshes/gallery/crate.stl"))  # its edge is at x = 40
    >>> verdict = stand(crate, Mini("27", height=40, com=15), at=(39, 0), physics="never")
    >>> verdict.answer, round(verdict.margin_mm, 3), verdict.decided_by
    ('precarious', 1.0, ('statics',))
    """
    return answered(
        table,
        mini,
        at=at,
        turn=turn,
        level=level,
        friction=friction,
        material=material,
        engine=engine,
        physics=physics,
        depth="word" if brief else "all",
    )


def answered(
    table: Table,
    mini: Mini,
    *,
    at: tuple[float, float],
    turn: float,
    level: float | None,
    friction: float | None,
    material: str,
    engine: str | None,
    physics: Physics,
    depth: Depth,
) -> Stand:
    """What `stand` says, as deep as it is asked: a word alone, what a map shows of a cell, or all."""
    checked_table(table)
    checked_mini(mini)
    checked_place(at, turn, level, friction)
    checked_material(material, table.materials)
    brief = depth == "word"
    _checked_witnesses(engine, physics, brief)
    at = (float(at[0]), float(at[1]))
    mu = table.friction(material, "grip") if friction is None else float(friction)
    told = Stand("undecided", "", ("statics",), at, float(turn), level, mu, mini)
    outside = _outside_mm(table, mini.base, at, turn)
    if outside >= -WORD_BAND_MM:
        return _at_edge(told, outside)
    ground = ground_of(table)
    case = case_of(ground, mini, at=at, turn=turn, level=level)
    names = tuple(p.name for p in table.pieces)

    rooms: dict[Pose, tuple[str, str] | None] = {}

    def room(pose: Pose) -> tuple[str, str] | None:
        if pose not in rooms:
            rooms[pose] = overlapped(table, mini, at, pose)
        return rooms[pose]

    def enough(found: Rest) -> bool:
        """Whether it is known without a tip that it slides, is too steep or has no room."""
        seen = _numbered(told, found)
        if _by_statics(seen, found, found.friction)[0] in ("slides", "too-steep"):
            return True
        return found.pose is not None and room(found.pose) is not None

    real = _frictions(table, material) if friction is None else None
    found = solved(
        case,
        mini,
        mu,
        names,
        ground,
        prove=not brief,
        depth=depth,
        real=real,
        fits=lambda pose: room(pose) is None,
        enough=enough,
    )
    mu = found.friction
    told = _numbered(replace(told, friction=mu), found)
    word, why = _by_statics(told, found, mu)
    # below a cut, walls that go on over it carry nothing: where nothing else rests, is it they that are in the way?
    shown = told if found.pose is not None or level is None else replace(told, pose=case.level_pose())
    if shown.pose is not None:
        blocked = room(shown.pose)
        if blocked is not None:
            told = replace(told, tip_deg=None, rock_deg=None, certificate=None, by_hand=False)
            return replace(told, answer=blocked[0], why=blocked[1])
    if level is None and found.pose is None and depth == "all":
        below = _level_beside(case, mini.base)
        asked = partial(stand, table, mini, at=at, turn=turn, friction=friction, material=material, physics="never")
        if below is not None and asked(level=below, brief=True).answer == "stable":
            why += f" No more than the outermost {OVERLAP_MM:g} mm of its base is over what is higher there: "
            why += f"set down beside that, below a level of {below}, it is stable."
    told = replace(told, answer=word, why=why, certificate=None if word == "undecided" else told.certificate)
    if physics == "never" or word in ("falls", "undecided"):
        return told
    return _audited(told, found, case, engine, physics)


def _checked_witnesses(engine: str | None, physics: Physics, brief: bool) -> None:
    """Refuse witnesses that there are not."""
    if physics not in ("always", "doubt", "never"):
        raise ValueError(f"physics is always, doubt or never, not {physics!r}")
    if brief and physics != "never":
        raise ValueError('a brief answer hears no engine: say physics="never"')
    if engine:
        engine_named(engine)  # one that is unknown, or not here, is told at once


def _at_edge(told: Stand, outside: float) -> Stand:
    """What is said of a base so far (mm) over the table's edge, or exactly at it."""
    if outside > WORD_BAND_MM:
        return replace(told, answer="off-table", why=f"its base reaches {outside:.1f} mm over the table's edge.")
    return replace(told, why="its base ends exactly at the table's edge.")


def _level_beside(case: Case, base: Base) -> float | None:
    """The level below which a base lies beside what its rim's last tenths of a millimetre reach over; None: over none.

    So far terrain may lie within a model, as prints and places are told: then it is in nobody's way.
    """
    high, beside = case.level_height(), case.level_height(foot_within(base, OVERLAP_MM))
    if high is None or beside is None or high - beside < RISE_MM:
        return None
    return round(case.patch.z + (high + beside) / 2, 1)  # it is asked as it is told


def _frictions(table: Table, material: str) -> Floats:
    """The coefficient of a base's material on each piece and, last, on the floor."""
    return np.array([table.friction(material, s) for s in (*(p.material for p in table.pieces), table.floor_material)])


def _outside_mm(table: Table, base: Base, at: tuple[float, float], turn: float) -> float:
    """How far the base reaches over the table's edge; negative inside, -inf well inside and without an edge."""
    if table.size_mm is None:
        return -math.inf
    most = -math.inf
    if all(abs(at[k]) + foot_of(base).reach_mm + WELL_INSIDE_MM < table.size_mm[k] / 2 for k in (0, 1)):
        return most
    for k, (ux, uy) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
        a = math.radians(turn)
        reach = base.outline.support(ux * math.cos(a) + uy * math.sin(a), uy * math.cos(a) - ux * math.sin(a))
        most = max(most, ux * at[0] + uy * at[1] + reach - table.size_mm[k // 2] / 2)
    return most


def _numbered(told: Stand, found: Rest) -> Stand:
    numbers: dict[str, Any] = {name: getattr(found, name) for name in NUMBERS if name not in SEEN}
    numbers |= {"barrier_is_least": found.barrier_is_least, "by_hand": found.by_hand}
    return replace(told, pose=found.pose, contacts=found.contacts, certificate=found.certificate, **numbers)


def _by_statics(told: Stand, found: Rest, mu: float) -> tuple[str, str]:
    """The first word that applies, or "undecided" where statics lies on its limit; and why."""
    if found.outcome == "lost":
        return (
            "undecided",
            "no pose holds with its middle here: its rim slips off what carries it and would lean on a wall.",
        )
    if found.outcome == "falls":
        return "falls", "there is nothing under its base."
    if found.outcome == "topples":
        if found.near_limit:
            return "undecided", "its centre of mass lies exactly over the edge of what could carry it."
        return "topples", "nothing carries its centre of mass on one side: it goes over."
    tilt, tip, needs = found.tilt_deg or 0.0, found.tip_deg or 0.0, found.friction_needed or 0.0
    slack = math.degrees(math.atan(mu)) - math.degrees(math.atan(needs))
    if found.near_limit:
        return "undecided", "its centre of mass lies exactly over the edge of what carries it."
    if (found.margin_mm or 0.0) < -UNCARRIED_MM:
        return "undecided", "what it was found to touch does not carry its centre of mass: a contact is missing."
    if abs(slack) < WORD_BAND_DEG and needs > 0:
        return "undecided", f"it needs exactly the friction there is, {mu:.3f}."
    if slack < 0:
        return "slides", f"it needs a friction of {needs:.2f} to hold on a slope of {tilt:.1f}°, there is {mu:.2f}."
    if abs(tilt - STEEP_DEG) < WORD_BAND_DEG:
        return "undecided", "it leans exactly 45°."
    if tilt > STEEP_DEG:
        return "too-steep", f"it would hold, but leans {tilt:.1f}°, more than 45°."
    carried, leant = _carried_by(found), BY_HAND if found.by_hand else ""
    if abs(tip - NUDGE_DEG) < WORD_BAND_DEG:
        return "undecided", f"a nudge of exactly {NUDGE_DEG:g}° takes it over."
    if tip < NUDGE_DEG:
        return (
            "precarious",
            f"it rests on {carried}, but a tilt of {tip:.1f}° takes it over: "
            f"its centre of mass is {max(found.margin_mm or 0.0, 0.0):.1f} mm inside what carries it{leant}.",
        )
    if found.unproven:
        return "undecided", f"it holds, but where a nudge of {NUDGE_DEG:g}° leads could not be proven."
    wobbles = f"; it rocks by {found.rock_deg:.1f}°" if (found.rock_deg or 0.0) > 0.05 else ""
    least = f"{'at least ' if found.tip_is_least else ''}{tip:.1f}°"
    takes = f"takes a tilt of {least} to go over{wobbles}{leant}"
    return "stable", f"it rests on {carried}, leaning {tilt:.1f}°, and {takes}."


def _carried_by(found: Rest) -> str:
    names = list(dict.fromkeys(c.piece for c in found.contacts if c.load > 1e-3)) or ["the terrain"]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


# --- the second witness -----------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def moving_body(mini: Mini) -> Moving:
    """A mini as an engine takes it, kept."""
    return moving_of(mini)


def _audited(told: Stand, found: Rest, case: Case, engine: str | None, physics: Physics) -> Stand:
    """What statics says, with an engine heard on it; where one is asked only in doubt and there is none, as it is."""
    chosen = engine_named(engine) if engine else usual_engine()
    band = BANDS[chosen.name]
    rolls_back = (found.rock_deg or 0.0) > STAYED_DEG  # nudged it leaves its place; statics alone says it comes home
    if physics == "doubt" and not rolls_back and not limits_near(found, told.mini.com[2], told.friction, band, DOUBT):
        return told
    return _heard(told, found, _settled(case, told, found, chosen.name), told.friction, band)


def _settled(case: Case, told: Stand, found: Rest, engine: str) -> Settle:
    """The engine's run on the local patch, from the resting pose; from level on the first touch where there is none."""
    p = case.patch
    pose = found.pose
    if pose is None:
        pose = Pose.at(p.x, p.y, p.z, turn=told.turn)
    rock = rock_of(p, told.mini.base.outline.reach_mm() + ENGINE_AROUND_MM)
    expected = Expected(told.answer == "precarious", found.tip_way)
    return settle_moving(rock, moving_body(told.mini), pose, friction=told.friction, engine=engine, expected=expected)


@check(
    "STAND_TOO_FAR",
    Severity.ERROR,
    "the terrain that the physics engine would be asked about lies {far:g} mm out; at most {most:g}: move it to the "
    "origin, or hear statics alone (physics never; of a map audit 0)",
)
def stand_too_far(*_: object) -> None:
    """A place so far from the origin that no engine is asked about it.

    Why: a coordinate beyond 100 m is a slip of units or of a comma, and nothing of a table lies there. Example: a mesh
    that was exported with the place of a whole landscape.
    Do: move the terrain to the origin; statics alone (`physics` "never") answers there, too.
    """


def rock_of(patch: Patch, around: float) -> Rock:
    """A patch as an engine takes it; `Refused` where it lies too far from the origin."""
    tris = patch.tris + np.array([patch.x, patch.y, patch.z])
    tris = without_far_floor(tris, patch.numbers, (patch.x, patch.y), around)
    far = float(np.abs(tris).max(initial=0.0))
    if far > FAR_MM:
        raise Refused(stand_too_far.hit(far=far, most=FAR_MM))
    return Rock(tris.reshape(-1, 3), np.arange(3 * len(tris)).reshape(-1, 3))


def without_far_floor(tris: Floats, numbers: Any, middle: tuple[float, float], around: float) -> Floats:
    """The floor's one great triangle becomes a square of the patch's size: engines dislike great triangles."""
    kept: Floats = tris[numbers != FLOOR]
    floors = tris[numbers == FLOOR]
    if not len(floors):
        return kept
    z, (x, y) = float(floors[0, 0, 2]), middle
    c: Floats = np.array(
        [
            [x - around, y - around, z],
            [x + around, y - around, z],
            [x + around, y + around, z],
            [x - around, y + around, z],
        ]
    )
    square: Floats = c[np.array([[0, 1, 2], [0, 2, 3]])]
    return np.concatenate([kept, square])


def limits_near(found: Rest, height: float, mu: float, band: Band, times: float = 1.0) -> tuple[str, ...]:
    """The limits of words that statics lies within a number of the engine's bands of: there it proves nothing."""
    if found.outcome == "topples":
        return ("edge",) if found.near_limit else ()
    tip, tilt, needs = found.tip_deg or 0.0, found.tilt_deg or 0.0, found.friction_needed or 0.0
    near = {
        "nudge": abs(tip - NUDGE_DEG) <= times * band.tip_deg,
        "edge": height * math.tan(math.radians(min(tip, 80.0))) <= times * band.edge_mm,
        "barrier": (found.barrier_mm or 0.0) <= times * band.barrier_mm,
        "friction": abs(needs - mu) <= times * band.friction_share * mu,
        "slope": tilt > SLOPING_DEG and tip <= times * band.slope_deg,
        "rolling": (found.rock_deg or 0.0) > band.rock_deg,
    }
    return tuple(name for name, inside in near.items() if inside)


def _heard(told: Stand, found: Rest, seen: Settle, mu: float, band: Band) -> Stand:
    """Both witnesses together: agreement, statics alone within the engine's band, or undecided."""
    told = replace(told, drift_mm=seen.drift_mm, turn_deg=seen.turn_deg)
    rests = told.answer in ("stable", "precarious", "too-steep")
    agree = seen.stays == rests and not seen.timed_out
    if agree and told.answer in ("stable", "precarious"):
        agree = bool(seen.nudged) == (told.answer == "stable")
    if agree:
        return replace(told, decided_by=("statics", "settle"))
    near = limits_near(found, told.mini.com[2], mu, band)
    unsure = seen.timed_out or (seen.over and near == ("rolling",))  # where it may stop anywhere, it still went over
    if near and not (unsure and told.answer == "stable"):  # neither is passed off as standing
        return told
    return replace(
        told,
        answer="undecided",
        decided_by=("statics", "settle"),
        why=f"statics says {told.answer}, the {seen.engine} engine disagrees: {seen.why}",
        certificate=None,
    )
