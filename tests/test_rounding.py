"""A billionth of a millimetre changes no word, and no number by more than a hair: files are rounded."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim3d import Mini, Piece, Pose, Solid, Stand, Table, atlas, check, stand
from sim3d.solid.boolean import box
from sim3d.space import Floats, Ints
from sim3d.table import Placed

NOISE_MM = 1e-9
WEDGE: Floats = np.array(
    [[27, 10, 0], [27, 40, 0], [-13, 40, 0], [-13, 10, 0], [27, 40, 3.0100401625635165], [-13, 40, 3.0100401625635165]]
)
SIDES: Ints = np.array([[0, 2, 1], [0, 3, 2], [1, 2, 5], [1, 5, 4], [0, 1, 4], [3, 5, 2], [0, 4, 5], [0, 5, 3]])
PLACES = [(-5.61, -3.77, 90.0), (-3.401660391878106, -3.4582507315850286, 80.20491679024278)]


def shaken(vertices: Floats, seed: int) -> Floats:
    """The same corners, each a billionth of a millimetre elsewhere; seed 0: where they are."""
    moved: Floats = vertices + np.random.default_rng(seed).uniform(-NOISE_MM, NOISE_MM, vertices.shape) * (seed > 0)
    return moved


@pytest.mark.parametrize("mu", [0.1, 0.2])
@pytest.mark.parametrize("place", PLACES)
def test_across_the_foot_of_a_wedge_it_needs_the_same_friction(place: tuple[float, float, float], mu: float) -> None:
    x, y, turn = place
    needs = []
    for seed in range(12):
        on = Table(Table.of(Solid.of(shaken(WEDGE, seed), SIDES, name="wedge")).pieces, floor_mm=0.0)
        told = stand(on, Mini("50n", height=30, com=15), at=(x, y), turn=turn, friction=mu, physics="never")
        assert told.answer == "stable"
        check(told, on)
        needs.append(told.friction_needed)
    assert max(needs) - min(needs) < 1e-3  # where two corners carry alike, noise chooses one
    assert max(needs) == pytest.approx(math.tan(math.radians(5.73 / 2)), rel=0.1)  # two lines, each takes half


def test_half_over_an_edge_it_slides_where_the_plane_says() -> None:
    parts = [box((-36.03, 10.28, 0), (23.97, 10.68, 3)), box((-10, -42, 0), (20, 18, 3))]
    vertices = np.vstack([v for v, _ in parts])
    faces = np.vstack([parts[0][1], parts[1][1] + len(parts[0][0])])
    for seed in range(8):
        on = Table.of(Solid.of(shaken(vertices, seed), faces, name="t"))
        told = stand(on, Mini("32", height=30, com=15), at=(-6.77, 16.161), turn=90.0, friction=1.25, physics="never")
        assert told.slip_deg == pytest.approx(math.degrees(math.atan(1.25)), abs=1e-4)


def groove(left_deg: float, right_deg: float, half_mm: float, turn_deg: float) -> Solid:
    """A flat floor between two slopes along y, each of its planes with an edge right under y = 0; turned about z."""
    rise = [60 * math.tan(math.radians(deg)) for deg in (left_deg, right_deg)]
    section = [(-half_mm - 60, rise[0]), (-half_mm, 0.0), (half_mm, 0.0), (half_mm + 60, rise[1])]
    corners = [(x, y, 20 + z) for y in (-60.0, 0.0, 60.0) for x, z in section]
    quads = [4 * j + i for j in range(2) for i in range(3)]
    faces = [f for k in quads for f in ((k, k + 1, k + 4), (k + 1, k + 5, k + 4))]
    return Solid.of(Pose.at(0, 0, turn=turn_deg).apply(corners), faces, name="groove")


def least_friction(told: Stand, com: Floats) -> float:
    """What two contacts in an upright plane with the centre of mass need: their forces meet right over or under it."""
    one, other = told.contacts
    along = np.array(other.place)[:2] - np.array(one.place)[:2]
    along /= np.linalg.norm(along)
    least = math.inf
    heights = np.concatenate([com[2] + np.linspace(-400, 400, 400_001), com[2] + np.geomspace(400, 1e9, 10_000)])
    for part in (heights, 2 * com[2] - heights[400_001:]):
        worst = np.zeros(len(part))
        for contact in (one, other):
            across, up = float((com - contact.place)[:2] @ along), part - contact.place[2]
            normal = math.atan2(float(np.array(contact.normal)[:2] @ along), contact.normal[2])
            lean = np.arctan2(across * np.sign(up), np.abs(up))
            worst = np.maximum(worst, np.abs(np.tan(lean - normal)))
        least = min(least, float(worst.min()))
    return least


@pytest.mark.parametrize("seed", range(3))
def test_across_a_groove_its_rim_carries_it_on_both_sides(seed: int) -> None:
    """How it leans is known to a millionth, by which it touches a tenth of a micron aside: "slides, needs inf"."""
    rng = np.random.default_rng(seed)
    words = set()
    for _ in range(10):
        left, right, half, turn = *rng.uniform(6, 28, 2), rng.choice([0.0, rng.uniform(0, 12)]), rng.uniform(0, 360)
        on = Table(Table.of(groove(left, right, half, turn)).pieces, floor_mm=0.0)
        mini = Mini(str(rng.choice(["27", "32", "40", "50"])), height=40, com=float(rng.uniform(6, 25)))
        x, y, _ = Pose.at(0, 0, turn=turn).apply([[rng.uniform(-11, 11), 0, 0]])[0]
        told = stand(on, mini, at=(x, y), turn=rng.uniform(0, 360), friction=1.25, physics="never")
        words.add(told.answer)
        check(told, on)
        assert told.pose is not None
        if len(told.contacts) == 2:
            com = told.pose.apply([mini.com])[0]
            assert told.friction_needed == pytest.approx(least_friction(told, com), abs=2e-4)
    assert words <= {"stable", "precarious"}


@pytest.mark.parametrize("words_only", [False, True])
def test_a_map_of_a_groove_tells_what_stand_tells(words_only: bool) -> None:
    """The search on the map's own triangles went to and fro there, and nobody asked the exact solver: "undecided"."""
    on = Table(Table.of(groove(19.4, 12.5, 8.433, 0.0)).pieces, floor_mm=0.0)
    mini = Mini("32", height=48, com=19.2)
    seen = atlas(on, mini, pitch=5.0, area=(-5, 0, 20, 0), turns=(118.0,), words_only=words_only)
    told = [stand(on, mini, at=(x, 0), turn=118.0, physics="never").answer for x in range(-5, 25, 5)]
    assert [list(row) for row in seen.answers] == [told]
    assert set(told) == {"stable"}


def test_without_friction_level_ground_holds_however_it_is_stored() -> None:
    vertices, faces = box((-40, -40, 0), (40, 40, 3))
    for seed in range(6):
        pose = Pose.turned(np.random.default_rng(seed).normal(size=3), 50.0 + seed)
        piece = Piece("t", Solid.of(pose.inverse().apply(vertices), faces, name="t"), pose)
        told = stand(Table((piece,), floor_mm=None), Mini("27", height=30), at=(0, 0), friction=0.0, physics="never")
        assert told.answer == "stable"


@pytest.mark.parametrize("towards", [0.0, 11.0, 23.7, 57.3])
@pytest.mark.parametrize("bases", [("27", "27"), ("50", "25"), ("160", "27")])
def test_two_minis_overlap_by_a_fifth_of_a_millimetre_whichever_way(bases: tuple[str, str], towards: float) -> None:
    mine, theirs = (Mini(name, height=30) for name in bases)
    apart = mine.base.outline.reach_mm() + theirs.base.outline.reach_mm()
    for deep, word in ((0.19, "stable"), (0.21, "blocked")):
        far = apart - deep
        at = far * math.cos(math.radians(towards)), far * math.sin(math.radians(towards))
        told = stand(Table((), floor_mm=0.0, minis=(Placed("other", theirs, at),)), mine, at=(0, 0), physics="never")
        assert told.answer == word
