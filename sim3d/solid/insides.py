"""What of a surface has an inside: its shells, told apart, so that a ray up tells whether a point is inside of one.

Shells that overlap are told apart: whoever is inside of two leaves through two walls, and is no less inside. A cavity
goes with the shell around it. Small holes take no part's inside: where one edge meets two, or a triangle is missing.
Triangles that are drawn on both sides count once, a wall within a part that is drawn once not at all. What has a wide
border is asked of `bells`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.solid.joined import joined
from sim3d.solid.survey import Edges, cross_of, edges_of, parts_by_corner
from sim3d.solid.volume import PAIRS_MOST, paired
from sim3d.solid.wrapped import winding
from sim3d.space import Bools, Floats, Ints

CROWDED_MOST = 5000  # edges with more than two triangles that are sorted out one by one
HOLE_MM2, HOLE_SHARE = 10.0, 1e-3  # holes of a part that are smaller, and a smaller share of its surface, are cracks
LOOKS_MOST = 10_000_000  # at triangles from walls that may lie within: some seconds; beyond it the largest stay
NONE = -1


class Insides(NamedTuple):
    """Of each triangle the shell that it bounds (NONE: it has no inside), and whether that knows its outside."""

    shell: Ints
    sided: Bools


def insides_of(vertices: Floats, faces: Ints, edges: Edges) -> Insides:
    """The shells of a surface; `edges` are those of the same faces."""
    if not len(faces):
        return Insides(np.zeros(0, np.int64), np.zeros(0, np.bool_))
    backs = _linings(vertices, faces, edges)
    if not backs.any():
        if edges.closed and not len(edges.miswound) and len(edges.crowded) <= CROWDED_MOST:
            one, other = paired(vertices, faces, edges)
            _, shell = joined(len(faces), one % len(faces), other % len(faces))
            return Insides(_with_cavities(vertices, faces, shell), np.ones(len(faces), np.bool_))
        backs = _backs(faces, edges)
    if backs.any():
        return _without(backs, vertices, faces)
    parts = Parts.of(vertices, faces, edges)
    shut = parts.shut(parts.border, HOLE_MM2, HOLE_SHARE)
    if not shut.all():
        inner = inner_walls(vertices, faces, edges) & ~shut[parts.part]
        if inner.any():
            return _without(inner, vertices, faces)
        hangs = _hanging(parts, faces) & ~shut[parts.part]
        if hangs.any():
            return _without(hangs, vertices, faces)
    alike = np.ones(parts.many, np.bool_)
    alike[parts.of_edge[edges.miswound]] = False
    return Insides(np.where(shut[parts.part], parts.part, NONE), (shut & alike)[parts.part])


def _without(left_out: Bools, vertices: Floats, faces: Ints) -> Insides:
    """The shells of what is left of a surface; triangles that are left out bound none."""
    front = faces[~left_out]
    seen = insides_of(vertices, front, edges_of(front, len(vertices)))
    told = Insides(np.full(len(faces), NONE), np.zeros(len(faces), np.bool_))
    told.shell[~left_out], told.sided[~left_out] = seen
    return told


class Parts(NamedTuple):
    """The loose parts of a surface, with their borders."""

    vertices: Floats
    edges: Edges
    many: int
    part: Ints  # of each triangle
    of_edge: Ints  # of each edge
    areas: Floats  # of each part, mm²
    border: Ints  # the edges beyond which the surface does not go on

    @staticmethod
    def of(vertices: Floats, faces: Ints, edges: Edges) -> Parts:
        """Those of a surface; `edges` are those of the same faces."""
        many, part = parts_by_corner(faces, len(vertices))
        of_edge = np.empty(len(edges.ends), np.int64)
        of_edge[edges.of_half] = np.tile(part, 3)
        areas = np.zeros(many)
        np.add.at(areas, part, np.linalg.norm(cross_of(vertices, faces), axis=1) / 2)
        return Parts(vertices, edges, many, part, of_edge, areas, np.flatnonzero(edges.uses % 2))

    def shut(self, border: Ints, most_mm2: float, share: float) -> Bools:
        """Which parts are open by no more than so much, and such a share, where of all borders only some are left."""
        holes = _holes_mm2(self.vertices, self.edges, border, self.of_edge, self.many)
        return (holes < most_mm2) & (holes <= share * self.areas)


class Sheets(NamedTuple):
    """What is drawn on both sides, in sheets that look one way: a wall's front is of one sheet, its back of another."""

    faces: Ints  # (k,) the triangles that are drawn once, and once turned round
    sheet: Ints  # (k,) which one each is of
    back: Ints  # (k,) where in `faces` its other side is
    inner: Bools  # (k,) whether the sheet goes on over all of its edges


def _sheets(faces: Ints, edges: Edges) -> Sheets:
    """Each goes on where two such walls meet at an edge, and nothing else does: each side by what runs on."""
    halves = edges.of_half.reshape(3, -1).T  # of each triangle its edges: 0-1, 1-2, 2-0
    drawn = np.flatnonzero((edges.uses > 2)[halves].any(axis=1))
    _, same, many = np.unique(np.sort(faces[drawn], axis=1), axis=0, return_inverse=True, return_counts=True)
    same = same.ravel()
    forth = faces[drawn] < faces[drawn][:, (1, 2, 0)]
    turned = np.bincount(same, np.where(forth.sum(axis=1) == 2, 1, -1), len(many))
    both = (many[same] == 2) & (turned[same] == 0)
    drawn, same, forth = drawn[both], same[both], forth[both]
    if not len(drawn):
        return Sheets(drawn, drawn, drawn, np.zeros(0, np.bool_))
    walls = np.bincount(halves[drawn].ravel(), minlength=len(edges.uses))
    on = ((walls == 4) & (edges.uses == 4))[halves[drawn]]
    which, wall = np.repeat(np.arange(len(drawn))[:, None], 3, axis=1)[on], np.repeat(same[:, None], 3, axis=1)[on]
    four = which[np.lexsort((forth[on], wall, halves[drawn][on]))].reshape(-1, 4)  # of each wall back, forth
    _, sheet = joined(len(drawn), four[:, (0, 1)].ravel(), four[:, (3, 2)].ravel())
    pairs = np.argsort(same, kind="stable").reshape(-1, 2)
    back = np.empty(len(drawn), np.int64)
    back[pairs] = pairs[:, ::-1]
    return Sheets(drawn, sheet, back, on.all(axis=1))


def _linings(vertices: Floats, faces: Ints, edges: Edges) -> Bools:
    """Which triangles line a part that is drawn on both sides all over: the sheet that looks inward, as its back.

    With both it bounds nothing, and no edge tells which side is which. Of two sheets without a border, one the back of
    the other, that looks inward whose volume is negative.
    """
    lining = np.zeros(len(faces), np.bool_)
    if not len(edges.crowded):
        return lining
    drawn, sheet, back, inner = _sheets(faces, edges)
    if not len(drawn):
        return lining
    corners = vertices[faces[drawn]] - vertices.mean(axis=0)
    volume = np.bincount(sheet, np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])))[sheet]
    bordered = np.zeros(len(drawn), np.bool_)
    bordered[sheet[~inner | (sheet == sheet[back])]] = True
    less = (volume < volume[back]) | ((volume == volume[back]) & (sheet > sheet[back]))
    lining[drawn] = less & ~bordered[sheet]
    return lining


def _backs(faces: Ints, edges: Edges) -> Bools:
    """Which triangles only repeat another one, as the back of a wall that is drawn on both sides: they bound nothing.

    Two parts may share a face and need it each. So copies that hang together are left out where fewer edges are left
    that an odd number of triangles uses; of two the one that runs its edges the way that one too many does, all of its
    sheet together; of more those that look the other way than most.
    """
    backs = np.zeros(len(faces), np.bool_)
    if not len(edges.crowded):
        return backs
    _, same, many = np.unique(np.sort(faces, axis=1), axis=0, return_inverse=True, return_counts=True)
    same = same.ravel()
    copied = np.flatnonzero(many[same] > 1)
    if not len(copied):
        return backs
    halves = edges.of_half.reshape(3, -1).T
    ways = np.where(faces < faces[:, (1, 2, 0)], 1, -1)
    looks = ways.sum(axis=1)  # 1 or -1, and of its other side the opposite
    fewest = looks * np.bincount(same, looks)[same] < 0
    excess = (ways * (2 * edges.forward - edges.uses)[halves]).sum(axis=1)
    sheets = _sheets(faces, edges)
    excess[sheets.faces] = np.bincount(sheets.sheet, excess[sheets.faces])[sheets.sheet]
    order = copied[np.lexsort((copied, excess[copied], fewest[copied], same[copied]))]
    again = order[1:][same[order[1:]] == same[order[:-1]]]  # all but the first of each
    fewer = edges.uses - np.bincount(halves[again].ravel(), minlength=len(edges.uses))
    _, group = joined(len(edges.uses), halves[again][:, (0, 1)].ravel(), halves[again][:, (1, 2)].ravel())
    won = np.bincount(group, edges.uses % 2 - fewer % 2)
    backs[again[won[group[halves[again, 0]]] > 0]] = True
    return backs


def inner_walls(vertices: Floats, faces: Ints, edges: Edges) -> Bools:
    """Which triangles only part an inside in two, as a floor drawn once halfway up a tower: a ray counts them in vain.

    Such a sheet ends all round where three triangles meet or more, and lies within what the others enclose. Without an
    edge of an odd number of them nothing is sought: parts that touch have their walls twice.
    """
    inner = np.zeros(len(faces), np.bool_)
    crowded, two = edges.uses > 2, edges.uses == 2
    if not (edges.uses[crowded] % 2).any():
        return inner
    which, sides = np.repeat(np.arange(len(faces)), 3), edges.of_half.reshape(3, -1).T.ravel()
    many, sheet = _sheets_over_two(faces, edges)
    ends = np.bincount(sheet[which], crowded[sides], many) > 0
    ends[sheet[which[~(two | crowded)[sides]]]] = False
    areas = np.bincount(sheet, np.linalg.norm(cross_of(vertices, faces), axis=1), many)
    some = np.flatnonzero(ends)
    for one in some[np.argsort(areas[some], kind="stable")][: LOOKS_MOST // (3 * len(faces))].tolist():
        mine = np.flatnonzero(sheet == one)
        points = vertices[faces[mine[[0, len(mine) // 2, -1]]]].mean(axis=1)
        rest = faces[~inner & (sheet != one)]
        inner[mine] = np.median([abs(winding((vertices, rest), point)) for point in points]) > 0.5
    return inner


def _sheets_over_two(faces: Ints, edges: Edges) -> tuple[int, Ints]:
    """How many sheets there are that go on where two triangles meet and no others, and of which each triangle is."""
    which, sides = np.repeat(np.arange(len(faces)), 3), edges.of_half.reshape(3, -1).T.ravel()
    on = (edges.uses == 2)[sides]
    pairs = which[on][np.argsort(sides[on], kind="stable")].reshape(-1, 2)
    return joined(len(faces), pairs[:, 0], pairs[:, 1])


def _hanging(parts: Parts, faces: Ints) -> Bools:
    """Which triangles only hang on what is closed without them, as a flag on a rock or a brim round a tower."""
    uses, which = parts.edges.uses, np.repeat(np.arange(len(faces)), 3)
    sides = parts.edges.of_half.reshape(3, -1).T.ravel()
    many, sheet = _sheets_over_two(faces, parts.edges)
    hangs = (np.bincount(sheet[which], (uses == 1)[sides], many) > 0)[sheet]
    left = np.bincount(sides, ~hangs[which], len(uses))
    closed = np.bincount(parts.of_edge, left % 2, parts.many) == 0
    closed &= np.bincount(parts.part, ~hangs, parts.many) > 0
    found: Bools = hangs & closed[parts.part]
    return found


def _holes_mm2(vertices: Floats, edges: Edges, border: Ints, part: Ints, parts: int) -> Floats:
    """For each part the area of the holes that its borders go round: none where they run back on themselves.

    A border may lack what something else closes: then it is looked at from one of its ends, which closes it straight.
    With more ends than two, openings meet, as at the peak of a tent: what one takes from the other is no less open.
    """
    a, b = edges.ends[border].T
    once = 2 * edges.forward[border] - edges.uses[border]  # from low to high more often than back, or less
    loops, loop = joined(len(vertices), a, b)
    first = np.zeros(loops, np.int64)
    first[loop[a]] = a
    ends = np.flatnonzero(np.bincount(np.concatenate([a, b]), minlength=len(vertices)) % 2)
    first[loop[ends]] = ends
    middle = vertices[first[loop[a]]]
    fans = np.cross(vertices[a] - middle, vertices[b] - middle) * once[:, None] / 2
    around = np.column_stack([np.bincount(loop[a], fans[:, k], loops) for k in range(3)])
    meet = np.bincount(loop[ends], minlength=loops) > 2
    each = np.bincount(loop[a], np.linalg.norm(fans, axis=1), loops)
    holes = np.zeros(parts)
    owner = np.zeros(loops, np.int64)
    owner[loop[a]] = part[border]
    np.add.at(holes, owner, np.where(meet, each, np.linalg.norm(around, axis=1)))
    return holes


def _with_cavities(vertices: Floats, faces: Ints, shell: Ints) -> Ints:
    """The shells with every cavity as part of the shell around it: it looks the other way than the largest."""
    shells = int(shell.max()) + 1
    if shells == 1:
        return shell
    corners = vertices[faces] - vertices.mean(axis=0)
    volumes = np.bincount(shell, np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])), shells)
    turned = volumes * volumes[np.abs(volumes).argmax()] < 0.0
    if not turned.any() or int(turned.sum()) * int((~turned).sum()) > PAIRS_MOST:
        return shell  # too many to tell: then each is something solid, which is in the way
    low, high = np.full((shells, 3), math.inf), np.full((shells, 3), -math.inf)
    np.minimum.at(low, shell, vertices[faces].min(axis=1))
    np.maximum.at(high, shell, vertices[faces].max(axis=1))
    home = np.arange(shells)
    by_size = np.argsort(np.abs(volumes), kind="stable")
    for cavity in np.flatnonzero(turned).tolist():
        for outer in by_size[~turned[by_size]].tolist():
            if (low[outer] > low[cavity]).any() or (high[outer] < high[cavity]).any():
                continue
            points = vertices[np.unique(faces[shell == cavity])]
            some = points[np.linspace(0, len(points) - 1, min(9, len(points))).astype(int)]
            if np.median([abs(winding((vertices, faces[shell == outer]), point)) for point in some]) > 0.5:
                home[cavity] = outer
                break
    return home[shell]
