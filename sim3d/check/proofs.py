"""`check()`: proves a verdict's word from its certificate and the table's triangles alone, by plain arithmetic.

None of the solver's code is used, on purpose: no index, no compiled loop, no engine. Every triangle is looked at.

What is proven of "stable", "precarious", "too-steep" and "slides": the base lies where it was put and no terrain stands
over its plane. At rest, forces at real contacts, within their friction, hold the weight. "stable": so they do with
gravity leaning 5 degrees in 16 directions, in poses it rolls back from. "slides": a motion that gravity drives and no
contact holds up. "topples": tilted further and further, it finds nothing that carries its centre of mass. "falls":
nothing lies under it. "off-table": it reaches over the edge. Not proven: that there is room for the model, and numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sim3d.certificate import Certificate, Contact, Nudged, Three
from sim3d.check.seen import (
    PLACE_MM,
    Scene,
    about_middle,
    crossed,
    goes_round,
    inside,
    seen_from,
    shared,
    to_rim,
    to_segments,
    to_triangles,
    turn_of,
    under,
)
from sim3d.plane import Arc, Outline, shrunk_whole
from sim3d.space import CHORD_MM, Floats, Pose
from sim3d.table import Table, checked_table

if TYPE_CHECKING:
    from sim3d.stand import Stand

BALANCE = 1e-6  # of the weight, and of the weight at the rim for moments: the noise of doubles is a thousandth of it
SAME = 1e-5  # mm and unit vectors that mean the same: data may be rounded to six digits
FIRM_MM = 2e-6  # what is nearer than this to the plane touches it, for a base that slides
TOUCH_MM = 2e-4  # what is nearer than this to the plane could carry a base that should not stay
UPRIGHT = 1e-6  # a normal that rises less is a wall's: beside a base, not under it
ALONG = 1e-3  # a push along the rim, as a share: what two microns over a millimetre of face amount to
HELD = 1e-3  # of gravity's power on a slide: a contact that takes less would have to push with a thousand weights
STEEP_DEG = 45.0
BAND_DEG = 1e-3  # nearer to a limit than this no word is given
NUDGE_DEG, NUDGES = 5.0, 16
BESIDE_MM = 0.2  # what stands beside a base that leans on may press into its side, as into any model: it holds it back
HOME_MM, HOME_DEG = 1.0, 2.0  # within these of where it stood, a nudged base has not left
LOOK_DEG = 3.0  # on its way over, a base that topples is seen to go on this often
EASED = 1e-3  # of the way between two looks: a base that lies flat has begun to tilt


class CheckFailed(ValueError):
    """A proof does not hold; `reasons` says everything that is wrong with it."""

    def __init__(self, word: str, *reasons: str) -> None:
        self.reasons = reasons
        super().__init__(f"{word!r} is not proven: " + "; ".join(reasons))


def check(stand: Stand, table: Table) -> None:
    """Prove the word of a verdict on this table; silent where the proof holds, else `CheckFailed` with every reason."""
    checked_table(table)
    prove = _PROOFS.get(stand.answer)
    if prove is None:
        raise CheckFailed(stand.answer, f"nothing to prove: {stand.answer!r} is no word that comes with a certificate")
    if prove is not _off_table and prove is not _falls and stand.certificate is None:
        raise CheckFailed(stand.answer, "it carries no certificate: nothing was proven when it was found")
    if stand.certificate is not None and not _finite(stand.certificate):
        raise CheckFailed(stand.answer, "its certificate holds something that is not a number")
    wrong = tuple(prove(stand, table))
    if wrong:
        raise CheckFailed(stand.answer, *wrong)


def _scene(stand: Stand, table: Table, around_mm: float = 0.0) -> Scene:
    return Scene.of(table, stand.mini, stand.at, stand.level, around_mm)


def _finite(proof: Certificate) -> bool:
    """Whether every number of it is one: nothing is larger than NaN, so no fault would show."""
    poses = [proof.pose, *(n.pose for n in proof.nudged)]
    numbers = [*(p.place for p in poses), *(p.spin for p in poses), *proof.through, *(proof.motion or ())]
    numbers += [part for c in proof.contacts for part in (c.place, c.normal, c.force)]
    numbers += [*(place for n in proof.nudged for place in n.places), *(n.shares for n in proof.nudged)]
    numbers += [tuple(n.towards_deg for n in proof.nudged), proof.beyond or ()]
    return all(math.isfinite(v) for row in numbers for v in row)


# --- at rest ----------------------------------------------------------------------------------------------------------


def _rests(stand: Stand, table: Table) -> Iterator[str]:
    """The words "stable", "precarious", "too-steep": the pose, its balance, and where each nudge leads."""
    proof, scene = stand.certificate, _scene(stand, table)
    assert proof is not None
    yield from _same_as_told(stand, proof)
    yield from _put_down(stand, table, scene, proof.pose)
    yield from _nothing_over(scene, proof.pose, scene.inner)
    for k, contact in enumerate(proof.contacts, 1):
        yield from _touches(scene, proof.pose, contact.place, f"contact {k}")
        yield from _pushes(scene, proof.pose, contact, stand.friction, f"contact {k}")
    yield from _balance(scene, proof)
    tilt, tip = proof.pose.tilt_deg(), stand.tip_deg
    if (tilt > STEEP_DEG) != (stand.answer == "too-steep"):
        yield f"the base leans {tilt:.4f}°, and 45° is where too-steep begins"
    if stand.answer != "too-steep" and (tip is None or (tip >= NUDGE_DEG) != (stand.answer == "stable")):
        yield f"a tilt of {tip}° takes it over, and {NUDGE_DEG:g}° is what parts precarious from stable"
    if stand.answer == "stable":
        yield from _nudges(stand, table, proof)


def _same_as_told(stand: Stand, proof: Certificate) -> Iterator[str]:
    """The verdict shows the pose and the contacts that are proven."""
    if stand.pose is None or not np.allclose(stand.pose.place, proof.pose.place, rtol=0, atol=SAME):
        yield f"the verdict's pose is at {stand.pose and stand.pose.place}, the certificate's at {proof.pose.place}"
    elif not np.allclose(stand.pose.spin, proof.pose.spin, rtol=0, atol=SAME):
        yield "the verdict's pose is turned another way than the certificate's"
    if len(stand.contacts) != len(proof.contacts) or any(
        not np.allclose((*one.place, one.load), (*other.place, other.force[2]), rtol=0, atol=SAME)
        for one, other in zip(stand.contacts, proof.contacts, strict=True)
    ):
        yield f"the verdict's {len(stand.contacts)} contacts are not the {len(proof.contacts)} of the certificate"
    if stand.tilt_deg is None or abs(stand.tilt_deg - proof.pose.tilt_deg()) > BAND_DEG:
        yield f"the verdict says it leans {stand.tilt_deg}°, its pose {proof.pose.tilt_deg():.4f}°"


def _put_down(stand: Stand, table: Table, scene: Scene, pose: Pose) -> Iterator[str]:
    """The pose is where the base was put: its middle, its facing, on the table."""
    if abs(math.hypot(*pose.spin) - 1) > 1e-9 or not pose.rotation()[2, 2] > 1e-9:
        yield f"the pose is no pose of a base on its underside: its quaternion is {pose.spin}"
    off = math.dist(pose.place[:2], stand.at)
    if off > SAME:
        yield f"the middle of its underside lies {off:.6f} mm from where it was put, {stand.at}"
    turned = (turn_of(pose) - stand.turn + 180) % 360 - 180
    if abs(turned) > BAND_DEG:
        yield f"it faces {turn_of(pose) % 360:.4f}°, but was put down at {stand.turn % 360:.4f}°"
    if _over_edge(stand, table, scene.inner) > 0:
        yield "its base reaches over the table's edge"


def _nothing_over(scene: Scene, pose: Pose, ring: Floats, where: str = "") -> Iterator[str]:
    """No terrain within a ring, the footprint or a little less, stands over the base's plane."""
    found = under(scene.tris, pose, ring, PLACE_MM)
    if len(found) and (k := int(found[:, 2].argmax())) >= 0 and found[k, 2] > PLACE_MM:
        x, y, height = found[k]
        yield f"{where}terrain stands {height:.4f} mm over the base's plane, at ({x:.2f}, {y:.2f}) on the base"


def _touches(scene: Scene, pose: Pose, place: Three, name: str) -> Iterator[str]:
    """A contact lies in the base's plane, within its outline, and on the terrain."""
    on_base = pose.inverse().apply(np.array([place]))[0]
    if abs(on_base[2]) > PLACE_MM:
        yield f"{name} lies {on_base[2]:.4f} mm over the base's underside"
    out = 0.0 if inside(scene.rim, on_base[None, :2])[0] else to_rim(scene.rim, on_base[:2])
    if out > PLACE_MM:
        yield f"{name} lies {out:.4f} mm outside the base's outline"
    there = np.array(place)
    if to_triangles(there, scene.beside(there)).min(initial=math.inf) > PLACE_MM:
        away = float(to_triangles(there, scene.tris).min(initial=math.inf))
        yield f"{name} lies {away:.4f} mm off the terrain"


def _pushes(scene: Scene, pose: Pose, contact: Contact, friction: float, name: str) -> Iterator[str]:
    """Its force pushes, along a normal that is there, within the cone of the friction there is."""
    force, normal = np.array(contact.force), np.array(contact.normal)
    legal = _normals(scene, pose, np.array(contact.place))
    off = float(np.linalg.norm(legal - normal, axis=1).min(initial=math.inf))
    if off > SAME:
        yield f"{name} pushes along {contact.normal}, a normal that neither base nor terrain has there"
    push = float(force @ normal)
    slide = float(np.linalg.norm(force - push * normal))
    if push < -BALANCE:
        yield f"{name} pulls with {-push:.6f} of the weight: a contact can only push"
    if slide > friction * max(push, 0.0) + BALANCE:
        yield f"{name} needs a friction of {slide / max(push, 1e-12):.4f}, there is {friction:.4f}"


def _normals(scene: Scene, pose: Pose, place: Floats) -> Floats:
    """The normals (n, 3) along which terrain can push a base at a place.

    Under its face the base's own. At its rim the face's it lies on, or across both where the rim crosses an edge; the
    base's own there only where a corner, or an edge or a face in its plane, is what it rests on.
    """
    up = pose.rotation()[:, 2]
    q = pose.inverse().apply(place[None])[0, :2]
    if to_rim(scene.rim, q) > PLACE_MM:
        return up[None]
    tris = scene.beside(place)
    tris = tris[to_triangles(place, tris) <= PLACE_MM]
    faces = crossed(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
    starts, ways = tris.reshape(-1, 3), (np.roll(tris, -1, axis=1) - tris).reshape(-1, 3)
    ways = ways[to_segments(place, starts, starts + ways) <= PLACE_MM]
    rims = _tangents(scene.outline, q) @ pose.rotation()[:, :2].T
    found = np.concatenate([faces, crossed(ways[:, None], rims[None]).reshape(-1, 3)])
    size = np.linalg.norm(found, axis=1)
    found = found[size > 1e-12] / size[size > 1e-12, None]
    found = found[np.abs(found[:, 2]) > UPRIGHT]
    found[found[:, 2] < 0] *= -1
    if len(rims) == 1:  # along a smooth rim nothing can push
        found = found[np.abs(found @ rims[0]) < ALONG]
    level = np.abs(ways @ up) <= SAME * np.linalg.norm(ways, axis=1)
    corner = np.linalg.norm(starts - place, axis=1) <= PLACE_MM
    if level.any() or corner.any():
        found = np.concatenate([found, up[None]])
    return found


def _tangents(outline: Outline, q: Floats) -> Floats:
    """The directions (n, 2) of an outline at a point on it: two at a corner."""
    found = []
    for edge in outline.edges:
        if isinstance(edge, Arc):
            x, y = (q[0] - edge.centre[0]) / edge.rx, (q[1] - edge.centre[1]) / edge.ry
            off = abs(math.hypot(x, y) - 1) * max(edge.rx, edge.ry)
            along = (math.degrees(math.atan2(y, x)) - edge.start_deg + SAME) % 360
            if off <= 10 * PLACE_MM and along <= edge.sweep_deg + 2 * SAME:
                found.append((-edge.rx * y, edge.ry * x))
        else:
            a, b = np.array(edge.start), np.array(edge.end)
            if to_segments(q, a[None], b[None])[0] <= 2 * PLACE_MM:
                found.append(tuple(b - a))
    ways: Floats = np.array(found).reshape(-1, 2)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    return ways


def _balance(scene: Scene, proof: Certificate) -> Iterator[str]:
    """The forces hold the weight, and their moments about the centre of mass cancel."""
    forces = np.array([c.force for c in proof.contacts]).reshape(-1, 3)
    places = np.array([c.place for c in proof.contacts]).reshape(-1, 3)
    left = float(np.linalg.norm(forces.sum(axis=0) - (0.0, 0.0, 1.0)))
    if left > BALANCE:
        yield f"the forces leave {left:.2e} of the weight unbalanced"
    turns = crossed(places - proof.pose.apply(scene.com[None]), forces).sum(axis=0)
    if (size := float(np.linalg.norm(turns))) > BALANCE * scene.reach:
        yield f"the forces leave a moment of {size:.2e} weight times mm unbalanced"


# --- nudged -----------------------------------------------------------------------------------------------------------


def _nudges(stand: Stand, table: Table, proof: Certificate) -> Iterator[str]:
    """Gravity leaning in 16 directions all round is held, too, where the base leans to."""
    ways = [n.towards_deg % 360 for n in proof.nudged]
    steps = [(b - a) % 360 for a, b in pairwise([*ways, *ways[:1]])]
    if len(ways) != NUDGES or not np.allclose(steps, 360 / NUDGES, rtol=0, atol=SAME):
        yield f"{len(ways)} nudges towards {', '.join(f'{w:g}°' for w in ways)}: it takes {NUDGES}, evenly in order"
    far = max([math.dist(n.pose.place[:2], stand.at) for n in proof.nudged], default=0.0)
    scene = _scene(stand, table, far)
    cleared, within = {proof.pose}, shrunk_whole(scene.rim, BESIDE_MM)
    within = scene.inner if within is None else within  # so thin a base has no middle to look at alone
    for nudge in proof.nudged:
        name = f"nudged towards {nudge.towards_deg:g}°: "
        if nudge.pose not in cleared:
            yield from _nothing_over(scene, nudge.pose, within, name)
            cleared.add(nudge.pose)
        for k, place in enumerate(nudge.places, 1):
            yield from _touches(scene, nudge.pose, place, f"{name}place {k}")
        yield from _held(scene, nudge, name)
        yield from _comes_back(scene, proof.pose, nudge.pose, name)


def _held(scene: Scene, nudge: Nudged, name: str) -> Iterator[str]:
    """Shares of the weight at the places, straight against gravity, hold the centre of mass."""
    shares, places = np.array(nudge.shares), np.array(nudge.places).reshape(-1, 3)
    if len(shares) != len(places) or shares.min(initial=0.0) < -BALANCE or abs(shares.sum() - 1) > BALANCE:
        yield f"{name}{len(places)} places carry {nudge.shares} of the weight: shares are 0 or more and add up to 1"
        return
    lean, way = math.radians(NUDGE_DEG), math.radians(nudge.towards_deg)
    pull = np.array([math.sin(lean) * math.cos(way), math.sin(lean) * math.sin(way), -math.cos(lean)])
    if pull @ nudge.pose.rotation()[:, 2] > 0:
        yield f"{name}gravity pulls it off its contacts"
    arm = shares @ places - nudge.pose.apply(scene.com[None])[0]
    if (beside := float(np.linalg.norm(crossed(arm, pull)))) > BALANCE * scene.reach:
        yield f"{name}what carries it lies {beside:.2e} mm beside its centre of mass"


def _comes_back(scene: Scene, home: Pose, leaning: Pose, name: str) -> Iterator[str]:
    """It leans near where it stood; or it rolled there, and with gravity upright again nothing keeps it there."""
    way = home.inverse() @ leaning
    angle = 2 * math.asin(min(1.0, math.hypot(*way.spin[1:])))
    moved = math.hypot(*way.place)
    if moved <= HOME_MM and math.degrees(angle) <= HOME_DEG:
        return
    if moved > scene.reach * angle + PLACE_MM:
        yield f"{name}it is {moved:.3f} mm away, farther than rolling by {math.degrees(angle):.2f}° can take it"
    touched = under(scene.tris, leaning, scene.rim, -TOUCH_MM)
    touched = touched[touched[:, 2] >= -TOUCH_MM, :2]
    if goes_round(touched, seen_from(leaning, leaning.apply(scene.com[None]))[0, :2]):
        yield f"{name}it rolls {moved:.3f} mm and {math.degrees(angle):.2f}° away and rests there"


# --- not at rest ------------------------------------------------------------------------------------------------------


def _slides(stand: Stand, table: Table) -> Iterator[str]:
    """A motion that gravity drives, against which every force that any contact can give does no work or worse."""
    proof, scene = stand.certificate, _scene(stand, table)
    assert proof is not None
    yield from _same_as_told(stand, proof)
    yield from _put_down(stand, table, scene, proof.pose)
    yield from _nothing_over(scene, proof.pose, scene.inner)
    if proof.motion is None:
        yield "the certificate names no motion"
        return
    velocity, spin = (np.array(part) for part in proof.motion)
    drive = -float(velocity[2])
    if not drive > 0:
        yield "gravity does not drive the motion: its centre of mass does not go down"
    middle = proof.pose.apply(scene.com[None])[0]
    seen = under(scene.tris, proof.pose, scene.rim, -FIRM_MM)
    r = proof.pose.rotation()
    for x, y, _ in np.unique(seen[seen[:, 2] >= -FIRM_MM].round(7), axis=0):
        place = np.array(proof.pose.place) + r[:, 0] * x + r[:, 1] * y
        at_place = velocity + crossed(spin, place - middle)
        for normal in _normals(scene, proof.pose, place):
            along = float(at_place @ normal)
            held = stand.friction * float(np.linalg.norm(at_place - along * normal)) - along
            if held > HELD * drive:
                yield f"a contact at ({x:.3f}, {y:.3f}) on the base could hold it up"
                return


def _topples(stand: Stand, table: Table) -> Iterator[str]:
    """Tilted from level to the last tilt, it goes on; and there nothing carries its centre of mass on one side, or it
    leans too far to stand whatever does."""
    proof, scene = stand.certificate, _scene(stand, table)
    assert proof is not None
    yield from _put_down(stand, table, scene, proof.pose)
    if proof.beyond is None or not math.hypot(*proof.beyond) > 0:
        yield "the certificate names no direction"
        return
    way = np.array(proof.beyond) / math.hypot(*proof.beyond)
    ahead = _ahead(scene, proof.pose, way, 0.0)
    if ahead >= 0 and proof.pose.tilt_deg() < STEEP_DEG + LOOK_DEG:  # so one look is beyond 45
        yield f"terrain carries it {ahead:.4f} mm beyond its centre of mass, where there should be none"
    ups = [np.array([0.0, 0.0, 1.0]), *(np.array(up) for up in proof.through), proof.pose.rotation()[:, 2]]
    for here, there in pairwise(ups):
        angle = math.acos(
            max(-1.0, min(1.0, float(here @ there) / float(np.linalg.norm(here) * np.linalg.norm(there))))
        )
        looks = math.ceil(angle / math.radians(LOOK_DEG))
        for k in range(looks):
            share = max(k / looks, EASED)
            up = (math.sin((1 - share) * angle) * here + math.sin(share * angle) * there) / math.sin(angle)
            pose = _tilted(proof.pose.place, stand.turn, up)
            way = (there - here)[:2] / math.hypot(*(there - here)[:2])
            if (ahead := _ahead(scene, pose, way, FIRM_MM)) >= 0:
                yield f"on its way over, at {pose.tilt_deg():.2f}°, terrain holds it {ahead:.4f} mm ahead"
                return


def _ahead(scene: Scene, pose: Pose, way: Floats, band: float) -> float:
    """How far ahead of its centre of mass a base meets terrain, mm: any, or what it touches first, to a `band`."""
    seen, middle = seen_from(pose, scene.tris), seen_from(pose, pose.apply(scene.com[None]))[0, :2]
    way = way @ pose.rotation()[:2, :2]  # the same distances from the base's own coordinates
    if band:  # nothing is touched first that lies lower than a corner near the middle
        corners = seen.reshape(-1, 3)
        sure = corners[np.hypot(corners[:, 0], corners[:, 1]) < about_middle(scene.rim), 2]
        found = shared(seen, scene.rim, sure.max(initial=-math.inf) - band)
        found = found[found[:, 2] >= found[:, 2].max(initial=-math.inf) - band]
    else:
        found = shared(seen[((seen[:, :, :2] - middle) @ way >= 0).any(axis=1)], scene.inner)
    return float(((found[:, :2] - middle) @ way).max(initial=-math.inf))


def _tilted(place: Three, turn: float, up: Floats) -> Pose:
    """A base turned first, then tilted about a level axis until this is its up."""
    if (lean := math.hypot(up[0], up[1])) == 0:
        return Pose.at(*place, turn=turn)
    spin = Pose.turned((-up[1], up[0], 0.0), math.degrees(math.atan2(lean, up[2]))) @ Pose.at(0, 0, turn=turn)
    return Pose(place, spin.spin)


def _falls(stand: Stand, table: Table) -> Iterator[str]:
    """Nothing lies under the level base."""
    scene = _scene(stand, table)
    found = under(scene.tris, Pose.at(*stand.at, turn=stand.turn), scene.inner)
    if _over_edge(stand, table, scene.inner) > 0:
        yield "its base reaches over the table's edge"
    if len(found):
        yield f"terrain lies under its base, at height {found[:, 2].max():.4f} mm"


def _off_table(stand: Stand, table: Table) -> Iterator[str]:
    """A part of the outline lies outside the table."""
    if table.size_mm is None:
        yield "the table has no edge"
    elif (over := _over_edge(stand, table, stand.mini.base.outline.polygon(CHORD_MM))) <= 0:
        yield f"its base ends {-over:.4f} mm inside the table's edge"


def _over_edge(stand: Stand, table: Table, ring: Floats) -> float:
    """How far a level ring reaches over the table's edge, mm; negative inside."""
    if table.size_mm is None:
        return -math.inf
    level = Pose.at(*stand.at, turn=stand.turn).apply(np.column_stack([ring, np.zeros(len(ring))]))
    return float((np.abs(level[:, :2]) - np.array(table.size_mm) / 2).max())


_PROOFS: dict[str, Callable[[Stand, Table], Iterator[str]]] = {
    "stable": _rests,
    "precarious": _rests,
    "too-steep": _rests,
    "slides": _slides,
    "topples": _topples,
    "falls": _falls,
    "off-table": _off_table,
}
