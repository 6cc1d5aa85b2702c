"""Contacts that are the rim on a face are put where the plane touches them: none of the rim stands over it then, the
target is carried, and no lower plane would lie over them.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim3d.ground.foot import CX, CY, RX, RY, Foot
from sim3d.mini import Base
from sim3d.space import Floats, Ints
from sim3d.statics.basis import plane_through, weights
from sim3d.statics.over import CORNER, FACE_ARC, to_base, to_table
from sim3d.statics.rim import along_rim

FAR_MM = 1e3
APART_MM = 1e-9
WIDE, CLOSE = np.linspace(-0.5, 0.5, 1001), np.linspace(-1e-3, 1e-3, 1001)  # radians from a contact
LOOKED_AT = np.concatenate([WIDE, CLOSE])  # between two of the close ones the rim rises by 1e-10 mm at most
NAMES = ("27", "50", "60x35")


class Case:
    """A leaning base, faces that each carry it somewhere at its rim, and a target that these contacts carry."""

    def __init__(self, name: str, seed: int) -> None:
        self.dice = np.random.default_rng(seed)
        self.foot = Foot.of(Base.named(name).outline)
        self.fx, self.fy = self.dice.normal(0, 0.4, 2)
        turn = self.dice.uniform(0, 6.28)
        self.ct, self.st = math.cos(turn), math.sin(turn)
        self.tris, self.features, self.basis = np.zeros((3, 3, 3)), np.zeros((3, 4), np.int64), np.zeros((3, 3))

    def rim(self, angle: float | Floats) -> Floats:
        """Where on the table the rim is, in directions."""
        e = self.foot.edges[0]
        qx, qy = e[CX] + e[RX] * np.cos(angle), e[CY] + e[RY] * np.sin(angle)
        pairs = [
            to_table(*q, self.fx, self.fy, self.ct, self.st) for q in np.column_stack([np.ravel(qx), np.ravel(qy)])
        ]
        return np.array(pairs)

    def face(self, number: int, place: Floats, slope: Floats, height: float) -> None:
        """A face about a place, wide enough."""
        for i in range(3):
            a = 2 * math.pi * i / 3 + 0.2
            x, y = place + FAR_MM * np.array([math.cos(a), math.sin(a)])
            self.tris[number, i] = x, y, height + slope @ np.array([x, y])

    def contact(self, i: int, number: int, angle: float, kind: int = FACE_ARC) -> None:
        """The rim in a direction, on a face."""
        (x, y), tri = self.rim(angle)[0], self.tris[number]
        self.basis[i] = x, y, on_face(tri, x, y)
        self.features[i, :2] = kind, number

    def placed(self, target: Floats) -> tuple[float, float]:
        """The plane's height over the target before and after."""
        before = self.over(target)
        edges = self.foot.edges
        along_rim(self.tris, self.features, self.basis, 0, *target, self.fx, self.fy, self.ct, self.st, edges, APART_MM)
        return before, self.over(target)

    def over(self, target: Floats) -> float:
        real, c, gx, gy = plane_through(self.basis)
        assert real
        return float(c + gx * target[0] + gy * target[1])

    def stands_over(self, number: int) -> float:
        """How far a face stands over the plane at the rim at most, near the contact there."""
        _, c, gx, gy = plane_through(self.basis)
        i = int(np.flatnonzero(self.features[:, 1] == number)[0])
        e = self.foot.edges[0]
        qx, qy = to_base(self.basis[i, 0], self.basis[i, 1], self.fx, self.fy, self.ct, self.st)
        middle = math.atan2((qy - e[CY]) / e[RY], (qx - e[CX]) / e[RX])
        places = self.rim(middle + LOOKED_AT)
        tri = self.tris[number]
        over = np.array([on_face(tri, x, y) - c - gx * x - gy * y for x, y in places])
        return float(over.max())

    def carries(self, target: Floats) -> bool:
        share = np.empty(3)
        return bool(weights(self.basis, *target, share)) and bool(share.min() >= -1e-6)


def on_face(tri: Floats, x: float, y: float) -> float:
    """A face's height over a place."""
    real, c, gx, gy = plane_through(tri)
    assert real
    return float(c + gx * x + gy * y)


def steep(dice: np.random.Generator, way: Floats) -> Floats:
    """A slope that rises outward, the way from the middle, and a little to the side."""
    out = way / np.hypot(*way)
    return dice.uniform(0.3, 1.5) * out + dice.normal(0, 0.1) * np.array([-out[1], out[0]])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(12))
def test_two_points_of_the_rim_and_a_corner_end_where_the_plane_touches(name: str, seed: int) -> None:
    case = Case(name, seed)
    angle, reach = case.dice.uniform(0, 6.28), case.foot.inner_mm
    place = case.rim(angle)[0]
    slope = steep(case.dice, place)
    case.face(0, place, slope, 5.0)
    corner = -0.5 * place + case.dice.normal(0, 0.1 * reach, 2)
    case.contact(0, 0, angle - case.dice.uniform(0.02, 0.3))
    case.contact(1, 0, angle + case.dice.uniform(0.02, 0.3))
    case.basis[2] = *corner, on_face(case.tris[0], *corner) + case.dice.uniform(1.0, 5.0)
    case.features[2, :2] = CORNER, 1
    target = 0.4 * (place - corner) + corner
    assert case.carries(target)
    before, after = case.placed(target)
    assert case.stands_over(0) < 5 * APART_MM
    assert case.carries(target)
    assert after > before + 1e-4
    apart = np.hypot(*(case.basis[0] - case.basis[1])[:2])
    assert apart < 1e-2
    assert list(case.basis[2, :2]) == list(corner)
    line = np.cross(np.append(target - corner, 0), np.append(case.basis[0, :2] - corner, 0))[2]
    assert abs(line) / np.hypot(*(target - corner)) < apart  # the target lies between both contacts


@pytest.mark.parametrize("name", NAMES)
def test_both_ends_of_a_groove_are_found_together(name: str) -> None:
    found = 0
    for seed in range(20):
        case = Case(name, 100 + seed)
        angle = case.dice.uniform(0, 6.28)
        one, two = case.rim(angle)[0], case.rim(angle + math.pi)[0]
        case.face(0, one, steep(case.dice, one), 1.0)
        case.face(1, two, steep(case.dice, two), 0.0)
        case.contact(0, 0, angle - case.dice.uniform(0.05, 0.3))
        case.contact(1, 0, angle + case.dice.uniform(0.05, 0.3))
        case.contact(2, 1, angle + math.pi + case.dice.normal(0, 0.1))
        target = np.array([0.3, 0.3, 0.4]) @ case.basis[:, :2]
        was = case.basis.copy()
        before, after = case.placed(target)
        if np.array_equal(case.basis, was):
            continue  # an oval may lie in it far from here
        found += 1
        assert after > before + 1e-5
        assert max(case.stands_over(0), case.stands_over(1)) < 5 * APART_MM
        assert case.carries(target)
    assert found >= 12


@pytest.mark.parametrize("name", NAMES)
def test_three_contacts_of_which_some_are_the_rim_agree_with_their_plane(name: str) -> None:
    found = 0
    for seed in range(30):
        case = Case(name, 200 + seed)
        angle, rims = case.dice.uniform(0, 6.28), 1 + seed % 3
        for i in range(3):
            way = angle + 2 * math.pi * i / 3
            place = case.rim(way)[0]
            case.face(i, place, steep(case.dice, place), case.dice.uniform(0, 2))
            case.contact(i, i, way + case.dice.normal(0, 0.1), FACE_ARC if i < rims else CORNER)
        was, target = case.basis.copy(), case.basis[:, :2].mean(axis=0)
        before, after = case.placed(target)
        if np.array_equal(case.basis, was):
            continue  # what touches moves to and fro: step by step, then
        found += 1
        assert after > before
        assert max(case.stands_over(i) for i in range(rims)) < 5 * APART_MM
        assert case.carries(target)
        assert np.array_equal(case.basis[rims:], was[rims:])
    assert found >= 15


@pytest.mark.parametrize("name", NAMES)
def test_the_plane_is_never_lower_over_the_target_afterwards(name: str) -> None:
    for seed in range(300):
        case = Case(name, 1000 + seed)
        for i in range(3):
            place = case.rim(case.dice.uniform(0, 6.28))[0]
            case.face(i, place, case.dice.normal(0, 3.0, 2), case.dice.normal(0, 5.0))
            case.contact(
                i,
                i if seed % 2 else i // 2,
                case.dice.uniform(0, 6.28),
                FACE_ARC if case.dice.random() < 0.8 else CORNER,
            )
        target = case.dice.dirichlet((1.0, 1.0, 1.0)) @ case.basis[:, :2]
        was = case.basis.copy()
        before, after = case.placed(target)
        assert np.array_equal(case.basis, was) or after > before
        assert case.carries(target)


def test_contacts_stay_where_the_place_is_not_on_the_face_or_all_are_one_face() -> None:
    case = Case("27", 3)
    place = case.rim(0.0)[0]
    case.face(0, place, steep(case.dice, place), 5.0)
    for i, angle in enumerate((-0.3, 0.3, math.pi)):
        case.contact(i, 0, angle)
    was: tuple[Floats, Ints] = case.basis.copy(), case.features.copy()
    case.placed(np.zeros(2))  # three of one face: the plane is that face, wherever they lie
    assert np.array_equal(case.basis, was[0])
    assert np.array_equal(case.features, was[1])
    corner = -0.5 * place
    case.basis[2] = *corner, on_face(case.tris[0], *corner) + 3.0
    case.features[2, :2] = CORNER, 1
    case.tris[0] = [
        [*case.basis[0, :2] * 1.5, 0.0],
        [*case.basis[0, :2] * 0.5, 0.0],
        [*corner * 3, -9.0],
    ]  # ends before
    kept = case.basis.copy()
    case.placed(0.3 * place)
    assert np.array_equal(case.basis, kept)
