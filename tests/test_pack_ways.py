"""Ways over and under real meshes: thin walls shut a yard off at any pitch, and doors under a lintel open it."""

from __future__ import annotations

import numpy as np
import pytest

from sim3d.atlas import atlas
from sim3d.finding import Report, run
from sim3d.mini import Mini
from sim3d.pack.ground import tops
from sim3d.pack.looking import looked, table_of
from sim3d.pack.manifest import UseForm, mini_of
from sim3d.pack.standing import STANDING, Seen
from sim3d.solid.boolean import Mesh, box, union
from sim3d.table import Table
from sim3d.view.maps import unreachable
from tests.codes import fires, silent
from tests.packs import inside_out, subject, together

HIGH = 60.0
LOW = {"scalable": False}  # a base rises a step of 21 mm only
INSIDE = (0.0, 36.0)


def yard(wall: float, *, gate: float = 0.0, head: float = HIGH, at: float = 0.0) -> list[Mesh]:
    """A slab with a yard of 70 by 52 mm behind walls, and a gate in the one along x, under a lintel above `head`."""
    y = at - wall / 2, at + wall / 2
    walls = [
        box((-40, y[0], 0), (-gate / 2, y[1], HIGH)),
        box((gate / 2, y[0], 0), (40, y[1], HIGH)),
        box((-35 - wall, at, 0), (-35, 52 + wall, HIGH)),
        box((35, at, 0), (35 + wall, 52 + wall, HIGH)),
        box((-35 - wall, 52, 0), (35 + wall, 52 + wall, HIGH)),
    ]
    lintel = [box((-gate / 2 - 1, y[0], head), (gate / 2 + 1, y[1], HIGH))] if head < HIGH else []
    return [box((-65, -50, -3), (65, 82, 0.5)), *walls, *lintel]


def ground(mesh: Mesh, pitch: float) -> Seen:
    piece = subject(mesh, said=LOW)
    use = UseForm(step=21.0)
    object.__setattr__(piece, "use", use)
    return Seen(piece, looked(piece, table_of(piece), mini_of("27", use), pitch))


def gets_in(seen: Seen) -> bool:
    g = seen.ground
    j, i = (round((v - low) / g.pitch_mm) for v, low in zip(INSIDE[::-1], (g.y0, g.x0), strict=True))
    assert g.word[0, j, i] == "stable"
    return bool(seen.reached(seen.up_mm)[:, j, i].any())


def told(seen: Seen) -> Report:
    return run(STANDING, seen)


FINE = {"marks": pytest.mark.slow}  # cells nearer to each other, and many more of them
PITCHES = [3.0, pytest.param(2.0, **FINE)]


@pytest.mark.parametrize(
    ("wall", "pitch"), [(0.4, 4.0), *(pytest.param(0.8, p, **FINE) for p in (1.5, 1.0)), (0.8, 3.0), (2.0, 4.0)]
)
def test_no_base_walks_through_a_wall_however_thin(wall, pitch):
    for at in (0.0, pitch / 2, 0.31):  # on the middles of cells, between them, and anywhere
        shut = ground(together(*yard(wall, at=at)), pitch)
        assert not gets_in(shut)
    assert fires("AREA_UNREACHABLE", told(shut))
    assert gets_in(ground(together(*yard(wall, gate=34)), pitch))


@pytest.mark.parametrize(
    ("wall", "pitch"),
    [(1.0, 3.0), (8.0, 4.0), (15.0, 3.0), *(pytest.param(*at, **FINE) for at in ((8.0, 1.5), (8.0, 1.0), (14.0, 2.0)))],
)
def test_a_door_under_a_lintel_is_a_way(wall, pitch):
    # A mini on 27 is 40.5 mm high: the door is 49.5 mm high over the slab, and less than a storey.
    through = ground(union(yard(wall, gate=40, head=50)), pitch)
    assert gets_in(through)
    for gate, head in ((40, 39.5), (26, 50)):  # too low for the mini; too narrow for its base
        shut = ground(union(yard(wall, gate=gate, head=head)), pitch)
        assert not gets_in(shut), (gate, head)
    assert fires("AREA_UNREACHABLE", told(shut))


@pytest.mark.parametrize("pitch", PITCHES)
def test_a_yard_one_drops_into_is_a_trap_without_a_door(pitch):
    steps = [box((24, -40, -3), (55 + 30 * k, -4, 57 - 20 * k)) for k in range(3)]  # 20 mm each, up to the wall
    trap = ground(union([*yard(8), *steps]), pitch)
    assert fires("ROOF_TRAP", told(trap))
    assert silent("ROOF_TRAP", told(ground(union([*yard(8, gate=40, head=50), *steps]), pitch)))


@pytest.mark.parametrize("pitch", PITCHES)
def test_a_yard_on_the_bare_table_is_shut_off_by_its_walls_too(pitch):
    """Its ground is the table's own, but nobody begins in it."""
    steps = [box((24, -40, 0), (55 + 30 * k, -4, 57 - 20 * k)) for k in range(3)]
    trap = told(ground(union([*yard(8)[1:], *steps]), pitch))
    assert fires("ROOF_TRAP", trap)
    assert next(f for f in trap if f.code == "ROOF_TRAP").places[0].z == pytest.approx(0, abs=0.1)
    assert silent("ROOF_TRAP", told(ground(union([*yard(8, gate=40, head=50)[1:], *steps]), pitch)))
    gallery = box((-56, 26, 0), (56, 66, 20))  # a step up from the yard
    for gate, word in ((0.0, False), (40.0, True)):
        assert gets_in(ground(union([*yard(8, gate=gate, head=50)[1:], gallery]), pitch)) == word


def test_nobody_comes_down_through_the_top_of_a_hollow_print():
    shell = [box((-60, y, 0), (60, y + 2, 48)) for y in (-50, 48)]
    shell += [box((x, -50, 0), (x + 2, 50, 48)) for x in (-60, 58)] + [box((-60, -50, 48), (60, 50, 50))]
    steps = [box((59, -20, 0), (150 - 30 * k, 20, 20 + 20 * k)) for k in range(2)]
    hollow = ground(union([*shell, *steps]), 2.0)
    assert hollow.reached(hollow.up_mm)[hollow.ground.height > 49].all()  # its top
    assert silent("ROOF_TRAP", told(hollow))


@pytest.mark.parametrize(
    ("slab", "roof", "eaves", "ats"),
    [
        (3, 60, 0, (0.0, 0.31, 1.0)),
        (3, 60, 4, (0.31,)),
        (20, 80, 20, (1.0,)),
        pytest.param(3, 60, 4, (0.0, 1.0), **FINE),
        pytest.param(20, 80, 20, (0.0, 0.31), **FINE),
    ],
)
def test_a_floor_under_a_roof_is_walked_onto_over_its_edge(slab, roof, eaves, ats):
    """On the very edge, where cells have their middles, nobody can tell whether a base stays, and beyond it none does:
    it goes over both all the same. So a hall on four posts is open, wherever it stands, and not if it has walls."""
    posts = [box((x - 2, y - 2, 0), (x + 2, y + 2, roof)) for x in (-38, 38) for y in (-38, 38)]
    half = 40 + eaves
    hall = [box((-40, -40, 0), (40, 40, slab)), *posts, box((-half, -half, roof), (half, half, 99))]
    slit = [box((-40, y - 0.2, 0), (40, y + 0.2, roof)) for y in (-39.8, 39.8)]
    slit += [box((x - 0.2, y, 0), (x + 0.2, y + 28, roof)) for x in (-39.8, 39.8) for y in (-40, 12)]  # a door of 24 mm
    for at in ats:
        for parts, word in ((hall, True), ([*hall, *slit], False)):
            corners, triangles = union(parts)
            g = ground((corners + np.array([at, at, 0]), triangles), 2.0)
            on = g.ground.is_word("stable") & (np.abs(g.ground.height - slab) < 0.5)
            assert on.any()
            assert bool((g.reached(g.up_mm) & on).any()) == word, (at, word)


@pytest.mark.parametrize(("hatch", "word"), [(0.0, False), (50.0, True)])
@pytest.mark.parametrize("pitch", PITCHES)
def test_a_room_is_reached_through_a_hatch_in_its_roof_and_not_through_the_roof(hatch, word, pitch):
    """Steps of 20 mm lead onto the roof of a room that has no door."""
    walls = [box((-60, y, 0), (60, y + 8, HIGH)) for y in (-60, 52)]
    walls += [box((x, -60, 0), (x + 8, 60, HIGH)) for x in (-60, 52)]
    h, low, high = hatch / 2, HIGH, HIGH + 4
    roof = [box((-60, -60, low), (60, -h, high)), box((-60, h, low), (60, 60, high))]
    roof += [box((-60, -60, low), (-h, 60, high)), box((h, -60, low), (60, 60, high))]
    steps = [box((59, -60, -3), (150 - 30 * k, -20, 20 + 20 * k)) for k in range(3)]
    room = ground(union([box((-90, -90, -3), (160, 90, 0.5)), *walls, *roof, *steps]), pitch)
    told, g = room.reached(room.up_mm), room.ground
    j, i = round(-g.y0 / pitch), round((30 - g.x0) / pitch)
    assert g.height[:, j, i] == pytest.approx([HIGH + 7, 3.5])
    assert told[:, j, i].tolist() == [True, word]


@pytest.mark.parametrize("pitch", PITCHES)
def test_how_a_door_was_modelled_is_its_makers_choice(pitch):
    parts = yard(8, gate=40, head=50)
    mixed = [inside_out(part) if k % 2 else part for k, part in enumerate(parts)]
    for mesh in (union(parts), inside_out(together(*parts)), together(*mixed)):
        assert gets_in(ground(mesh, pitch))
    shut = yard(8, gate=40, head=30)
    mixed = [inside_out(part) if k % 2 else part for k, part in enumerate(shut)]
    for mesh in (union(shut), inside_out(together(*shut)), together(*mixed)):
        assert not gets_in(ground(mesh, pitch))
    for some, word in ((parts, True), (shut, False)):
        bottomless = [(corners, triangles[2:]) for corners, triangles in some[1:]]
        assert gets_in(ground(together(some[0], *bottomless), pitch)) == word


def test_where_a_base_stands_under_a_lintel_is_a_storey_of_its_own():
    through = ground(together(*yard(8, gate=40, head=50)), 2.0).ground
    assert len(through.height) == 2
    y, x = np.nonzero(through.word[1] == "stable")
    # Its base of 27 has 40 mm, and leaves or touches the lintel 13.5 mm before and behind the wall.
    assert np.abs(through.x0 + x * 2.0).max() == 6.0
    assert np.abs(through.y0 + y * 2.0).max() <= 4 + 13.5
    assert through.height[1][y, x] == pytest.approx(3.5)
    assert through.tilt[1][y, x] == pytest.approx(0.0)


def test_the_way_through_a_door_is_drawn_too():
    mini = Mini("27")
    for head, word in ((50, True), (30, False)):
        corners, triangles = together(*yard(8, gate=40, head=head))
        corners[corners[:, 2] == HIGH, 2] = 200.0  # a map's minis climb, but not so high
        piece = subject((corners, triangles))
        table = Table(pieces=table_of(piece).pieces, floor_mm=-3.0)
        made = atlas(table, mini, pitch=3.0, levels=True, words_only=True)
        (cells, *_) = unreachable(table, made, mini, range(len(made.layers)))
        j, i = round(INSIDE[1] / 3) - made.first[1], round(INSIDE[0] / 3) - made.first[0]
        assert bool(cells[j, i]) != word


# --- how high terrain reaches over a cell -----------------------------------------------------------------------------


def _clipped(ring: list[np.ndarray], axis: int, low: float, high: float) -> list[np.ndarray]:
    for sign, limit in ((1, low), (-1, -high)):
        over = [sign * p[axis] - limit for p in ring]
        kept = []
        for k, p in enumerate(ring):
            n = (k + 1) % len(ring)
            if over[k] >= -1e-12:
                kept.append(p)
            if over[k] * over[n] < 0:
                kept.append(p + (ring[n] - p) * over[k] / (over[k] - over[n]))
        ring = kept
        if not ring:
            break
    return ring


@pytest.mark.parametrize("seed", range(12))
def test_tops_are_the_highest_points_of_clipped_triangles(seed):
    rng = np.random.default_rng(seed)
    corners = np.round(rng.uniform(-6, 6, (9, 3)), seed % 4)  # on the rims of cells, too
    corners[:, 2] = np.abs(corners[:, 2])
    if seed % 3 == 0:
        corners[1::3, :2] = corners[::3, :2]  # upright
    pitch, (x0, y0) = (1.0, 0.7, 2.0)[seed % 3], np.round(rng.uniform(-7, -3, 2), 1).tolist()
    found = tops(corners, np.arange(9).reshape(3, 3), pitch, (x0, y0), (7, 9))
    for j in range(7):
        for i in range(9):
            x, y, high = x0 + i * pitch, y0 + j * pitch, 0.0
            for triangle in corners.reshape(3, 3, 3):
                ring = _clipped(list(triangle), 0, x - pitch / 2, x + pitch / 2)
                ring = _clipped(ring, 1, y - pitch / 2, y + pitch / 2) if ring else []
                high = max([high, *(float(p[2]) for p in ring)])
            assert found[j, i] == pytest.approx(high, abs=1e-6)
