"""The standing checks on grounds made by hand: each fires on its defect and is silent on the near miss beside it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sim3d.atlas import Audit, Contradicted, atlas
from sim3d.finding import run
from sim3d.forge.shapes import prism
from sim3d.mini import Mini
from sim3d.pack import BROKEN, How, read_pack, validate
from sim3d.pack.ground import Ground, ground_of, ground_over, leaves, reached, tops
from sim3d.pack.looking import table_of
from sim3d.pack.manifest import UseForm, mini_of
from sim3d.pack.passage import narrowest
from sim3d.pack.standing import STANDING, Seen, expect_not_standable, judged
from sim3d.solid import Solid
from sim3d.solid.boolean import box, union
from sim3d.stand import stand
from sim3d.table import Table
from tests.codes import fires, silent
from tests.packs import HEAD, crate, on_legs, pack_of, subject, written

PITCH = 2.0
WIDTH = 27.0


def plot(cells: int = 100, pitch: float = PITCH) -> Ground:
    """A square of bare table, so many cells wide."""
    shape = (1, cells, cells)
    return Ground(
        base="27",
        width_mm=WIDTH,
        pitch_mm=pitch,
        x0=-pitch * (cells - 1) / 2,
        y0=-pitch * (cells - 1) / 2,
        height=np.zeros(shape),
        word=np.full(shape, "stable", dtype="<U10"),
        tilt=np.zeros(shape),
        top=np.zeros(shape[1:]),
    )


def block(g: Ground, x0: float, y0: float, x1: float, y1: float, height: float, *, word: str = "stable") -> Ground:
    """A block on it: a base's middle stands on its top, and not within half a base outside its walls."""
    x = g.x0 + np.arange(g.height.shape[2]) * g.pitch_mm
    y = g.y0 + np.arange(g.height.shape[1]) * g.pitch_mm

    def within(more: float) -> np.ndarray:
        across = (x >= x0 - more) & (x <= x1 + more)
        return across[None, :] & ((y >= y0 - more) & (y <= y1 + more))[:, None]

    near = within(WIDTH / 2) & (g.height[0] < height)
    on = within(0.0)
    g.height[0][near], g.word[0][near] = np.nan, ""
    g.height[0][on], g.word[0][on] = height, word
    g.top[on] = height
    return g


def heard(g: Ground, *, said=None, use=None, mesh=None):
    piece = subject(mesh or crate(), said=said)
    if use:
        object.__setattr__(piece, "use", UseForm(**use))
    return run(STANDING, Seen(piece, g))


def firm(g: Ground) -> Ground:
    return block(g, -40, -40, 40, 40, 30)


def test_a_crate_has_nothing_to_tell():
    assert heard(firm(plot())).codes == ()
    assert firm(plot()).levels() == ((30.0, 40 * 40 * 4.0),)


def test_room():
    assert fires("BASE_NO_ROOM", heard(plot()))
    told = {p: next(f for f in heard(plot(20, p)) if f.code == "BASE_NO_ROOM").message for p in (2.0, 10.0)}
    assert told[2.0].endswith("nowhere on it")
    assert told[10.0].endswith("nowhere on it, looked at every 10 mm")
    doubtful = heard(replace(plot(), undecided=7))  # none of them is known to be no place to stand
    told_so = next(f for f in doubtful if f.code == "BASE_NO_ROOM").message
    assert told_so.endswith("nowhere on it, as far as it can be told: 7 places are undecided")
    assert silent("BASE_NO_ROOM", heard(firm(plot())))
    promised = {"expect": {"room": ["27"]}}
    assert fires("EXPECT_NO_ROOM", heard(plot(), said=promised))
    assert silent("EXPECT_NO_ROOM", heard(firm(plot()), said=promised))
    assert silent("EXPECT_NO_ROOM", heard(plot(), said={"expect": {"room": ["50"]}}))


def promised(mesh, *zones, base="27", **said):
    """What is said of promised places."""
    stand = [{"at": at, "base": for_base, "level": level} for at, for_base, level in zones]
    s = subject(mesh, said={"expect": {"stand": stand}, **said})
    return run((expect_not_standable,), s, table_of(s), mini_of(base, UseForm()))


@pytest.mark.parametrize(
    ("at", "level", "said"),
    [
        ([0, 0], None, ""),
        ([0, 0], 31, ""),
        ([0, 0], 20, "(0, 0) under 20 mm: blocked: "),
        ([30.2, 0], None, ""),  # the edge is at 31.7: from 30.28 on a nudge takes it over
        ([30.4, 0], None, "(30.4, 0): precarious: "),
        ([45, 0], None, "(45, 0): topples: "),
        ([400, 0], None, "(400, 0): that is beside the piece, on the table"),
        ([46.5, 0], None, "(46.5, 0): that is beside the piece, on the table"),
    ],
)
def test_a_promised_place_is_asked_for_itself_not_for_the_cell_beside_it(at, level, said):
    mesh = box((-31.7, -31.7, 0), (31.7, 31.7, 30))
    report = promised(mesh, (at, "27", level))
    assert [f.message.partition("to stand at ")[2][: len(said)] for f in report] == [said] * bool(said)


def test_what_is_promised_on_a_roof_is_not_kept_by_the_floor_below():
    gate = union([box((-60, -20, 60), (60, 20, 64)), *(box((x, -20, 0), (x + 10, 20, 61)) for x in (-60, 50))])
    assert silent("EXPECT_NOT_STANDABLE", promised(gate, ([0, 0], "27", None), ([0, 19], "27", 30)))
    assert fires("EXPECT_NOT_STANDABLE", promised(gate, ([0, 19], "27", None)))
    assert silent("EXPECT_NOT_STANDABLE", promised(gate, ([0, 19], "50", None)))


def test_each_broken_promise_is_told_and_a_baseline_knows_it_by_its_place(tmp_path):
    places = "{ at = [39, 0] }, { at = [0, 39] }, { at = [0, 39] }, { at = [0, 0], level = 20 }, { at = [0, 0] }"
    manifest = HEAD + f'[use]\npitch = 5\n[piece.crate]\nfile = "crate.stl"\nexpect = {{ stand = [{places}] }}\n'
    (piece,) = validate(pack_of(tmp_path, manifest, crate=crate(80.0)), how=How(workers=0)).pieces
    broken = [f for f in piece.report if f.code == "EXPECT_NOT_STANDABLE"]
    assert [f.pointer for f in broken] == [f"/base/27/stand/{at}" for at in ("39,0", "0,39", "0,0,20")]
    assert len({f.fingerprint() for f in broken}) == 3


@pytest.mark.parametrize("base", ["rect80x20", "stadium70x25"])
def test_a_long_base_that_leans_from_the_table_does_not_stand_on_a_wall(tmp_path, base):
    """Its end is farther from its middle than half its width: where that is on the table it has no room on the wall."""
    manifest = HEAD + f'[use]\nbases = ["{base}"]\npitch = 3\n[piece.wall]\nfile = "wall.stl"\n'
    pack = pack_of(tmp_path, manifest + f'expect = {{ room = ["{base}"] }}\n', wall=box((-15, -0.5, 0), (15, 0.5, 16)))
    (piece,) = validate(pack, how=How(workers=0)).pieces
    assert piece.figures[0].standable_mm2 == 0
    assert fires("EXPECT_NO_ROOM", piece.report)
    assert silent("PIECE_TIPS_UNDER_MINI", piece.report)


def test_how_far_a_leaning_base_reaches_down_is_that_of_its_pose():
    s = subject(box((-50, -2, 0), (50, 2, 16)))
    table, mini = table_of(s), Mini("60x35")
    made = atlas(table, mini, pitch=9.0, area=(-60, -40, 60, 40), words_only=True)
    ground, ring = ground_of(made, s.solid, mini.base.outline), mini.base.outline.polygon()
    asked = np.argwhere((ground.tilt[0] > 5) & (ground.word[0] != ""))
    assert len(asked) > 5
    for j, i in asked:
        x, y, _ = ground.place(0, j, i)
        pose = stand(table, mini, at=(x, y), physics="never", brief=True).pose
        assert pose is not None
        lowest = pose.apply(np.column_stack([ring, np.zeros(len(ring))]))[:, 2].min()
        assert ground.rim is not None
        assert ground.height[0, j, i] - ground.rim[0, j, i] == pytest.approx(lowest, abs=1e-6)


def test_a_base_is_the_same_under_every_name_that_it_has(tmp_path):
    said = 'expect = { room = ["round80"], stand = [{ at = [40.2, 0], base = "round27" }] }\nlevels_mm = [50]\n'
    manifest = HEAD + '[use]\nbases = ["round27", "27"]\npitch = 4\n[piece.crate]\nfile = "crate.stl"\n' + said
    answer = validate(read_pack(written(tmp_path, manifest, crate=crate(82.0))), how=How(workers=0))
    codes = answer.pieces[0].report.codes
    assert codes.count("EXPECT_NOT_STANDABLE") == codes.count("MANIFEST_LEVEL_ABSENT") == 1
    assert answer.bases == ("27",)
    assert [f.base for f in answer.pieces[0].figures] == ["27", "80"]


def test_what_nobody_is_to_stand_on_keeps_its_promises_or_is_told(tmp_path):
    said = 'role = "collider"\nexpect = { stand = [{ at = [39, 0] }] }\n'
    pack = read_pack(written(tmp_path, HEAD + '[piece.crate]\nfile = "crate.stl"\n' + said, crate=crate(80.0)))
    assert fires("EXPECT_NOT_STANDABLE", validate(pack, how=How(workers=0)).pieces[0].report)


def test_ledges_on_which_a_base_only_totters():
    ledge = block(firm(plot()), 60, -20, 64, 20, 30, word="precarious")
    assert fires("LEDGE_TOO_NARROW", heard(ledge))
    rim = firm(plot())
    rim.word[0][:, 69:71] = np.where(rim.height[0][:, 69:71] == 30, "precarious", rim.word[0][:, 69:71])
    assert silent("LEDGE_TOO_NARROW", heard(rim))  # the rim of a roof on which it stands
    assert silent(
        "LEDGE_TOO_NARROW", heard(block(firm(plot()), 60, 0, 62, 4, 30, word="precarious"))
    )  # no place at all


def test_precarious_ground():
    def half(share):
        g = firm(plot())
        some = (g.height[0] == 30) & (np.arange(100)[None, :] < 30 + share * 40)
        g.word[0][some] = "precarious"
        return heard(g)

    assert fires("AREA_PRECARIOUS", half(0.5))
    assert silent("AREA_PRECARIOUS", half(0.25))


@pytest.mark.parametrize(("deg", "word"), [(43.1, fires), (46.9, fires), (42.9, silent), (47.1, silent)])
def test_slopes_near_45_degrees(deg, word):
    g = firm(plot())
    g.tilt[g.height == 30] = deg
    if word is fires:
        assert fires("SLOPE_NEAR_45", heard(g))
    else:
        assert silent("SLOPE_NEAR_45", heard(g))


def test_doubt_and_contradiction():
    g = firm(plot())
    many = int((g.height == 30).sum())
    assert fires("AREA_UNDECIDED", heard(_with(g, undecided=many // 3)))
    assert silent("AREA_UNDECIDED", heard(_with(g, undecided=many // 5)))
    assert silent("AREA_UNDECIDED", heard(_with(plot(), undecided=4)))  # all of nothing: four cells of a steep slope
    assert fires("AUDIT_DISAGREES", heard(_with(g, audit=(10, 8, 1, 1))))
    assert silent("AUDIT_DISAGREES", heard(_with(g, audit=(10, 9, 1, 0))))


def test_where_the_engine_contradicts_a_map_is_told():
    crate = box((-20, -20, 5), (20, 20, 35))
    made = atlas(Table.of(Solid.of(*crate)), Mini("27"), pitch=10.0, levels=True, words_only=True)
    heard_at = (Contradicted(10.0, -10.0, 0.0, None, "stable", "it fell"), Contradicted(30, 0, 0.0, None, "stable", ""))
    made = replace(made, audit=Audit(2, 0, 0, heard_at))
    ground = ground_over(made, *crate, 5.0, 27.0)
    (found,) = (f for f in heard(ground) if f.code == "AUDIT_DISAGREES")
    assert [(p.x, p.y, p.z) for p in found.places] == [(10.0, -10.0, 35.0), (30.0, 0.0, 5.0)]


@pytest.mark.parametrize("low", [-25.0, 0.0, 40.0])
def test_places_are_told_in_the_coordinates_of_the_mesh(tmp_path, low):
    """However far under or over z = 0 it was modelled: in those the other findings are told, and a page pins them."""
    arm = union([box((-20, -20, low), (20, 20, low + 30)), box((19, -14, low + 26), (90, 14, low + 30))])
    said = f'[use]\nmass_g = 500\npitch = 4\n[piece.arm]\nfile = "arm.stl"\nexpect = {{ stand = [{EDGE}] }}\n'
    (piece,) = validate(pack_of(tmp_path, HEAD + said, arm=arm), how=How(workers=0)).pieces
    heights = {f.code: {p.z for p in f.places} for f in piece.report if f.places}
    assert heights["PIECE_TIPS_UNDER_MINI"] == heights["EXPECT_NOT_STANDABLE"] == {low + 30}
    assert heights["PRINT_OVERHANG"] == {low + 26}


EDGE = "{ at = [0, 19.5] }"


def _with(g: Ground, **changed) -> Ground:
    return replace(g, **changed)


def landing(pitch: float) -> Ground:
    """A tower of 200 mm, and before it a landing of 100 mm on which a base's middle has 3 mm of room."""
    return block(block(plot(round(200 / pitch), pitch), -40, -40, 40, 40, 200), 58.3, -40, 61.3, 40, 100)


@pytest.mark.parametrize("pitch", [5.0, 10.0])
def test_a_coarse_map_is_looked_at_again_before_it_says_that_there_is_no_way(pitch):
    coarse = Seen(subject(crate()), landing(pitch))
    asked = []

    def closer(finer):
        asked.append(finer)
        return landing(finer)

    assert fires("AREA_UNREACHABLE", run(STANDING, coarse))  # the landing lies between its cells
    report, ways = judged(coarse, closer)
    assert (report.codes, ways.ground.pitch_mm, asked) == ((), 1.0, [1.0])
    alone = Seen(coarse.piece, block(plot(round(200 / pitch), pitch), -40, -40, 40, 40, 200))
    report, _ = judged(alone, lambda finer: block(plot(200, finer), -40, -40, 40, 40, 200))
    assert report.codes == ("AREA_UNREACHABLE",)
    assert judged(Seen(coarse.piece, landing(1.0)), closer)[0].codes == ()
    assert asked == [1.0]  # a fine one is not


def test_a_piece_too_large_for_a_closer_look_is_not_said_to_lack_a_way():
    coarse = Seen(subject(crate(), said={"levels_mm": [60], "expect": {"room": ["27"]}}), landing(5.0))
    report, _ = judged(coarse, lambda _: landing(4.0))
    assert fires("MAP_TOO_COARSE", report)
    assert report.codes == ("MAP_TOO_COARSE",)
    told = report.findings[0].message
    assert "AREA_UNREACHABLE" in told
    assert "MANIFEST_LEVEL_ABSENT" in told
    assert silent("MAP_TOO_COARSE", judged(coarse, lambda _: landing(2.0))[0])
    broken = Seen(subject(crate(), said={"expect": {"room": ["27"]}}), plot(40, 5.0))
    assert "EXPECT_NO_ROOM" in judged(broken, lambda _: plot(50, 4.0))[0].codes  # a broken promise is said


def test_a_piece_as_large_as_a_house(tmp_path):
    # Its numbers are millimetres and its format means metres: 60 m.
    folder = written(tmp_path, HEAD + "[use]\npitch = 20\n", house=crate(60_000), shed=crate(80))
    house, shed = validate(read_pack(folder), how=How(workers=0)).pieces
    assert fires("PIECE_TOO_LARGE", house.report)
    assert house.verdict == BROKEN
    assert not any(code.startswith("WORK_") for code in house.report.codes)
    assert silent("PIECE_TOO_LARGE", shed.report)


def test_a_flight_of_narrow_treads_leads_up_at_any_pitch(tmp_path):
    # The middle of a base of 27 has 18 - 13.5 - 15 tan 5 = 3.2 mm of room on each tread: a map of 10 misses it.
    flight = union([box((0, 0, 0), (18, 16, 35)), box((18, 0, 0), (36, 16, 70)), box((36, 0, 0), (66, 16, 105))])
    use = "[use]\npitch = 10\nstep = 40\n[defaults]\nscalable = false\n"
    (piece,) = validate(read_pack(written(tmp_path, HEAD + use, flight=flight)), how=How(workers=0)).pieces
    assert "AREA_UNREACHABLE" not in piece.report.codes
    assert piece.figures[0].unreachable_share == 0.0


def test_what_is_too_high_to_get_to():
    tower = block(plot(), -40, -40, 40, 40, 200)
    assert fires("AREA_UNREACHABLE", heard(tower))
    assert silent("AREA_UNREACHABLE", heard(block(tower, 40, -40, 80, 40, 100)))  # a landing on the way
    assert fires("AREA_UNREACHABLE", heard(block(plot(), -40, -40, 40, 40, 100), said={"scalable": False}))
    assert silent("AREA_UNREACHABLE", heard(block(plot(), -40, -40, 40, 40, 100)))


def test_steps_just_over_the_limit():
    assert fires("STEP_TOO_HIGH", heard(block(plot(), -40, -40, 40, 40, 155)))
    assert silent("STEP_TOO_HIGH", heard(block(plot(), -40, -40, 40, 40, 152)))
    assert silent("STEP_TOO_HIGH", heard(block(plot(), -40, -40, 40, 40, 180)))
    found = heard(block(plot(), -40, -40, 40, 40, 42), use={"step": 40.0}, said={"scalable": False})
    told = next(f for f in found if f.code == "STEP_TOO_HIGH")
    assert dict(told.numbers)["step_mm"] == pytest.approx(42, abs=0.1)


def court(wall: float, *, gate: bool = False) -> Ground:
    """A court of bare ground 1 mm up within walls, 60 mm high, and steps up to the walls from outside."""
    g = plot(160)
    for k in range(3):
        block(g, -100 + 16 * k, -20, -84 + 16 * k, 20, wall * (k + 1) / 4)
    for x0, y0, x1, y1 in ((-52, -52, 52, -42), (-52, 42, 52, 52), (-52, -52, -42, 52), (42, -52, 52, 52)):
        block(g, x0, y0, x1, y1, wall)
    inner = (np.abs(g.x0 + np.arange(160) * PITCH) < 42 - WIDTH / 2)[None, :]
    floor = inner & inner.T
    g.height[0][floor], g.word[0][floor] = 2.0, "stable"
    if gate:
        x, y = (g.x0 + np.arange(160) * PITCH)[None, :], (g.y0 + np.arange(160) * PITCH)[:, None]
        open_ = (x > 20) & (x < 90) & (np.abs(y) < 3)
        g.height[0][open_], g.word[0][open_], g.top[open_] = 2.0, "stable", 2.0
    return g


def test_traps():
    low = {"scalable": False}
    assert fires("ROOF_TRAP", heard(court(60), said=low, use={"step": 20.0}))
    assert silent("ROOF_TRAP", heard(court(60, gate=True), said=low, use={"step": 20.0}))
    assert silent("ROOF_TRAP", heard(court(60), use={"step": 20.0}))  # it may be climbed
    assert silent("ROOF_TRAP", heard(court(18), said=low, use={"step": 20.0}))


def test_a_wall_in_between_is_climbed_or_not():
    g = plot(160)
    block(g, -20, -150, 20, 150, 2)  # 2 mm up: not the table
    for x in (-22, 20):
        block(g, x, -160, x + 2, 160, 80, word="topples")
    over = g.height[0] == 2
    assert not (reached(g, 60) & over).any()
    assert (reached(g, 80) & over).any()
    assert not (leaves(g, 60)[0] & over).any()
    assert (leaves(g, 80)[0] & over).any()


@pytest.mark.parametrize(("gap", "word"), [(26.5, fires), (23.5, fires), (22.0, silent), (27.0, silent), (40, silent)])
def test_gaps(gap, word):
    # Two walls in a line; the base gets around them, but not far: what counts is that either side has room.
    walls = union([box((-90, -4, 0), (-gap / 2, 4, 60)), box((gap / 2, -4, 0), (90, 4, 60))])
    yard = union(
        [walls, box((-90, -4, 0), (-82, 90, 60)), box((82, -4, 0), (90, 90, 60)), box((-90, 82, 0), (90, 90, 60))]
    )
    found = heard(plot(), mesh=yard)
    if word is fires:
        assert fires("GAP_TOO_NARROW", found)
        told = next(f for f in found if f.code == "GAP_TOO_NARROW")
        assert dict(told.numbers)["gap_mm"] == pytest.approx(gap, abs=0.5)
        assert abs(told.places[0].x) < 3
        assert abs(told.places[0].y) < 14
    else:
        assert silent("GAP_TOO_NARROW", found)
    assert silent("GAP_TOO_NARROW", heard(plot(), mesh=yard, use={"step": 61.0}))  # it steps over the walls
    level = yard[0][yard[1]][:, :, 2].max(axis=1) > 0
    for other in ((yard[0], yard[1][level]), (yard[0], yard[1][:, ::-1])):  # without an underside, and inside out
        again = [(f.message, f.places) for f in heard(plot(), mesh=other) if f.code == "GAP_TOO_NARROW"]
        assert again == [(f.message, f.places) for f in found if f.code == "GAP_TOO_NARROW"]


@pytest.mark.parametrize("deg", [0.0, 7.3, 45.0, 61.0])
@pytest.mark.parametrize(("gap", "told"), [(22.9, False), (23.0, True), (25.05, True), (26.7, True), (26.8, False)])
def test_a_door_is_as_wide_however_its_wall_is_turned(gap, told, deg):
    walls = [box((-60, -4, 0), (-gap / 2, 4, 60)), box((gap / 2, -4, 0), (60, 4, 60)), box((-60, -4, 0), (-52, 60, 60))]
    vertices, faces = union([*walls, box((52, -4, 0), (60, 60, 60)), box((-60, 52, 0), (60, 60, 60))])
    a = math.radians(deg)
    turn = np.array([[math.cos(a), math.sin(a), 0], [-math.sin(a), math.cos(a), 0], [0, 0, 1]])
    found = narrowest(Solid.of(vertices @ turn + [3.3, -1.7, 0], faces), 27.0, 20.0)
    assert (found is not None) is told
    if found is not None:
        assert found.gap_mm == pytest.approx(gap, abs=1e-3)
        x, y, _ = turn @ (np.array(found.at) - [3.3, -1.7, 0])
        assert abs(x) < 0.01  # in the middle of the door
        assert -4.3 < y < 4.3


def test_levels_of_the_manifest():
    assert fires("MANIFEST_LEVEL_ABSENT", heard(firm(plot()), said={"levels_mm": [30, 60]}))
    assert silent("MANIFEST_LEVEL_ABSENT", heard(firm(plot()), said={"levels_mm": [31.5]}))
    assert silent("MANIFEST_LEVEL_ABSENT", heard(firm(plot()), said={"levels_mm": [60]}, use={"bases": ("25", "27")}))
    assert fires("MANIFEST_LEVEL_ABSENT", heard(firm(plot()), said={"levels_mm": [0]}))  # the table is beside it
    yard = heard(block(plot(), -40, 20, 40, 40, 30), said={"levels_mm": [0, 30]}, mesh=crate(80.0))
    assert silent("MANIFEST_LEVEL_ABSENT", yard)


def test_a_heavy_mini_on_a_balcony():
    # A board of 100 mm on feet 10 mm from its middle: it weighs 28.8 g of plastic, so 60 g beyond the feet tip it.
    mesh = on_legs((-8, -40, 0), (8, -40, 0), (-8, 40, 0), (8, 40, 0))
    g = block(plot(), -45, -45, 45, 45, 24)
    assert fires("PIECE_TIPS_UNDER_MINI", heard(g, mesh=mesh))
    assert silent(
        "PIECE_TIPS_UNDER_MINI", heard(g, mesh=mesh, said={"mass_g": 300})
    )  # 300 g 10 mm inside: 60 g 35 outside
    assert silent("PIECE_TIPS_UNDER_MINI", heard(firm(plot()), mesh=crate()))


def test_a_piece_is_looked_at_through_its_map(tmp_path):
    folder = written(tmp_path, HEAD + "[use]\npitch = 4\n", crate=box((-40, -40, 5), (40, 40, 35)))
    pack = read_pack(folder)
    (piece,) = validate(pack, how=How(workers=0)).pieces
    (figures,) = piece.figures
    assert [z for z, _ in figures.levels] == [30.0]
    # It stands where its middle is h tan 5° = 1.4 mm inside the edge: cells from -36 to 36.
    assert figures.standable_mm2 == (19 * 4) ** 2
    assert (figures.unreachable_share, piece.report.codes) == (0.0, ("PIECE_OFF_GROUND",))


@pytest.mark.parametrize(("said", "stands"), [("", True), ("friction = 0.5\n", False), ('material = "pla"\n', False)])
def test_a_slippery_slope_carries_nobody(tmp_path, said, stands):
    # 35 degrees need a friction of 0.70; grip on grip is 1.25, on bare PLA 0.61.
    slope = prism([(-60, 0), (60, 0), (60, 120 * math.tan(math.radians(35)))], -40, 40)
    upright = slope[0][:, [0, 2, 1]], slope[1][:, ::-1]
    folder = written(tmp_path, HEAD + f"[use]\npitch = 10\ncom = 8\n[defaults]\n{said}", slope=upright)
    (piece,) = validate(read_pack(folder), how=How(workers=0)).pieces
    assert (piece.figures[0].standable_mm2 > 1000) == stands


def test_heights_of_a_slope():
    slope = np.array([[0.0, 0, 0], [50, 0, 25], [50, 40, 25], [0, 40, 0]])
    found = tops(slope, np.array([[0, 1, 2], [0, 2, 3]]), 5.0, (0.0, 0.0), (9, 11))
    # The highest point of a cell is 2.5 mm beyond its middle, or where the slope ends.
    assert found[3].tolist() == [min(math.floor(25 * k) / 10 + 1.25, 25.0) for k in range(11)]
