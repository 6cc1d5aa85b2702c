"""How much is inside, and where its middle is: the truth, or a reason why it cannot be told; never a wrong number.

The shells of a surface are found by pairing the triangles at every edge, also where four or more meet. A point is
inside when more shells wrap around it than are turned inside out around it; so overlapping parts count once and
cavities not at all. Shells that meet nothing of their own are united; others are taken apart triangle by triangle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim3d.finding import counted
from sim3d.solid.boolean import Mesh, NotManifold, Point, difference, union, volume_and_centre
from sim3d.solid.contact import contacts, crowded_triangles
from sim3d.solid.enclosed import Tangled, enclosed
from sim3d.solid.joined import joined
from sim3d.solid.survey import Edges, edges_of
from sim3d.solid.wrapped import winding
from sim3d.space import Bools, Floats, Ints

CROWDED_MOST = 100_000  # edges with more than two triangles that are sorted out one by one
CROWD_MOST = 10_000_000  # of their triangles, pairs at the same edge
PAIRS_MOST = 20_000  # shells inside out, times shells around them, that are looked at one by one
SHELLS_MOST = 20_000  # loose parts that are united
APART_MOST = 3000  # parts whose boxes are compared, each with each
OVERLAP_SHARE = 1e-6  # of the volume: less is float noise of parts that only touch
GRID_MM = 2.0**-20  # a tenth of what sets corners apart; and float64 reckons with multiples of it without a rounding


@dataclass(frozen=True, slots=True)
class Body:
    """Volume in mm³ and its centre in mm, or `unknown`: why they cannot be told."""

    volume_mm3: float | None = None
    centre_of_mass: Point | None = None
    overlapping: bool | None = None  # parts that share space; None where it cannot be told
    inside_out: int = 0  # shells that look inwards and are no cavity; they are counted as if they looked outwards
    cavities: int = 0
    unknown: str = ""


def body_of(vertices: Floats, faces: Ints, edges: Edges) -> Body:
    """The body that a surface encloses; `edges` are those of the same faces."""
    if len(edges.open):
        return Body(unknown=f"the surface is open ({counted(len(edges.open), 'open edge')})")
    if not edges.closed:
        return Body(unknown="the surface is not closed: an odd number of triangles meets at some edges")
    if len(edges.miswound):
        return Body(unknown="the triangles do not agree which side is outside")
    if len(edges.crowded) > CROWDED_MOST:
        return Body(unknown=f"{len(edges.crowded)} edges are used by more than two triangles")
    if int((edges.uses[edges.crowded] ** 2).sum()) > CROWD_MOST:
        return Body(unknown=f"up to {int(edges.uses.max())} triangles meet at one edge, too many to be sorted out")
    try:
        shells, of_face = _shells(vertices, faces, edges)
        return _joined(shells, Surface(vertices, faces, edges, of_face))
    except NotManifold as error:
        return Body(unknown=f"its parts do not bound a solid ({error.why})")
    except Tangled as error:
        return Body(unknown=str(error))


def outward(vertices: Floats, faces: Ints, edges: Edges) -> tuple[Ints, Ints]:
    """Of each triangle 1, or -1 where it is to be turned to look outwards, or 0; and what hangs together, by number.

    A shell that lies in no other one looks outwards, and what lies in it is turned with it: so a mirrored file is as it
    was before, a part turned by itself is a body again, and a hollow stays a hollow, also of a part that was turned. It
    is 0 where nothing has a side: what hangs together has a border, or does not agree which side is outside, or holds
    nothing, or cannot be sorted out.
    """
    turn = np.zeros(len(faces), np.int64)
    sided, part = _sided(faces, edges, len(vertices))
    own = edges if sided.all() else edges_of(faces[sided], len(vertices))
    if not sided.any() or len(own.crowded) > CROWDED_MOST or int((own.uses[own.crowded] ** 2).sum()) > CROWD_MOST:
        return turn, part
    try:
        shells, of_face = _shells(vertices, faces[sided], own)
    except NotManifold:
        return turn, part
    signs = np.zeros(len(shells), np.int64)
    for shell, around in zip(shells, _outermost(shells), strict=True):
        signs[shell.number] = np.sign(around.volume_mm3) if shell.volume_mm3 else 0
    turn[sided] = signs[of_face]
    return turn, part


def _sided(faces: Ints, edges: Edges, corners: int) -> tuple[Bools, Ints]:
    """Which triangles are of a part that is closed and agrees on its outside, and the part of each.

    Parts are first what hangs together by edges that two triangles share; what is not closed so, by all its edges.
    """
    part = _hanging_together(edges, edges.uses == 2)
    sided = _balanced(faces, edges, part)
    if not sided.all():
        rest = edges_of(faces[~sided], corners)
        group = _hanging_together(rest, rest.uses > 1)
        part[~sided] = group + len(faces)
        sided[~sided] = _balanced(faces[~sided], rest, group)
    return sided, part


def _hanging_together(edges: Edges, by: Bools) -> Ints:
    """The number of the part that each triangle belongs to: those that share one of these edges are of one."""
    count = len(edges.of_half) // 3
    order = np.argsort(edges.of_half, kind="stable")
    order = order[by[edges.of_half[order]]]
    same = np.diff(edges.of_half[order]) == 0
    return joined(count, order[:-1][same] % max(count, 1), order[1:][same] % max(count, 1))[1]


def _balanced(faces: Ints, edges: Edges, part: Ints) -> Bools:
    """Of each triangle whether its part uses every edge as often one way as the other."""
    doubtful = (edges.uses > 2) | (edges.forward * 2 != edges.uses)  # any other is shared by two that agree
    half = np.flatnonzero(doubtful[edges.of_half])
    mine = part[half % max(len(faces), 1)]
    _, which = np.unique(np.column_stack([edges.of_half[half], mine]), axis=0, return_inverse=True)
    ahead = faces.T.ravel()[half] < faces[:, (1, 2, 0)].T.ravel()[half]
    over = np.bincount(which.ravel(), weights=np.where(ahead, 1.0, -1.0))
    return ~np.isin(part, mine[over[which.ravel()] != 0])


def _outermost(shells: tuple[Shell, ...]) -> list[Shell]:
    """Of each shell, largest first, the largest that it lies in, or itself; not looked for where all look one way."""
    if len({s.volume_mm3 > 0 for s in shells}) < 2:
        return list(shells)
    low, high = np.array([s.low for s in shells]), np.array([s.high for s in shells])
    plain = [s if s.volume_mm3 > 0 else _turned(s) for s in shells]
    found = []
    for i, shell in enumerate(shells):
        around = np.flatnonzero((low[:i] <= shell.low).all(axis=1) & (high[:i] >= shell.high).all(axis=1))
        found.append(next((shells[k] for k in around if _holds(plain[k], shell)), shell))
    return found


@dataclass(frozen=True, slots=True)
class Surface:
    """All triangles together; `shell` says which of the shells each belongs to."""

    vertices: Floats
    faces: Ints
    edges: Edges
    shell: Ints

    def enclosed(self, turned: Ints) -> tuple[float, Point]:
        """Volume and centre with the shells `turned` turned inside out, triangle by triangle.

        Faces that touch and were turned in float64 cross by what it blurs, and may be told as tangled. Put on a grid
        they touch, or cross by as much as can be told.
        """
        try:
            return self._enclosed(turned)
        except Tangled:
            return replace(self, vertices=np.round(self.vertices / GRID_MM) * GRID_MM)._enclosed(turned)

    def _enclosed(self, turned: Ints) -> tuple[float, Point]:
        alone = np.zeros(len(self.faces), np.int64)  # as if it were one shell: every meeting counts
        met = contacts(self.vertices, self.faces, alone)
        if met.gave_up:
            raise Tangled(met.gave_up)
        faces = np.where(np.isin(self.shell, turned)[:, None], self.faces[:, ::-1], self.faces)
        count = len(faces)
        order = np.argsort(self.edges.of_half, kind="stable")
        plain = (np.cumsum(self.edges.uses) - self.edges.uses)[self.edges.uses == 2]
        marked = crowded_triangles(self.edges.of_half, self.edges.uses, alone)
        return enclosed(self.vertices, faces, order[plain] % count, order[plain + 1] % count, met.pairs, marked)


@dataclass(frozen=True, slots=True)
class Shell:
    """One closed surface that hangs together, with the volume it wraps: negative when it looks inwards."""

    number: int
    mesh: Mesh
    volume_mm3: float
    centre: Point
    low: Floats
    high: Floats


def _shells(vertices: Floats, faces: Ints, edges: Edges) -> tuple[tuple[Shell, ...], Ints]:
    """Every shell by itself, largest first, and the shell of each triangle; corners are split where shells touch."""
    count = len(faces)
    one, other = paired(vertices, faces, edges)
    # Half-edge h of face f runs from corner slot h to slot next(h); the two halves of an edge run opposite ways.
    following = np.concatenate([np.arange(count, 3 * count), np.arange(count)])
    rows = np.concatenate([one, following[one]])
    columns = np.concatenate([following[other], other])
    corners, slot = joined(3 * count, rows, columns)
    place = np.empty((corners, 3))
    place[slot] = vertices[faces.T.ravel()]
    sewn = slot.reshape(3, count).T.copy()
    shells, of_face = joined(count, one % count, other % count)
    if shells > SHELLS_MOST:
        raise NotManifold(f"{shells} parts, at most {SHELLS_MOST} are united")
    order = np.argsort(of_face, kind="stable")
    bounds = np.searchsorted(of_face[order], np.arange(shells + 1))
    made = []
    for i in range(shells):
        own = sewn[order[bounds[i] : bounds[i + 1]]]
        used, renumbered = np.unique(own, return_inverse=True)
        mesh = place[used], renumbered.reshape(-1, 3).astype(np.int64)
        volume, centre = volume_and_centre(*mesh)
        made.append(Shell(i, mesh, volume, centre, mesh[0].min(axis=0), mesh[0].max(axis=0)))
    return tuple(sorted(made, key=lambda s: -abs(s.volume_mm3))), of_face


def paired(vertices: Floats, faces: Ints, edges: Edges) -> tuple[Ints, Ints]:
    """The half-edges that belong together, one running each way."""
    a, b = faces.T.ravel(), faces[:, (1, 2, 0)].T.ravel()
    apex = faces[:, (2, 0, 1)].T.ravel()
    order = np.argsort(edges.of_half, kind="stable")
    starts = np.concatenate([[0], np.cumsum(edges.uses)])
    plain = starts[:-1][edges.uses == 2]
    ones, others = [order[plain]], [order[plain + 1]]
    count = len(faces)
    _, part = joined(count, ones[0] % count, others[0] % count)
    for edge in edges.crowded:
        halves = order[starts[edge] : starts[edge + 1]]
        low, high = edges.ends[edge]
        halves = halves[np.argsort(halves % count, kind="stable")]  # in the order of the faces
        matched = _around(vertices, low, high, a[halves] < b[halves], apex[halves], part[halves % count])
        pairs = np.array(matched, dtype=np.int64).reshape(-1, 2)
        ones.append(halves[pairs[:, 0]])
        others.append(halves[pairs[:, 1]])
    return np.concatenate(ones), np.concatenate(others)


def _around(vertices: Floats, low: int, high: int, forward: Bools, apex: Ints, part: Ints) -> list[tuple[int, int]]:
    """Which triangles around a crowded edge bound the same wedge of inside: matched like brackets, going round.

    Seen along the edge, a triangle that runs it backwards opens a wedge and one that runs it forwards closes it. Of the
    wedges that are open, one of the same part (by all its plain edges) is closed first: parts may overlap. Of triangles
    in one place, the first of the file goes with the first, so that copies of a face stay with one body each.
    """
    axis = vertices[high] - vertices[low]
    axis = axis / np.linalg.norm(axis)
    aside = vertices[apex] - vertices[low]
    aside = aside - np.outer(aside @ axis, axis)
    x = aside[0] / max(float(np.linalg.norm(aside[0])), 1e-300)
    angle = np.arctan2(aside @ np.cross(axis, x), aside @ x)
    angle = np.round(np.mod(angle + 1e-7, 2 * np.pi), 6)
    going = sorted(range(len(apex)), key=lambda i: (angle[i], not forward[i], i))  # at one angle, close before opening
    depth, lowest, start = 0, 0, 0
    for i, which in enumerate(going):
        depth += -1 if forward[which] else 1
        if depth < lowest:
            lowest, start = depth, i + 1
    pairs: list[tuple[int, int]] = []
    waiting: list[int] = []
    for which in going[start:] + going[:start]:
        if forward[which]:
            own = next((w for w in reversed(waiting) if part[w] == part[which]), -1)
            if own < 0:
                own = next(w for w in waiting if angle[w] == angle[waiting[-1]])
            waiting.remove(own)
            pairs.append((own, which))
        else:
            waiting.append(which)
    return pairs


def _joined(shells: tuple[Shell, ...], surface: Surface) -> Body:
    if all(s.volume_mm3 == 0 for s in shells):
        return Body(unknown="it encloses nothing", overlapping=False)
    if _pairs(shells) > PAIRS_MOST:
        many = sum(s.volume_mm3 < 0 for s in shells)
        return Body(unknown=f"{many} parts are inside out, too many to tell cavities from bodies")
    met = contacts(surface.vertices, surface.faces, surface.shell)
    if met.gave_up:
        return Body(unknown=met.gave_up)
    wrong = inside_out(shells)
    numbers = {s.number for s in wrong}
    sorted_out = _bodies(shells, numbers)
    if sorted_out is None:
        return Body(unknown="its parts cross one another so that hollows cannot be told from bodies")
    bodies, hollows = sorted_out
    alone = sum(s.volume_mm3 for s in bodies) - sum(s.volume_mm3 for some in hollows.values() for s in some)
    knotted = len(met.pairs) or crowded_triangles(surface.edges.of_half, surface.edges.uses, surface.shell).any()
    if knotted:
        volume, centre = surface.enclosed(np.array(sorted(numbers), dtype=np.int64))
    elif not hollows and (len(shells) == 1 or (not met.near and _far_apart(bodies))):
        volume, centre = _summed(bodies)
    else:
        volume, centre = volume_and_centre(*_one(bodies, hollows))
    overlapping = abs(alone - volume) > OVERLAP_SHARE * volume
    looking_in = sum(s.volume_mm3 < 0 for s in wrong)
    return Body(volume, centre, overlapping, looking_in, sum(map(len, hollows.values())))


def as_one(vertices: Floats, faces: Ints, edges: Edges) -> Mesh:
    """One solid out of closed parts that share space, with the hollows that they have; `NotManifold` where it cannot be
    made."""
    shells, _ = _shells(vertices, faces, edges)
    sorted_out = _bodies(shells, {s.number for s in inside_out(shells)})
    if sorted_out is None:
        raise NotManifold("hollows cannot be told from bodies")
    return _one(*sorted_out)


def _bodies(shells: Sequence[Shell], turned: set[int]) -> tuple[list[Shell], dict[int, list[Shell]]] | None:
    """The shells that are bodies, some of them turned outwards, and the hollows of each, by its place among them; None
    where a hollow lies in none of them."""
    outward = [_turned(s) if s.number in turned else s for s in shells]
    bodies = [s for s in outward if s.volume_mm3 > 0]
    hollows: dict[int, list[Shell]] = {}
    for shell in outward:
        if shell.volume_mm3 < 0:
            home = next((i for i in reversed(range(len(bodies))) if _holds(bodies[i], shell)), None)
            if home is None:
                return None
            hollows.setdefault(home, []).append(_turned(shell))
    return bodies, hollows


def _one(bodies: Sequence[Shell], hollows: dict[int, list[Shell]]) -> Mesh:
    return union([difference(s.mesh, *(h.mesh for h in hollows.get(i, ()))) for i, s in enumerate(bodies)])


def _pairs(shells: Sequence[Shell]) -> int:
    """How many pairs of shells `inside_out` looks at, at most."""
    solid = sum(s.volume_mm3 > 0 for s in shells)
    turned = sum(s.volume_mm3 < 0 for s in shells)
    return solid * turned


def inside_out(shells: Sequence[Shell]) -> list[Shell]:
    """The shells that are the wrong way round: what looks inwards and lies in no body, and all that lies in such.

    So what is turned inside out as a whole has the hollows that it had, and a hollow of a sound body is none of them.
    """
    solid = [s for s in shells if s.volume_mm3 > 0]
    outermost = [s for s in shells if s.volume_mm3 < 0 and not any(_holds(body, s) for body in solid)]
    found = {s.number for s in outermost}
    return [s for s in shells if s.number in found or any(_holds(_turned(one), s) for one in outermost)]


def _far_apart(bodies: list[Shell]) -> bool:
    """Whether no box of one meets the box of another."""
    if len(bodies) > APART_MOST:
        return False
    low, high = np.array([b.low for b in bodies]), np.array([b.high for b in bodies])
    meet = np.ones((len(bodies), len(bodies)), dtype=bool)
    for k in range(3):
        meet &= low[:, None, k] <= high[None, :, k]
    return int((meet & meet.T).sum()) == len(bodies)


def _summed(bodies: list[Shell]) -> tuple[float, Point]:
    volume = sum(b.volume_mm3 for b in bodies)
    x, y, z = (sum(b.volume_mm3 * b.centre[k] for b in bodies) / volume for k in range(3))
    return volume, (x, y, z)


def _turned(shell: Shell) -> Shell:
    mesh = shell.mesh[0], shell.mesh[1][:, ::-1].copy()
    return replace(shell, mesh=mesh, volume_mm3=-shell.volume_mm3)


def _holds(outer: Shell, inner: Shell) -> bool:
    """Whether the inner shell lies within the outer one: its box does, and the outer winds once around its corners."""
    if (inner.low < outer.low).any() or (inner.high > outer.high).any():
        return False
    corners = inner.mesh[0]
    some = corners[np.linspace(0, len(corners) - 1, min(9, len(corners))).astype(int)]
    return bool(np.median([winding(outer.mesh, point) for point in some]) > 0.5)
