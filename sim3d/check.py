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
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sim3d.certificate import Certificate, Contact, Nudged
from sim3d.plane import Arc, Outline, shrunk
from sim3d.space import CHORD_MM, Floats, Pose
from sim3d.table import Table

if TYPE_CHECKING:
    from sim3d.stand import Stand

PLACE_MM = 1e-3  # terrain this far into the base, or off a contact, is no lie: nobody can call a word that near
BALANCE = 1e-6  # of the weight, and of the weight at the rim for moments: print noise of doubles is a thousandth of it
SAME = 1e-5  # mm and unit vectors that mean the same: data may be rounded to six digits
FIRM_MM = 2e-6  # what is nearer than this to the plane touches it, for a base that slides
TOUCH_MM = 2e-4  # what is nearer than this to the plane could carry a base that should not stay
UPRIGHT = 1e-6  # a normal that rises less is a wall's: beside a base, not under it
ALONG = 1e-3  # a push along the rim, as a share: what two microns over a millimetre of face amount to
STEEP_DEG = 45.0
BAND_DEG = 1e-3  # nearer to a limit than this no word is given
NUDGE_DEG, NUDGES = 5.0, 16
HOME_MM, HOME_DEG = 1.0, 2.0  # within these of where it stood, a nudged base has not left
WALL_COS = 0.342  # what is steeper than 70 degrees and goes on over the cut height is a wall: it carries nothing
LOOK_DEG = 3.0  # on its way over, a base that topples is seen to go on this often
EASED = 1e-3  # of the way between two looks: a base that lies flat has begun to tilt
AT_ONCE = 400_000  # pairs of edges compared in one go: some ten megabytes


class CheckFailed(ValueError):
    """A proof does not hold; `reasons` says everything that is wrong with it."""

    def __init__(self, word: str, *reasons: str) -> None:
        self.reasons = reasons
        super().__init__(f"{word!r} is not proven: " + "; ".join(reasons))


def check(stand: Stand, table: Table) -> None:
    """Prove the word of a verdict on this table; silent where the proof holds, else `CheckFailed` with every reason."""
    prove = _PROOFS.get(stand.answer)
    if prove is None:
        raise CheckFailed(stand.answer, f"nothing to prove: {stand.answer!r} is no word that comes with a certificate")
    if prove is not _off_table and prove is not _falls and stand.certificate is None:
        raise CheckFailed(stand.answer, "it carries no certificate: nothing was proven when it was found")
    wrong = tuple(prove(stand, table))
    if wrong:
        raise CheckFailed(stand.answer, *wrong)


# --- what is on the table ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything a proof looks at: the terrain near a base, cut at its level, and the base."""

    tris: Floats  # (k, 3, 3) mm on the table
    outline: Outline
    rim: Floats  # (m, 2) corners on the outline, straying CHORD_MM at most
    inner: Floats  # the same, taken in by PLACE_MM
    com: Floats
    reach: float


def _scene(stand: Stand, table: Table, around_mm: float = 0.0) -> Scene:
    outline = stand.mini.base.outline
    rim = outline.polygon(CHORD_MM)
    reach = float(np.hypot(*rim.T).max())
    tris = _terrain(table, stand.at, reach + around_mm + 1.0, stand.level)
    return Scene(tris, outline, rim, shrunk(rim, PLACE_MM), np.array(stand.mini.com), reach)


def _terrain(table: Table, at: tuple[float, float], around: float, level: float | None) -> Floats:
    """All triangles whose bounds come within `around` mm of a place; what lies over the level carries nothing."""
    soups = [piece.vertices()[piece.solid.faces] for piece in table.pieces]
    if table.floor_mm is not None:
        a, b, c, d = ((at[0] + 2 * sx * around, at[1] + 2 * sy * around, table.floor_mm) for sx, sy in _CORNERS)
        soups.append(np.array([[a, b, c], [a, c, d]]))
    tris = np.concatenate([np.zeros((0, 3, 3)), *soups])
    low, high = tris.min(axis=1), tris.max(axis=1)
    tris = tris[((low[:, :2] <= np.array(at) + around) & (high[:, :2] >= np.array(at) - around)).all(axis=1)]
    if level is None:
        return tris
    low_z, high_z = tris[:, :, 2].min(axis=1), tris[:, :, 2].max(axis=1)
    parts = [_below(tri, level) for tri in tris[(low_z <= level) & (high_z > level)] if not _is_wall(tri)]
    return np.concatenate([tris[high_z <= level], *parts])


_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def _is_wall(tri: Floats) -> bool:
    n = np.cross(tri[1] - tri[0], tri[2] - tri[0])
    return bool(n[2] ** 2 < WALL_COS**2 * (n @ n))


def _below(tri: Floats, level: float) -> Floats:
    """The part of a triangle under a height, as triangles."""
    ring = []
    for a, b in zip(tri, np.roll(tri, -1, axis=0), strict=True):
        if a[2] <= level:
            ring.append(a)
        if (a[2] <= level) != (b[2] <= level):
            ring.append(a + (level - a[2]) / (b[2] - a[2]) * (b - a))
    return np.array([[ring[0], ring[k], ring[k + 1]] for k in range(1, len(ring) - 1)]).reshape(-1, 3, 3)


# --- plain geometry ---------------------------------------------------------------------------------------------------


def _seen_from(pose: Pose, points: Floats) -> Floats:
    """Points (…, 3) straight over or under the tilted base: its own x, y there, and the height over its plane."""
    r = pose.rotation()
    away = points - np.array(pose.place)
    return np.concatenate([away[..., :2] @ np.linalg.inv(r[:2, :2]).T, away @ r[:, 2:] / r[2, 2]], axis=-1)


def _under(tris: Floats, pose: Pose, ring: Floats, over: float = -math.inf) -> Floats:
    """What lies straight under or over a base: the corners (n, 3) of the common part of each triangle and its footprint.

    They are seen from the base. A plane's highest or farthest point of that part is always one of them. Triangles
    wholly lower than `over` are left out.
    """
    seen = _seen_from(pose, tris)
    low, high = seen.min(axis=1), seen.max(axis=1)
    met = (high[:, 2] >= over) & (low[:, :2] <= ring.max(axis=0)).all(axis=1) & (high[:, :2] >= ring.min(axis=0)).all(1)
    seen = seen[met]
    corners = seen.reshape(-1, 3)
    found = [corners[_inside(ring, corners[:, :2])]]
    near = float(_to_rim(ring, np.zeros(2)))
    seen = seen[(np.hypot(seen[:, :, 0], seen[:, :, 1]) > near).any(axis=1)]  # the others lie wholly inside
    step = max(1, AT_ONCE // (3 * len(ring)))
    for k in range(0, len(seen), step):
        found += [_crossings(seen[k : k + step], ring), _ring_within(seen[k : k + step], ring)]
    return np.concatenate(found)


def _inside(ring: Floats, points: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which points (n, 2) a ring goes around: a ray from each crosses it an odd number of times."""
    odd = np.zeros(len(points), dtype=np.bool_)
    (ax, ay), (bx, by) = ring.T, np.roll(ring, -1, axis=0).T
    step = max(1, AT_ONCE // len(ring))
    for k in range(0, len(points), step):
        x, y = points[k : k + step, :1], points[k : k + step, 1:]
        across = (ay <= y) != (by <= y)
        with np.errstate(divide="ignore", invalid="ignore"):
            right = x < ax + (y - ay) * (bx - ax) / (by - ay)
        odd[k : k + step] = (across & right).sum(axis=1) % 2 == 1
    return odd


def _crossings(tris: Floats, ring: Floats) -> Floats:
    """Where edges of triangles cross a ring."""
    a = tris.reshape(-1, 1, 3)
    d = np.roll(tris, -1, axis=1).reshape(-1, 1, 3) - a
    e = np.roll(ring, -1, axis=0) - ring
    w = ring - a[:, :, :2]
    with np.errstate(divide="ignore", invalid="ignore"):
        det = d[:, :, 0] * e[:, 1] - d[:, :, 1] * e[:, 0]
        s = (w[:, :, 0] * e[:, 1] - w[:, :, 1] * e[:, 0]) / det
        t = (w[:, :, 0] * d[:, :, 1] - w[:, :, 1] * d[:, :, 0]) / det
        i, j = np.nonzero((s >= 0) & (s <= 1) & (t >= 0) & (t <= 1))
    found: Floats = a[i, 0] + s[i, j][:, None] * d[i, 0]
    return found


def _ring_within(tris: Floats, ring: Floats) -> Floats:
    """The corners of a ring that lie over or under triangles, at their heights."""
    a = tris[:, None, 0]
    u, v, w = tris[:, None, 1] - a, tris[:, None, 2] - a, ring - a[:, :, :2]
    with np.errstate(divide="ignore", invalid="ignore"):
        det = u[:, :, 0] * v[:, :, 1] - u[:, :, 1] * v[:, :, 0]
        s = (w[:, :, 0] * v[:, :, 1] - w[:, :, 1] * v[:, :, 0]) / det
        t = (u[:, :, 0] * w[:, :, 1] - u[:, :, 1] * w[:, :, 0]) / det
        i, j = np.nonzero((s >= 0) & (t >= 0) & (s + t <= 1))
    height = a[i, 0, 2] + s[i, j] * u[i, 0, 2] + t[i, j] * v[i, 0, 2]
    return np.column_stack([ring[j], height])


def _to_segments(point: Floats, a: Floats, b: Floats) -> Floats:
    """The distances from a point to segments."""
    d = b - a
    size = np.maximum((d * d).sum(axis=-1), 1e-300)
    along = np.clip(((point - a) * d).sum(axis=-1) / size, 0.0, 1.0)
    away: Floats = np.linalg.norm(a + along[..., None] * d - point, axis=-1)
    return away


def _to_rim(ring: Floats, point: Floats) -> float:
    """The distance from a point to a ring."""
    return float(_to_segments(point, ring, np.roll(ring, -1, axis=0)).min())


def _to_triangles(point: Floats, tris: Floats) -> Floats:
    """The distances from a point to triangles (k, 3, 3)."""
    a, u, v = tris[:, 0], tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0]
    w = point - a
    n = np.cross(u, v)
    size = np.maximum((n * n).sum(axis=1), 1e-300)
    s, t = (np.cross(w, v) * n).sum(axis=1) / size, (np.cross(u, w) * n).sum(axis=1) / size
    over = (s >= 0) & (t >= 0) & (s + t <= 1)
    beside = _to_segments(point, tris, np.roll(tris, -1, axis=1)).min(axis=1)
    return np.where(over, np.abs((w * n).sum(axis=1)) / np.sqrt(size), beside)


def _goes_round(points: Floats, middle: Floats) -> bool:
    """Whether points (n, 2) lie on all sides of a middle, so that they could carry it."""
    away = points - middle
    size = np.hypot(*away.T)
    if (size <= PLACE_MM).any():
        return True
    if not len(points):
        return False
    angles = np.sort(np.arctan2(away[:, 1], away[:, 0]))
    gaps = np.diff(np.concatenate([angles, angles[:1] + 2 * math.pi]))
    return bool(gaps.max() <= math.pi + SAME)


def _turn_of(pose: Pose) -> float:
    """The facing (degrees) of a base that was turned first and then tilted about a level axis."""
    w, _, _, z = pose.spin
    return math.degrees(2 * math.atan2(z, w))


# --- at rest ----------------------------------------------------------------------------------------------------------


def _rests(stand: Stand, table: Table) -> Iterator[str]:
    """"stable", "precarious", "too-steep": the pose, its balance, and where each nudge leads."""
    proof, scene = stand.certificate, _scene(stand, table)
    assert proof is not None
    yield from _same_as_told(stand, proof)
    yield from _put_down(stand, table, scene, proof.pose)
    yield from _nothing_over(scene, proof.pose)
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
        not np.allclose(one.place, other.place, rtol=0, atol=SAME)
        for one, other in zip(stand.contacts, proof.contacts, strict=True)
    ):
        yield f"the verdict shows {len(stand.contacts)} contacts, not the {len(proof.contacts)} of the certificate"
    if stand.tilt_deg is None or abs(stand.tilt_deg - proof.pose.tilt_deg()) > BAND_DEG:
        yield f"the verdict says it leans {stand.tilt_deg}°, its pose {proof.pose.tilt_deg():.4f}°"


def _put_down(stand: Stand, table: Table, scene: Scene, pose: Pose) -> Iterator[str]:
    """The pose is where the base was put: its middle, its facing, on the table."""
    if abs(math.hypot(*pose.spin) - 1) > 1e-9 or not pose.rotation()[2, 2] > 1e-9:
        yield f"the pose is no pose of a base on its underside: its quaternion is {pose.spin}"
    off = math.dist(pose.place[:2], stand.at)
    if off > SAME:
        yield f"the middle of its underside lies {off:.6f} mm from where it was put, {stand.at}"
    turned = (_turn_of(pose) - stand.turn + 180) % 360 - 180
    if abs(turned) > BAND_DEG:
        yield f"it faces {_turn_of(pose) % 360:.4f}°, but was put down at {stand.turn % 360:.4f}°"
    if _over_edge(stand, table, scene.inner) > 0:
        yield "its base reaches over the table's edge"


def _nothing_over(scene: Scene, pose: Pose, where: str = "") -> Iterator[str]:
    """No terrain within the footprint stands over the base's plane."""
    found = _under(scene.tris, pose, scene.inner, PLACE_MM)
    if len(found) and (k := int(found[:, 2].argmax())) >= 0 and found[k, 2] > PLACE_MM:
        x, y, height = found[k]
        yield f"{where}terrain stands {height:.4f} mm over the base's plane, at ({x:.2f}, {y:.2f}) on the base"


def _touches(scene: Scene, pose: Pose, place: tuple[float, float, float], name: str) -> Iterator[str]:
    """A contact lies in the base's plane, within its outline, and on the terrain."""
    on_base = pose.inverse().apply([place])[0]
    if abs(on_base[2]) > PLACE_MM:
        yield f"{name} lies {on_base[2]:.4f} mm over the base's underside"
    out = 0.0 if _inside(scene.rim, on_base[None, :2])[0] else _to_rim(scene.rim, on_base[:2])
    if out > PLACE_MM:
        yield f"{name} lies {out:.4f} mm outside the base's outline"
    away = float(_to_triangles(np.array(place), scene.tris).min(initial=math.inf))
    if away > PLACE_MM:
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
    q = pose.inverse().apply([place])[0, :2]
    if _to_rim(scene.rim, q) > PLACE_MM:
        return up[None]
    tris = scene.tris[_to_triangles(place, scene.tris) <= PLACE_MM]
    faces = np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
    starts, ways = tris.reshape(-1, 3), (np.roll(tris, -1, axis=1) - tris).reshape(-1, 3)
    ways = ways[_to_segments(place, starts, starts + ways) <= PLACE_MM]
    rims = _tangents(scene.outline, q) @ pose.rotation()[:, :2].T
    found = np.concatenate([faces, np.cross(ways[:, None], rims[None]).reshape(-1, 3)])
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
            if _to_segments(q, a[None], b[None])[0] <= 2 * PLACE_MM:
                found.append(tuple(b - a))
    ways = np.array(found).reshape(-1, 2)
    return ways / np.linalg.norm(ways, axis=1, keepdims=True)


def _balance(scene: Scene, proof: Certificate) -> Iterator[str]:
    """The forces hold the weight, and their moments about the centre of mass cancel."""
    forces = np.array([c.force for c in proof.contacts]).reshape(-1, 3)
    places = np.array([c.place for c in proof.contacts]).reshape(-1, 3)
    left = float(np.linalg.norm(forces.sum(axis=0) - (0.0, 0.0, 1.0)))
    if left > BALANCE:
        yield f"the forces leave {left:.2e} of the weight unbalanced"
    turns = np.cross(places - proof.pose.apply([scene.com]), forces).sum(axis=0)
    if (size := float(np.linalg.norm(turns))) > BALANCE * scene.reach:
        yield f"the forces leave a moment of {size:.2e} weight times mm unbalanced"


# --- nudged -----------------------------------------------------------------------------------------------------------


def _nudges(stand: Stand, table: Table, proof: Certificate) -> Iterator[str]:
    """Gravity leaning in 16 directions all round is held, too, where the base leans to."""
    ways = [n.towards_deg % 360 for n in proof.nudged]
    even = [k * 360 / NUDGES for k in range(NUDGES)]
    if len(ways) != NUDGES or not np.allclose(ways, even, rtol=0, atol=SAME):
        yield f"{len(ways)} nudges towards {', '.join(f'{w:g}°' for w in ways)}: there must be {NUDGES}, evenly in order"
    far = max([math.dist(n.pose.place[:2], stand.at) for n in proof.nudged], default=0.0)
    scene = _scene(stand, table, far)
    cleared: set[Pose] = set()
    for nudge in proof.nudged:
        name = f"nudged towards {nudge.towards_deg:g}°: "
        if nudge.pose not in cleared:
            yield from _nothing_over(scene, nudge.pose, name)
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
    arm = shares @ places - nudge.pose.apply([scene.com])[0]
    if (beside := float(np.linalg.norm(np.cross(arm, pull)))) > BALANCE * scene.reach:
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
    touched = _under(scene.tris, leaning, scene.rim, -TOUCH_MM)
    touched = touched[touched[:, 2] >= -TOUCH_MM, :2]
    if _goes_round(touched, _seen_from(leaning, leaning.apply([scene.com]))[0, :2]):
        yield f"{name}it rolls {moved:.3f} mm and {math.degrees(angle):.2f}° away and rests there"


# --- not at rest ------------------------------------------------------------------------------------------------------


def _slides(stand: Stand, table: Table) -> Iterator[str]:
    """A motion that gravity drives, against which every force that any contact can give does no work or worse."""
    proof, scene = stand.certificate, _scene(stand, table)
    assert proof is not None
    yield from _same_as_told(stand, proof)
    yield from _put_down(stand, table, scene, proof.pose)
    yield from _nothing_over(scene, proof.pose)
    if proof.motion is None:
        yield "the certificate names no motion"
        return
    velocity, spin = (np.array(part) for part in proof.motion)
    drive = -float(velocity[2])
    if not drive > 0:
        yield "gravity does not drive the motion: its centre of mass does not go down"
    middle = proof.pose.apply([scene.com])[0]
    seen = _under(scene.tris, proof.pose, scene.rim, -FIRM_MM)
    r = proof.pose.rotation()
    for x, y, _ in np.unique(seen[seen[:, 2] >= -FIRM_MM].round(7), axis=0):
        place = np.array(proof.pose.place) + r[:, 0] * x + r[:, 1] * y
        at_place = velocity + np.cross(spin, place - middle)
        for normal in _normals(scene, proof.pose, place):
            along = float(at_place @ normal)
            held = stand.friction * float(np.linalg.norm(at_place - along * normal)) - along
            if held > BALANCE * drive:
                yield f"a contact at ({x:.3f}, {y:.3f}) on the base could hold it up"
                return


def _topples(stand: Stand, table: Table) -> Iterator[str]:
    """Tilted from level to the last tilt tried, it goes on; and there nothing carries its centre of mass on one side."""
    proof, scene = stand.certificate, _scene(stand, table)
    assert proof is not None
    yield from _put_down(stand, table, scene, proof.pose)
    if proof.beyond is None or not math.hypot(*proof.beyond) > 0:
        yield "the certificate names no direction"
        return
    way = np.array(proof.beyond) / math.hypot(*proof.beyond)
    ahead = _ahead(scene, proof.pose, way, 0.0)
    if ahead >= 0:
        yield f"terrain carries it {ahead:.4f} mm beyond its centre of mass, where there should be none"
    ups = [np.array([0.0, 0.0, 1.0]), *(np.array(up) for up in proof.through), proof.pose.rotation()[:, 2]]
    for here, there in pairwise(ups):
        angle = math.acos(max(-1.0, min(1.0, float(here @ there) / float(np.linalg.norm(here) * np.linalg.norm(there)))))
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
    """How far ahead of its centre of mass a base meets terrain, mm: all of it, or what it touches first, to a `band`."""
    found = _under(scene.tris, pose, scene.inner)
    if band and len(found):
        found = found[found[:, 2] >= found[:, 2].max() - band]
    places = found[:, :2] @ pose.rotation()[:2, :2].T + np.array(pose.place[:2])
    return float(((places - pose.apply([scene.com])[0, :2]) @ way).max(initial=-math.inf))


def _tilted(place: tuple[float, float, float], turn: float, up: Floats) -> Pose:
    """A base turned first, then tilted about a level axis until this is its up."""
    if (lean := math.hypot(up[0], up[1])) == 0:
        return Pose.at(*place, turn=turn)
    spin = Pose.turned((-up[1], up[0], 0.0), math.degrees(math.atan2(lean, up[2]))) @ Pose.at(0, 0, turn=turn)
    return Pose(place, spin.spin)


def _falls(stand: Stand, table: Table) -> Iterator[str]:
    """Nothing lies under the level base."""
    scene = _scene(stand, table)
    found = _under(scene.tris, Pose.at(*stand.at, turn=stand.turn), scene.inner)
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
