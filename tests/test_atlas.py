"""The standing map says what `stand` says: on closed forms, on random cells, on every storey; to the byte.

How it is saved, summed up and drawn is in `test_atlas_value`.
"""

from __future__ import annotations

import importlib
import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import sim3d
from sim3d.atlas import Atlas, atlas, atlases
from sim3d.atlas.cell import swept
from sim3d.atlas.clear import posts_of
from sim3d.atlas.value import FLAT, REFINED
from sim3d.check import check
from sim3d.engine import ENGINES, default_engine
from sim3d.ground import ground_of
from sim3d.ground.room import Shells
from sim3d.ground.spans import cut_off, lower, spans_of
from sim3d.mini import Body, Mini
from sim3d.solid import Solid
from sim3d.solid.boolean import box, union
from sim3d.space import Bools
from sim3d.stand import WORDS, stand
from sim3d.table import Piece, Placed, Table

sweep = importlib.import_module("sim3d.atlas.sweep")
MESHES = Path(__file__).parent.parent / "meshes"
MINI = sim3d.Mini("27", height=40, com=15)


def table_of(name: str) -> Table:
    return Table.of(sim3d.read_solid(MESHES / name))


def contradictions(made: Atlas, table: Table, mini: sim3d.Mini, count: int, seed: int) -> list[str]:
    """Random cells whose word, tilt, margin, tip or barrier the exact solver contradicts."""
    rng = np.random.default_rng(seed)
    wrong = []
    for _ in range(count):
        layer = made.layers[int(rng.integers(len(made.layers)))]
        j, i = int(rng.integers(made.shape[0])), int(rng.integers(made.shape[1]))
        at = (float(made.xs()[i]), float(made.ys()[j]))
        exact = stand(table, mini, at=at, turn=layer.turn, level=layer.level, physics="never")
        cell = made.at(*at, layer=made.layers.index(layer))
        if cell.answer == "undecided":
            continue
        right = cell.answer == exact.answer
        if right and exact.tilt_deg is not None and cell.answer in ("stable", "precarious", "too-steep"):
            assert exact.margin_mm is not None
            assert exact.tip_deg is not None
            assert exact.barrier_mm is not None
            right = abs(cell.tilt_deg - exact.tilt_deg) < 1e-6 and abs(cell.margin_mm - exact.margin_mm) < 1e-4
            if cell.bound:  # of the barrier at least; a tip found by rolling is exact, and no less than the bound
                right = right and cell.tip_deg <= exact.tip_deg + 1e-6 and cell.barrier_mm <= exact.barrier_mm + 1e-6
            else:
                right = right and abs(cell.tip_deg - exact.tip_deg) < 1e-5
                right = right and abs(cell.barrier_mm - exact.barrier_mm) < 1e-6
        if not right:
            wrong.append(f"{at} level {layer.level}: {cell}, but {exact.answer}: {exact.why}")
    return wrong


@pytest.mark.parametrize("name", ["pack/ruin.stl", "pack/bridge.stl"])
def test_storeys_share_only_what_is_the_same_when_each_is_worked_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = atlas(table_of(name), MINI, pitch=12, levels=True, words_only=True)
    alike: list[int] = []
    share = sweep._alike

    def nothing(*given: object) -> Bools:
        alike.append(int(share(*given).sum()))  # type: ignore[arg-type]
        return np.zeros(shared.shape, np.bool_)

    monkeypatch.setattr(sweep, "_alike", nothing)
    alone = atlas(table_of(name), MINI, pitch=12, levels=True, words_only=True)
    assert len(alike) == len(shared.layers) - 1 >= 1
    assert sum(alike) > 0
    for one, other in zip(shared.layers, alone.layers, strict=True):
        assert one.level == other.level
        assert np.array_equal(one.words, other.words)
        assert np.allclose(one.numbers, other.numbers, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("name", ["pack/ruin.stl", "pack/hill.ply"])
def test_a_map_of_words_tells_the_words_of_the_map_of_all_numbers(name: str) -> None:
    # three contacts prove most words where only words are asked; the other map looks at all that touches
    brief = atlas(table_of(name), MINI, pitch=14, levels=True, words_only=True)
    whole = atlas(table_of(name), MINI, pitch=14, levels=True)
    told = [np.unique(layer.words) for layer in brief.layers]
    assert {WORDS[w] for words in told for w in words} >= {"stable", "topples", "precarious"}
    for one, other in zip(brief.layers, whole.layers, strict=True):
        assert np.array_equal(one.words, other.words)


# --- closed forms -----------------------------------------------------------------------------------------------------


def test_a_ledge_is_precarious_within_h_tan_5_of_its_edge() -> None:
    table = table_of("gallery/crate.stl")  # 80 mm wide about the origin, its top level
    made = atlas(table, MINI, area=(20, 0, 45, 0))
    for x in range(20, 40):
        d = 40.0 - x  # the centre of mass so far inside; tip = atan(d / h)
        cell = made.at(x, 0)
        tip = math.degrees(math.atan(d / 15.0))
        assert cell.answer == ("stable" if tip > 5.0 else "precarious"), cell
        assert cell.tilt_deg == pytest.approx(0.0, abs=1e-9)
        assert cell.margin_mm == pytest.approx(min(d, 13.5), abs=1e-6)
        if tip < 10.0:
            assert cell.tip_deg == pytest.approx(tip, abs=1e-4)
            assert cell.barrier_mm == pytest.approx(math.hypot(d, 15.0) - 15.0, abs=1e-5)
        else:
            assert 10.0 - 1e-4 <= cell.tip_deg <= min(tip, math.degrees(math.atan(13.5 / 15.0))) + 1e-4
    assert made.at(40, 0).answer == "undecided"  # exactly on the edge
    assert made.at(42, 0).answer not in ("stable", "precarious")


@pytest.mark.parametrize(("deg", "word"), [(44.9, "stable"), (45.1, "too-steep")])
def test_a_slope_is_too_steep_from_45_degrees(deg: float, word: str) -> None:
    rise = math.tan(math.radians(deg)) * 200.0
    corners = np.array([[-100, -100, 0], [100, -100, 0], [100, 100, rise], [-100, 100, rise]], dtype=np.float64)
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    table = Table.of(sim3d.Solid.of(corners, faces, name="slope"))
    low = sim3d.Mini("27", height=20, com=4)
    made = atlas(table, low, pitch=7, area=(-30, -30, 30, 30))
    assert set(made.areas()) == {word}
    assert made.tilt == pytest.approx(deg, abs=1e-9)


def test_level_ground_has_the_exact_solvers_numbers() -> None:
    made = atlas(Table(size_mm=(200, 200)), MINI, pitch=5)
    exact = stand(Table(), MINI, at=(0, 0), physics="never")
    cell = made.at(0, 0)
    assert (cell.answer, cell.margin_mm, cell.tip_deg, cell.barrier_mm) == (
        "stable",
        exact.margin_mm,
        exact.tip_deg,
        exact.barrier_mm,
    )
    assert made.at(90, 0).answer == "off-table"
    assert made.at(85, 0).answer == "stable"


@pytest.mark.parametrize(
    ("base", "com", "word"),
    [
        ("27", (0.0, 0.0, 170.0), "precarious"),  # atan(13.5 / 170) is 4.5 degrees
        ("round6", (0.3, 0.1, 33.0), "precarious"),
        ("rect50x25", (20.0, 0.0, 40.0), "stable"),
        ("rect50x25", (22.0, 0.0, 40.0), "precarious"),  # 3 mm inside its front
        ("hex40", (0.0, 0.0, 20.0 / math.tan(math.radians(5.0))), "undecided"),
    ],
)
@pytest.mark.parametrize("words_only", [False, True])
def test_who_is_top_heavy_is_so_on_level_ground(
    base: str, com: tuple[float, float, float], word: str, words_only: bool
) -> None:
    table, mini = table_of("gallery/crate.stl"), Mini(base, height=2 * com[2], com=com)
    for area, height in (((-1.0, -1.0, 1.0, 1.0), 30.0), ((119.0, -1.0, 121.0, 1.0), 0.0)):
        made = atlas(table, mini, pitch=1, area=area, words_only=words_only)
        assert set(made.answers.ravel()) == {word}
        assert stand(table, mini, at=(area[0] + 1, 0), physics="never").answer == word
        assert made.height == pytest.approx(height)
        assert made.share(FLAT) == 1.0


def test_the_middle_of_every_cell_is_a_multiple_of_the_pitch() -> None:
    made = atlas(Table(), MINI, pitch=2.5, area=(-6, 1, 6, 9))
    assert made.xs().tolist() == [-5, -2.5, 0, 2.5, 5]
    assert made.ys().tolist() == [2.5, 5, 7.5]
    with pytest.raises(KeyError, match="outside"):
        made.at(8, 5)


# --- the exact solver -------------------------------------------------------------------------------------------------


# (pitch, cells asked again): few in every run, many in the slow ones
SIZES = [(12.0, 24), pytest.param(3.0, 400, marks=pytest.mark.slow)]


@pytest.mark.parametrize(("pitch", "count"), SIZES)
@pytest.mark.parametrize("name", ["ruin.stl", "hill.ply", "bridge.stl", "broken-walls.stl", "stairs.stl"])
def test_no_word_contradicts_the_exact_solver(name: str, pitch: float, count: int) -> None:
    table = table_of(f"pack/{name}")
    made = atlas(table, sim3d.Mini("27"), pitch=pitch)
    assert contradictions(made, table, sim3d.Mini("27"), count, seed=7) == []


@pytest.mark.parametrize("base", ["60x35", "50n", "hex40"])
def test_other_bases_and_facings(base: str) -> None:
    table = table_of("pack/containers.stl")
    mini = sim3d.Mini(base)
    made = atlas(table, mini, pitch=30, turns=(0.0, 35.0))
    assert contradictions(made, table, mini, 25, seed=3) == []


def test_a_base_that_rolls_to_and_fro_on_its_rim_has_one_tip() -> None:
    """Two poses a hair apart, the map's and the exact solver's: one never got out of its circle, and was told 1.3."""
    board = sim3d.read_table(MESHES.parent / "scenarios" / "board.toml")
    craters = replace(board, pieces=tuple(p for p in board.pieces if p.name == "craters"))
    x, y = 160.0, -150.0
    told = stand(craters, MINI, at=(x, y), physics="never")
    cell = atlas(craters, MINI, pitch=10.0, area=(x, y, x, y)).at(x, y)
    assert told.tip_deg == pytest.approx(9.585, abs=0.01)
    assert (cell.answer, cell.tip_deg) == (told.answer, pytest.approx(told.tip_deg, abs=0.01))
    # it rocks by five degrees, so the engine is asked though no limit is near, and sees it come home
    if not ENGINES[0].available():
        pytest.skip("bullet is not installed here; rapier's base does not come to rest there")
    both = stand(craters, MINI, at=(x, y), physics="doubt", engine="bullet")
    assert (both.answer, both.decided_by) == ("stable", ("statics", "settle"))


def test_a_base_that_sticks_in_mid_roll_far_from_home_is_over() -> None:
    """Poses that differ in the sign of a zero: one was held 23 degrees from home till gravity leaned on by 5 more."""
    table, mini, (x, y) = table_of("pack/shuttle-ramp.stl"), sim3d.Mini("27"), (40.0, 15.0)
    told = stand(table, mini, at=(x, y), physics="never")
    cell = atlas(table, mini, pitch=5.0, area=(x, y, x, y)).at(x, y)
    assert (told.answer, told.tip_deg) == ("precarious", pytest.approx(4.551, abs=1e-3))
    assert (cell.answer, cell.tip_deg) == ("precarious", pytest.approx(4.551, abs=1e-3))


@pytest.mark.parametrize(
    ("name", "at", "answer", "tilt"),
    [("broken-walls.stl", (43.0, -23.0), "stable", 23.66), ("hill.ply", (-90.0, 50.0), "precarious", 37.14)],
)
def test_a_search_does_not_leap_over_a_pose_near_by(
    name: str, at: tuple[float, float], answer: str, tilt: float
) -> None:
    """Contacts that agreed with a footprint far off led it past these: it was said to topple."""
    table, mini = table_of(f"pack/{name}"), sim3d.Mini("27")
    told = stand(table, mini, at=at, physics="always")
    assert (told.answer, told.tilt_deg) == (answer, pytest.approx(tilt, abs=0.01))
    # rapier may not come to rest there, and then has no say
    assert "settle" in told.decided_by or default_engine().name == "rapier"
    check(told, table)  # it says nothing where the proof holds
    assert atlas(table, mini, pitch=1.0, area=(*at, *at)).at(*at).answer == answer


@pytest.mark.parametrize("words_only", [True, False])
@pytest.mark.parametrize(("inside", "word"), [(-5e-4, "topples"), (5e-4, "topples"), (2e-3, "blocked")])
def test_a_balance_to_which_nothing_leads_topples_whatever_is_in_the_way_there(
    inside: float, word: str, words_only: bool
) -> None:
    """A slope of 29 degrees ends in a chamfer, steeper by 0.01: what only nearly touches carries no balance."""
    steep, sine = math.tan(math.radians(29.0)), math.sin(math.radians(29.0))
    side = [(-60, 60 * steep), (0, 0), (0.05, -0.05 * (steep + 0.01)), (0.05, -100), (-60, -100)]
    points = np.array([(x, y, z) for y in (-40.0, 40.0) for x, z in side])
    hung = [(k, (k + 1) % 5, 5 + (k + 1) % 5) for k in range(5)] + [(k, 5 + (k + 1) % 5, 5 + k) for k in range(5)]
    ends = [(0, k + 1, k) for k in range(1, 4)] + [(5, 5 + k, 6 + k) for k in range(1, 4)]
    post = Solid.of(*box((14, -20, -100), (18, 20, 30)), name="post")
    table = replace(Table.of(Solid.of(points, np.array(hung + ends)), post), floor_mm=None)
    mini = sim3d.Mini("27", height=40, com=10)
    x = -(10 * sine + inside)  # its centre of mass so far inside of where the slope ends
    assert stand(table, mini, at=(x, 0.0), physics="never").answer == word
    assert atlas(table, mini, pitch=-x, area=(x, 0.0, x, 0.0), words_only=words_only).at(x, 0.0).answer == word


@pytest.mark.parametrize("x", [-28.0, -27.0, -26.0, -25.0, -24.0, -22.0])
def test_a_balance_beside_which_it_is_caught_is_not_said_to_topple(x: float) -> None:
    """Over the side of a ramp: on its edge for a moment, and a hair beyond it leaning on what is lower."""
    table, mini = table_of("pack/shuttle-ramp.stl"), sim3d.Mini("27")
    told = stand(table, mini, at=(x, -30.0), physics="never")
    assert told.answer in ("stable", "undecided")
    cell = atlas(table, mini, pitch=1.0, area=(x, -30.0, x, -30.0)).at(x, -30.0)
    assert cell.answer in ("stable", "undecided")
    if told.answer == "undecided":
        assert told.why == "its centre of mass lies exactly over the edge of what carries it."


@pytest.mark.parametrize(("base", "y"), [("27", 30.0), ("27", -30.0), ("50", 30.0), ("50", -30.0)])
def test_exactly_over_the_side_of_a_ramp_a_map_says_what_the_exact_solver_says(base: str, y: float) -> None:
    """To which side of it the pose is sought next would be rounding: 27 at -20, 30 was "stable", and is a balance."""
    table, mini = table_of("pack/shuttle-ramp.stl"), sim3d.Mini(base)
    made = atlas(table, mini, pitch=10.0, area=(-100.0, y, 100.0, y), words_only=True)
    for x in range(-100, 101, 10):
        told = stand(table, mini, at=(x, y), physics="never")
        assert made.at(x, y).answer == told.answer, f"at {x}, {y}: {told.why}"


def test_a_whole_number_of_mm_is_the_same_map_by_the_same_loops() -> None:
    table = table_of("gallery/crate.stl")
    one, other = (atlas(table, MINI, pitch=pitch, area=(20, 0, 60, 0)) for pitch in (10, 10.0))
    assert np.array_equal(one.layers[0].words, other.layers[0].words)
    if hasattr(swept, "signatures"):  # else loops are interpreted
        assert len({str(signature) for signature in swept.signatures}) == 1


def test_where_a_search_wanders_or_it_hardly_balances_a_map_itself_says_what_the_exact_solver_says() -> None:
    """Under walls, mostly: no room upright, nor where it would be caught. Seven in ten that were asked were these."""
    table, mini = table_of("pack/ruin.stl"), sim3d.Mini("27")
    made = atlas(table, mini, pitch=5.0, area=(-95, -80, 100, 75), levels=True, words_only=True)
    where = ((-85, -80), (-85, -70), (-30, 75), (-95, -50), (-55, -80), (40, -45), (100, -20), (75, 70))
    for at, (k, layer) in itertools.product(where, enumerate(made.layers)):
        exact = stand(table, mini, at=at, level=layer.level, physics="never")
        j, i = round((at[1] + 80) / 5), round((at[0] + 95) / 5)
        assert made.at(*at, layer=k).answer == WORDS[layer.words[j, i]] == exact.answer
        assert exact.answer == "undecided" or not layer.how[j, i] & REFINED


@pytest.mark.parametrize(("area", "word"), [((21, -57, 36, -51), "blocked"), ((75, -24, 75, -24), "stable")])
def test_a_cell_asked_of_the_exact_solver_shows_what_stand_tells(
    area: tuple[float, float, float, float], word: str
) -> None:
    """But for its highest centre of mass, which no map shows: it was most of the time. What is blocked has no tip."""
    table = table_of("pack/ruin.stl")
    made = atlas(table, MINI, pitch=3.0, area=area)
    asked = np.argwhere(made.layers[0].how & REFINED) + made.first[::-1]
    cells = [cell for cell in (made.at(3.0 * i, 3.0 * j) for j, i in asked) if cell.answer == word]
    assert cells
    for cell in cells:
        told = stand(table, MINI, at=cell.at, physics="never")
        assert told.answer == word
        for name in ("tilt_deg", "margin_mm", "tip_deg", "barrier_mm"):
            number = getattr(told, name)
            assert getattr(cell, name) == pytest.approx(math.nan if number is None else number, nan_ok=True)
        assert (told.com_limit_mm is None) == (word == "blocked")


def walled_room() -> Table:
    """A room of 100 by 80 mm, a wall that is thinner at its top, a window from 10 to 25 mm up, and a flat roof."""
    sides = [box((-54, 40, 0), (54, 44, 60)), box((-54, -40, 0), (-50, 40, 60)), box((50, -40, 0), (54, 40, 45))]
    front = [box((-54, -44, 0), (54, -40, 10)), box((-54, -44, 25), (54, -40, 60))]
    jambs = [box((-54, -44, 0), (-15, -40, 60)), box((15, -44, 0), (54, -40, 60))]
    rest = [box((-54, -44, 0), (54, 44, 2)), box((-54, -44, 60), (54, 44, 63)), box((52, -40, 0), (54, 40, 60))]
    return Table.of(sim3d.Solid.of(*union([*sides, *front, *jambs, *rest])))


@pytest.mark.parametrize(
    ("name", "base"),
    [("a room", "27"), ("a room", "50"), ("a room", "60x35"), ("pack/ruin.stl", "50"), ("pack/domed-house.stl", "27")]
    + [pytest.param("pack/ruin.stl", base, marks=pytest.mark.slow) for base in ("27", "60x35")]
    + [pytest.param("pack/domed-house.stl", base, marks=pytest.mark.slow) for base in ("50", "60x35")],
)
def test_where_walls_leave_no_room_however_a_base_leans_none_is_found_wherever_it_comes_to_rest(
    name: str, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pitch = 6.0 if base == "27" else 12.0
    table, again = (walled_room() if name == "a room" else table_of(name) for _ in range(2))
    quick = atlas(table, sim3d.Mini(base), pitch=pitch, levels=True, words_only=True)
    posts: list[int] = []
    posts_of = sweep.posts_of

    def none(*given: Any) -> NDArray[np.float64]:
        posts.append(int((posts_of(*given) > -np.inf).sum()))
        return np.empty((0, 0))

    monkeypatch.setattr(sweep, "posts_of", none)
    slow = atlas(again, sim3d.Mini(base), pitch=pitch, levels=True, words_only=True)
    unsought = 0
    for one, other in zip(quick.layers, slow.layers, strict=True):
        differ = one.words != other.words
        assert {WORDS[w] for w in one.words[differ]} <= {"blocked"}
        assert {WORDS[w] for w in other.words[differ]} <= {"undecided"}  # it could not tell how it would come to rest
        unsought += int((np.isnan(one.numbers[:, :, 3]) & ~np.isnan(other.numbers[:, :, 3])).sum())
    assert sum(posts) > 0
    assert unsought > 0 or (name, base) == ("a room", "60x35")  # for a long base walls of 60 mm are not high enough


def test_a_wall_goes_on_over_a_cut_where_its_inside_does() -> None:
    table = walled_room()
    ground = ground_of(table)
    spans = spans_of(ground.corners, 0.0)
    one, everywhere = np.zeros(len(ground.corners), np.int64), np.full(len(ground.corners), -np.inf)
    closed = Shells(one, everywhere)
    # over the window the wall hangs: under a cut through it a base may lean on the sill
    for cut, wall, thin, window in ((5.0, 63.0, 45.0, 10.0), (20.0, 63.0, 45.0, None), (50.0, 63.0, None, None)):
        tops = posts_of(spans, closed, cut)
        for (x, y), top in (((0.0, 42.0), wall), ((50.5, 0.0), thin), ((0.0, -42.0), window), ((0.0, 0.0), None)):
            i, j = int((x - spans.x0) // spans.cell), int((y - spans.y0) // spans.cell)
            middle = spans.x0 + (i + 0.5) * spans.cell, spans.y0 + (j + 0.5) * spans.cell
            assert abs(middle[0] - x) < 2.0
            assert abs(middle[1] - y) < 2.0
            assert tops[j, i] == pytest.approx(-np.inf if top is None else top), (cut, x, y)
    assert np.isneginf(posts_of(spans, Shells(one - 1, everywhere), 5.0)).all()  # what is not closed has no inside
    assert np.array_equal(posts_of(spans, Shells(one, np.zeros(len(one))), 5.0), posts_of(spans, closed, 5.0))
    for rim in (2.0, 8.0):  # over the floor, over the cut: what has its rim there does not stand on the floor
        assert np.isneginf(posts_of(spans, Shells(one, np.full(len(one), rim)), 5.0)).all()


@pytest.mark.parametrize(("pitch", "count"), SIZES)
@pytest.mark.parametrize("name", ["ruin.stl", "bridge.stl"])
def test_each_storey_has_its_own_map(name: str, pitch: float, count: int) -> None:
    table = table_of(f"pack/{name}")
    made = atlas(table, sim3d.Mini("27"), pitch=pitch, levels=True)
    assert len(made.layers) > 1
    under = made.layers[-1]
    assert under.level is not None
    assert "stable" in made.areas(len(made.layers) - 1)
    assert contradictions(made, table, sim3d.Mini("27"), count, seed=11) == []
    covered = (under.numbers[:, :, 0] < made.layers[0].numbers[:, :, 0] - 10) & (under.words == WORDS.index("stable"))
    assert covered.any()  # it stands below something on which it would otherwise come to rest


def test_the_bound_of_a_barrier_is_none_that_the_exact_solver_goes_below() -> None:
    """On a ragged floor the edge that is lowest to the top is not the one that is left by the least lift."""
    table, mini, (x, y) = table_of("pack/ruin.stl"), sim3d.Mini("27"), (-87.0, 27.0)
    made, asked = atlas(table, mini, pitch=3.0, area=(x, y, x, y), levels=True), 0
    for layer, level in enumerate(made.levels):
        cell, exact = made.at(x, y, layer=layer), sim3d.rest(table, mini, at=(x, y), level=level)
        if cell.bound and exact.barrier_mm is not None:
            asked += 1
            assert 0.0 < cell.barrier_mm <= exact.barrier_mm
    assert asked > 0


def slab_over_floor(gap_mm: float) -> Table:
    x, y, z = np.meshgrid([-40.0, 40.0], [-40.0, 40.0], [gap_mm, gap_mm + 3.0], indexing="ij")
    corners = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6]]
    faces += [[0, 6, 4], [1, 5, 7], [1, 7, 3]]
    roof = sim3d.Solid.of(corners, np.array(faces), name="roof")
    return Table(pieces=(sim3d.Piece("roof", roof),))


@pytest.mark.parametrize("words_only", [False, True])
def test_the_floor_is_in_the_way_of_a_wide_body_on_a_small_base_that_leans(words_only: bool) -> None:
    rise = 6.0 * math.tan(math.radians(20.0))
    ramp = [(x, y, z) for y in (-40.0, 40.0) for x, z in ((-3.0, -1.0), (3.0, -1.0), (3.0, rise), (-3.0, 0.0))]
    sides = [(0, 1, 2), (0, 2, 3), (4, 6, 5), (4, 7, 6), *((i, i + 4, j) for i, j in ((0, 1), (1, 2), (2, 3), (3, 0)))]
    sides += [(j, i + 4, j + 4) for i, j in ((0, 1), (1, 2), (2, 3), (3, 0))]
    table = Table(pieces=Table.of(Solid.of(ramp, sides, name="ramp")).pieces, floor_mm=-2.0)
    wide = Mini("round2", body=Body(40.0, 12.0), com=(0, 0, 1.0))
    assert stand(table, wide, at=(0, 0), physics="never").answer == "blocked"
    assert atlas(table, wide, pitch=1, area=(0, 0, 0, 0), words_only=words_only).answers == [["blocked"]]
    narrow = Mini("round2", body=Body(4.0, 12.0), com=(0, 0, 1.0))
    assert atlas(table, narrow, pitch=1, area=(0, 0, 0, 0), words_only=words_only).answers == [["stable"]]


def test_under_a_cut_below_the_floor_nobody_stands_on_the_floor() -> None:
    sunk = Solid.of(*box((-40, -40, -60), (40, 40, -50)), name="sunk")
    table = Table(pieces=Table.of(sunk).pieces, floor_mm=0.0)
    made = atlas(table, MINI, pitch=8, levels=True, words_only=True)
    below = [k for k, layer in enumerate(made.layers) if layer.level is not None and layer.level < 0.0]
    assert below
    assert set(made.answers.ravel()) == {"stable"}  # on the floor
    for k in below:
        for y, x in itertools.product(made.ys(), made.xs()):
            cell = made.at(x, y, layer=k)
            assert cell.answer == stand(table, MINI, at=(x, y), level=cell.level, physics="never").answer


@pytest.mark.parametrize(("gap", "word"), [(39.0, "blocked"), (41.0, "stable")])
def test_a_low_ceiling_blocks_a_tall_mini(gap: float, word: str) -> None:
    made = atlas(slab_over_floor(gap), MINI, pitch=5, area=(-10, -10, 10, 10), levels=True)
    assert made.levels[0] is None
    assert len(made.levels) == 2
    assert set(made.areas(1)) == {word}
    assert made.at(0, 0, layer=1).height_mm == pytest.approx(0.0)
    assert made.at(0, 0).height_mm == pytest.approx(gap + 3.0)


def test_other_minis_are_in_the_way() -> None:
    table = Table(minis=(Placed("guard", MINI, (0, 0)),), size_mm=(200, 200))
    made = atlas(table, MINI, pitch=4, area=(0, 0, 48, 0))
    words = [made.at(x, 0).answer for x in range(0, 49, 4)]
    assert words == ["blocked"] * 7 + ["stable"] * 6  # two 27 mm bases meet at 27 mm


def test_where_other_minis_are_not_in_the_way_the_map_is_that_without_them() -> None:
    alone = table_of("pack/hill.ply")
    leans = Mini("27", com=15, body=Body(32, 45))
    guards = tuple(Placed(f"guard {k}", leans, at) for k, at in enumerate([(-40.0, 6.0), (30.0, 20.0)]))
    crowded = replace(alone, minis=guards)
    area = (-80.0, 0.0, 80.0, 24.0)
    without, made = (atlas(table, leans, pitch=8, area=area) for table in (alone, crowded))
    blocked = 0
    for x in made.xs():
        for y in made.ys():
            told = stand(crowded, leans, at=(x, y), physics="never", brief=True).answer
            assert made.at(x, y).answer == told
            blocked += told == "blocked" != without.at(x, y).answer
            assert told == "blocked" or repr(made.at(x, y)) == repr(without.at(x, y))
    assert 20 < blocked < 60


def test_who_hardly_takes_a_nudge_is_in_the_way_of_another_all_the_same() -> None:
    totters = Mini("27", height=200, com=13.5 / math.tan(math.radians(5.0)))
    table = Table(minis=(Placed("guard", MINI, (0, 0)),), size_mm=(200, 200))
    for x, word in ((20.0, "blocked"), (40.0, "undecided")):
        told = stand(table, totters, at=(x, 0), physics="never").answer
        assert (told, atlas(table, totters, pitch=20, area=(0, 0, 40, 0)).at(x, 0).answer) == (word, word)


@pytest.mark.parametrize("words_only", [False, True])
def test_under_a_cut_there_must_be_room_to_set_down_a_wide_body_that_goes_over(words_only: bool) -> None:
    shapes = [box((-60, -40, 0), (-20, 40, 30)), box((3, -40, 0), (7, 40, 38)), box((60, -40, 80), (180, 40, 84))]
    names = ("crate", "wall", "roof")
    pieces = tuple(Piece(name, Solid.of(*shape, name=name)) for name, shape in zip(names, shapes, strict=True))
    table = Table(pieces=pieces)
    wide = Mini("27", com=10, body=Body(60, 40))
    made = atlas(table, wide, pitch=2, area=(-25, 0, 8, 0), levels=True, words_only=words_only)
    assert len(made.layers) == 2
    for k, layer in enumerate(made.layers):
        for x in made.xs():
            told = stand(table, wide, at=(x, 0), level=layer.level, physics="never")
            assert made.at(x, 0, layer=k).answer == told.answer
        assert made.at(-16, 0, layer=k).answer == ("blocked" if k else "topples")


@pytest.mark.parametrize("floor", [0.0, None])
def test_who_cannot_stand_where_it_was_put_is_in_the_way_there(floor: float | None) -> None:
    crate = Piece("crate", Solid.of(*box((-60, -60, 0), (60, 60, 40))))
    guard = Placed("guard", Mini("27", height=30), (65, 0))  # more than half of it hangs over the edge, 40 mm up
    table = Table(pieces=(crate,), minis=(guard,), floor_mm=floor)
    assert stand(table.without("guard"), guard.mini, at=guard.at, physics="never").answer == "topples"
    made = atlas(table, guard.mini, pitch=1, area=(36, 0, 46, 0))
    for x, word in ((46, "blocked"), (39, "blocked"), (38, "stable")):  # two 27 mm bases meet at 27 mm
        told = stand(table, guard.mini, at=(x, 0), physics="never")
        assert (told.answer, made.at(x, 0).answer) == (word, word)


def test_slippery_ground_slides() -> None:
    table = table_of("gallery/ramp-40.stl")
    made = atlas(table, sim3d.Mini("27", height=20, com=4), pitch=20, friction=0.5)
    assert "slides" in made.areas()


# --- the same bytes ---------------------------------------------------------------------------------------------------


def test_the_same_bytes_with_other_threads_and_blocks() -> None:
    table = table_of("pack/bridge.stl")
    one = atlas(table, MINI, pitch=8, threads=1, rows=1000)
    two = atlas(table, MINI, pitch=8, threads=2, rows=3)
    assert one.as_npz() == two.as_npz()
    part = atlas(table, MINI, pitch=8, area=(-20, -20, 20, 20))
    i, j = part.first[0] - one.first[0], part.first[1] - one.first[1]
    ny, nx = part.shape
    whole = one.layers[0].numbers[j : j + ny, i : i + nx]
    assert whole.tobytes() == part.layers[0].numbers.tobytes()


def test_several_bases_share_a_raster() -> None:
    table = table_of("gallery/crate.stl")
    maps = list(atlases(table, [MINI, sim3d.Mini("40")], pitch=10))
    assert [m.base for m in maps] == ["27", "40"]


@pytest.mark.parametrize("wrong", [{"pitch": 0.0}, {"turns": ()}, {"area": (1, 1, 0, 0)}, {"pitch": 1e-4}])
def test_what_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"pitch|turns|area|cell"):
        atlas(table_of("gallery/crate.stl"), MINI, **wrong)  # type: ignore[arg-type]


# --- the raster -------------------------------------------------------------------------------------------------------


def test_no_point_of_the_terrain_is_over_its_lid() -> None:
    ground = ground_of(table_of("pack/broken-walls.stl"))
    spans = spans_of(ground.corners, ground.floor_mm)
    rng = np.random.default_rng(5)
    chosen = rng.integers(len(ground.corners), size=4000)
    shares = rng.dirichlet([1, 1, 1], size=4000)
    points = np.einsum("nk,nka->na", shares, ground.corners[chosen])
    i = np.floor((points[:, 0] - spans.x0) / spans.cell).astype(int)
    j = np.floor((points[:, 1] - spans.y0) / spans.cell).astype(int)
    cell = j * spans.nx + i
    x = points[:, 0] - spans.x0 - (i + 0.5) * spans.cell
    y = points[:, 1] - spans.y0 - (j + 0.5) * spans.cell
    lid = spans.lids[2, cell] + spans.lids[0, cell] * x + spans.lids[1, cell] * y
    hidden = []
    for c, t in zip(cell, chosen, strict=True):
        top = spans.members[spans.starts[c] : spans.starts[c] + spans.tops[c]]
        hidden.append(t not in top)
    assert (points[:, 2] <= lid + 1e-9)[~np.array(hidden)].all()
    seen, half = ~np.array(hidden), spans.cell / 2
    spared = []
    for gx, gy in rng.uniform(-5.0, 5.0, (12, 2)):  # over a plane of any gradient, whose middle is the cell's
        for n in np.flatnonzero(seen)[:400]:
            mx, my, top = spans.lids[:, cell[n]]
            less = lower(top, spans.steep_lids[cell[n]], gx - mx, gy - my, half)
            assert points[n, 2] - gx * x[n] - gy * y[n] <= top + (abs(gx - mx) + abs(gy - my)) * half - less + 1e-9
            spared.append(less)
    assert np.mean(spared) > 0.5  # mm: broken walls are thinner than a cell
    assert len(cut_off(ground.corners, ground.ends(), -1e9)) == 0


def test_a_map_of_a_part_makes_no_raster_of_the_whole() -> None:
    """Of a plate 3 m wide, one mesh, a map of a few cells took 20 s: all of it was rastered, and none of it asked."""
    plate = Solid.of(*box((-1500, -1500, 0), (1500, 1500, 20)))
    block = Solid.of(*box((-30, -30, 20), (30, 30, 45)))
    table = Table(pieces=(Piece("plate", plate), Piece("block", block)))
    area = (10.0, -6.0, 40.0, 6.0)
    part = sweep._terrain_of(table, sweep._around(area, (MINI,))).spans(None)
    assert part.nx * part.ny < 120 * 120
    assert part.x0 <= area[0] - 40
    assert part.x0 + part.nx * part.cell >= area[2] + 40
    made = atlas(table, MINI, pitch=1.0, area=area, threads=1)
    assert contradictions(made, table, MINI, 20, 7) == []
    assert {WORDS[w] for w in np.unique(made.layers[0].words)} >= {"stable", "precarious"}


@pytest.mark.parametrize("name", ["pack/hill.ply", "pack/ruin.stl", "pack/landing-pad.stl"])
def test_a_map_of_a_part_is_that_part_of_the_whole_map(name: str) -> None:
    table = table_of(name)
    whole, part = atlas(table, MINI, pitch=9.0), atlas(table, MINI, pitch=9.0, area=(-30, -20, 24, 34))
    j, i = part.first[1] - whole.first[1], part.first[0] - whole.first[0]
    rows, columns = part.shape
    assert np.array_equal(whole.layers[0].words[j : j + rows, i : i + columns], part.layers[0].words)
    assert np.allclose(
        whole.layers[0].numbers[j : j + rows, i : i + columns], part.layers[0].numbers, atol=1e-9, equal_nan=True
    )
