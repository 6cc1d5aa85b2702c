"""The sweep: rasters once per table, rows of cells in compiled loops, the exact solver where there is no proof."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from sim3d.atlas.cell import swept
from sim3d.atlas.clear import Model, posts_of
from sim3d.atlas.place import Index, Place
from sim3d.atlas.value import REFINED, Atlas, Audit, Contradicted, Layer
from sim3d.atlas.words import (
    ASK,
    BARRIER,
    BLOCKED,
    BOUND,
    EXACT_BELOW_DEG,
    FALLING,
    HEIGHT_Z,
    MARGIN,
    OFF,
    SLOPE_X,
    SLOPE_Y,
    SURE_DEG,
    TIP,
    TIP_EXACT,
    TOPPLING,
    UNDECIDED,
    UNDER,
)
from sim3d.compiled import SHARES
from sim3d.ground import ground_of
from sim3d.ground.patch import NO_ENDS, Ground
from sim3d.ground.room import Shells
from sim3d.ground.spans import Spans, clear_of_breaks, clear_of_change, cut_off, spans_of
from sim3d.ground.storeys import cuts_of
from sim3d.mini import Base, Mini
from sim3d.overlap import OVERLAP_MM, against, body_rounds, hearts_of, rooms_of, standing, taken_in
from sim3d.space import TOUCH_MM, WORD_BAND_MM, Bools, Floats, Ints
from sim3d.stand import WORDS, Stand, answered, stand
from sim3d.statics.footing import untrodden
from sim3d.statics.rest import AROUND_MM, NUDGE_DEG, foot_of
from sim3d.statics.touch import frame_of
from sim3d.table import Table

BLOCK = 250  # cells that a thread takes at a time at most, or a row: who interrupts waits for no more
BESIDE_MM = 10.0  # farther than a raster's cell, and than what a look allows for rounding
LARGEST = 40_000_000  # cells of one layer: 6 by 3 feet at 0.2 mm
UNCARRIED = (TOPPLING, FALLING, UNDECIDED)  # words of cells in which a base may have no pose
Told = Callable[[int, int], None]  # cells done, cells in all


def atlas(
    table: Table,
    mini: Mini,
    *,
    pitch: float = 1.0,
    turns: Sequence[float] = (0.0,),
    levels: bool = False,
    area: tuple[float, float, float, float] | None = None,
    words_only: bool = False,
    friction: float | None = None,
    material: str = "grip",
    audit: int = 0,
    seed: int = 0,
    engine: str | None = None,
    threads: int | None = None,
    rows: int | None = None,
    told: Told | None = None,
) -> Atlas:
    """The standing map of `mini`: what `stand` says with its middle on every multiple of `pitch` mm.

    `area` is x, y to x, y in mm; without it the table, or all pieces and a base's reach around them. `levels` adds a
    layer for each storey below a roof. `words_only` leaves margin, tip and barrier
    out, which is much faster. `audit` asks the engine about so many cells, half of them refined ones. A thread takes so
    many `rows` of cells at a time; the map is the same whatever they are.
    """
    (one,) = atlases(
        table,
        (mini,),
        pitch=pitch,
        turns=turns,
        levels=levels,
        area=area,
        words_only=words_only,
        friction=friction,
        material=material,
        audit=audit,
        seed=seed,
        engine=engine,
        threads=threads,
        rows=rows,
        told=told,
    )
    return one


def atlases(
    table: Table,
    minis: Sequence[Mini],
    *,
    pitch: float = 1.0,
    turns: Sequence[float] = (0.0,),
    levels: bool = False,
    area: tuple[float, float, float, float] | None = None,
    words_only: bool = False,
    friction: float | None = None,
    material: str = "grip",
    audit: int = 0,
    seed: int = 0,
    engine: str | None = None,
    threads: int | None = None,
    rows: int | None = None,
    told: Told | None = None,
) -> Iterator[Atlas]:
    """The maps of several minis over one raster; arguments as of `atlas`."""
    pitch = float(pitch)  # a whole number would be another type: all loops would be compiled for it anew
    if not (math.isfinite(pitch) and pitch > 0):
        raise ValueError(f"a pitch is over 0 mm, got {pitch}")
    if not turns or not all(math.isfinite(t) for t in turns):
        raise ValueError(f"turns are numbers of degrees, at least one, got {tuple(turns)}")
    many = os.cpu_count() or 1 if threads is None else threads
    if not 1 <= many <= 256 or (rows is not None and rows < 1):
        raise ValueError(f"threads and rows are at least 1, got {many} and {rows}")
    # storeys are those of the whole table, whatever part of it is asked for
    terrain = _terrain_of(table, None if area is None or levels else _around(area, minis))
    for mini in minis:
        grid = _grid(table, terrain.ground, mini, pitch, area)
        cuts: tuple[float | None, ...] = (None,)
        if levels:
            reach = mini.base.outline.reach_mm()
            cuts += cuts_of(terrain.spans(None), terrain.closed, math.pi * reach * reach)
        layers: list[tuple[Layer, Bools]] = []  # each with the cells that asked about nothing beside the base
        asked = _Ask(table, mini, friction, material, engine)
        work = [(cut, float(turn)) for cut in cuts for turn in turns]
        total = len(work) * grid[2] * grid[3]
        for k, (cut, turn) in enumerate(work):
            say = partial(_say, told, k * grid[2] * grid[3], total) if told else None
            above = layers[k - len(turns)] if k >= len(turns) else None
            block = rows or max(1, min(BLOCK // grid[2], grid[3] // (SHARES * many)))
            layers.append(_layer(terrain, asked, grid, pitch, cut, turn, above, words_only, many, block, say))
        made = Atlas(mini.base.name, float(pitch), grid[:2], tuple(layer for layer, _ in layers), about=table.about)
        yield replace(made, audit=_audited(made, asked, audit, seed)) if audit else made


def _say(told: Told, before: int, total: int, done: int) -> None:
    told(before + done, total)


def _around(area: tuple[float, float, float, float], minis: Sequence[Mini]) -> tuple[float, float, float, float]:
    """The box of all that a mini with its middle in the area could touch, however it leans."""
    far = BESIDE_MM
    for m in minis:
        widest = max(m.base.outline.reach_mm(), float(body_rounds(m)[:, 2].max(initial=0.0)))
        far = max(far, BESIDE_MM + widest + m.height_mm)
    return area[0] - far, area[1] - far, area[2] + far, area[3] + far


def _meeting(corners: Floats, box: tuple[float, float, float, float]) -> Bools:
    """Which triangles' bounds meet a box."""
    low, high = corners[:, :, :2].min(axis=1), corners[:, :, :2].max(axis=1)
    x0, y0, x1, y1 = box
    meets: Bools = (low[:, 0] <= x1) & (low[:, 1] <= y1) & (high[:, 0] >= x0) & (high[:, 1] >= y0)
    return meets


class _Terrain:
    """The rasters of a table, made once each: without a cut, and for each cut. Of all of it, or of what meets a box."""

    def __init__(self, table: Table, box: tuple[float, float, float, float] | None) -> None:
        self.ground: Ground = ground_of(table)
        self._box = box
        self._made: dict[float | None, Spans] = {}
        self._clear: dict[float | None, Floats] = {}
        self._posts: dict[float | None, Floats] = {}
        g = self.ground
        self._seen = _meeting(g.corners, box) if box is not None else np.ones(len(g.corners), np.bool_)
        insides = g.insides()
        holed = insides.holed[self._seen] if len(insides.holed) else insides.holed
        self.closed = Shells(insides.of[self._seen], insides.rim[self._seen], holed)

    def index(self, cut: float | None) -> Index:
        g = self.ground
        ends = NO_ENDS if cut is None else g.ends()
        return Index(g.corners, g.traits, ends, g.cell_mm, g.shape, g.starts, g.members, g.floor_mm)

    def ends(self) -> Floats:
        """As `Ground.ends`, of the triangles of the rasters."""
        return self.ground.ends()[self._seen]

    def spans(self, cut: float | None) -> Spans:
        if cut not in self._made:
            g = self.ground
            corners = g.corners[self._seen]
            corners = corners if cut is None else cut_off(corners, self.ends(), cut)
            floor = g.floor_mm if cut is None or g.floor_mm <= cut else math.nan
            self._made[cut] = spans_of(corners, floor, box=self._box)
        return self._made[cut]

    def posts(self, cut: float | None) -> Floats:
        """What goes on over a cut, as `posts_of` it; nothing does over none."""
        if cut not in self._posts:
            if cut is None or not (self.closed.of >= 0).any():
                self._posts[cut] = np.empty((0, 0))
            else:
                self._posts[cut] = posts_of(self.spans(None), self.closed, float(cut))
        return self._posts[cut]

    def clear(self, cut: float | None) -> Floats:
        if cut not in self._clear:
            self._clear[cut] = clear_of_breaks(self.spans(cut))
        return self._clear[cut]


_LAST: list[tuple[Table, _Terrain]] = []  # one at most


def _terrain_of(table: Table, box: tuple[float, float, float, float] | None) -> _Terrain:
    """The rasters of a table; of all of the last one they are kept: a pack asks for one base after another."""
    if box is not None:
        return _Terrain(table, box)
    for known, terrain in _LAST[:1]:
        if known is table:
            return terrain
    _LAST.clear()  # before the next ones are made: two large tables are more than one
    terrain = _Terrain(table, None)
    _LAST[:] = [(table, terrain)]
    return terrain


class _Ask:
    """The exact solver for one mini, as `stand` is asked."""

    def __init__(self, table: Table, mini: Mini, friction: float | None, material: str, engine: str | None) -> None:
        self.table, self.mini, self.friction, self.material, self.engine = table, mini, friction, material, engine

    def least_friction(self) -> float:
        if self.friction is not None:
            return float(self.friction)
        surfaces = {"grip", self.table.floor_material, *(p.material for p in self.table.pieces)}
        return min(self.table.friction(self.material, s) for s in sorted(surfaces))

    def stand(
        self, x: float, y: float, turn: float, level: float | None, physics: Any = "never", *, brief: bool = False
    ) -> Stand:
        return answered(
            self.table,
            self.mini,
            at=(x, y),
            turn=turn,
            level=level,
            friction=self.friction,
            material=self.material,
            engine=self.engine,
            physics=physics,
            depth="word" if brief else "cell",
        )


def _grid(
    table: Table, ground: Ground, mini: Mini, pitch: float, area: tuple[float, float, float, float] | None
) -> tuple[int, int, int, int]:
    """First column and row, columns and rows of the cells whose middles lie in the area."""
    if area is None:
        if table.size_mm is not None:
            half_x, half_y = table.size_mm[0] / 2, table.size_mm[1] / 2
            area = (-half_x, -half_y, half_x, half_y)
        elif len(ground.corners):
            around = mini.base.outline.reach_mm()
            low, high = ground.corners[:, :, :2].min(axis=(0, 1)), ground.corners[:, :, :2].max(axis=(0, 1))
            area = (*(float(v) - around for v in low), *(float(v) + around for v in high))  # type: ignore[assignment]
        else:
            raise ValueError("a table without pieces or size has no end: give an area")
    assert area is not None
    x0, y0, x1, y1 = area
    if not (all(math.isfinite(v) for v in area) and x0 <= x1 and y0 <= y1):
        raise ValueError(f"an area is x, y to x, y in mm, got {area}")
    i0, j0 = math.ceil(x0 / pitch - 1e-9), math.ceil(y0 / pitch - 1e-9)
    nx, ny = math.floor(x1 / pitch + 1e-9) - i0 + 1, math.floor(y1 / pitch + 1e-9) - j0 + 1
    if nx < 1 or ny < 1:
        raise ValueError("no cell has its middle in the area")
    if nx * ny > LARGEST:
        raise ValueError(f"{nx * ny:,} cells are too many for one map; take a wider pitch or a smaller area")
    return i0, j0, nx, ny


def _model(mini: Mini) -> Model:
    foot = foot_of(mini.base)
    widest = float(body_rounds(mini)[:, 2].max(initial=0.0))
    return Model(
        foot,
        taken_in(mini.base, OVERLAP_MM - WORD_BAND_MM),
        taken_in(mini.base, OVERLAP_MM + WORD_BAND_MM),
        rooms_of(mini),
        np.array(mini.com),
        hearts_of(mini.base),
        mini.base.thickness_mm,
        mini.height_mm,
        max(foot.reach_mm, widest),
        widest <= foot.inner_mm,
    )


def _place(
    table: Table, base: Base, turn: float, cut: float | None, friction: float, exact_deg: float, posts: Floats
) -> Place:
    a = math.radians(turn)
    half = (math.inf, math.inf) if table.size_mm is None else (table.size_mm[0] / 2, table.size_mm[1] / 2)
    reach = [
        base.outline.support(ux * math.cos(a) + uy * math.sin(a), uy * math.cos(a) - ux * math.sin(a))
        for ux, uy in ((1, 0), (0, 1), (-1, 0), (0, -1))
    ]
    right, up, left, down = map(float, reach)
    return Place(a, math.inf if cut is None else cut, friction, *half, exact_deg, right, up, left, down, posts)


def _layer(
    terrain: _Terrain,
    asked: _Ask,
    grid: tuple[int, int, int, int],
    pitch: float,
    cut: float | None,
    turn: float,
    above: tuple[Layer, Bools] | None,
    words_only: bool,
    threads: int,
    rows: int,
    told: Callable[[int], None] | None,
) -> tuple[Layer, Bools]:
    """One level and one facing, and which cells asked about nothing beside the base.

    `above`: the same with the next higher cut; where both cut alike, they agree.
    """
    i0, j0, nx, ny = grid
    words, ways = np.empty((ny, nx), np.int64), np.empty((ny, nx), np.int64)
    numbers = np.full((ny, nx, 8), np.nan)
    spans, room, clear = terrain.spans(cut), terrain.spans(None), terrain.clear(cut)
    model = _model(asked.mini)
    exact_deg = NUDGE_DEG + SURE_DEG if words_only else EXACT_BELOW_DEG
    place = _place(asked.table, asked.mini.base, turn, cut, asked.least_friction(), exact_deg, terrain.posts(cut))
    level_word, level = OFF, np.zeros(8)
    alike = np.zeros((ny, nx), np.bool_)
    if above is not None and cut is not None:
        layer, under = above
        alike = _alike(terrain, model, above, cut, grid, pitch)
        words[alike], numbers[alike] = layer.words[alike], layer.numbers[alike]
        ways[alike] = layer.how[alike] | np.where(under[alike], UNDER, 0)

    def some(row: int, most: int = rows) -> int:
        part = slice(row, min(row + most, ny))
        many = part.stop - row
        swept(
            spans,
            room,
            terrain.index(cut),
            terrain.closed,
            clear,
            level_word,
            level,
            model,
            place,
            untrodden(),
            i0,
            j0 + row,
            nx,
            many,
            pitch,
            alike[part],
            words[part],
            ways[part],
            numbers[part],
        )
        return many * nx

    def exactly(cell: tuple[int, int]) -> None:
        j, i = cell
        x, y = float((i0 + i) * pitch), float((j0 + j) * pitch)
        _refine(asked.stand(x, y, turn, cut, brief=words_only), words, ways, numbers, j, i)

    some(0, 0)  # no row yet: on a machine's first run this loop is compiled before those of the exact solver, or beside
    level_word, level = _level_ground(asked, turn)
    done = 0
    with ThreadPoolExecutor(threads) as pool:  # the loops let go of Python; each block writes its own cells
        for cells in pool.map(some, range(0, ny, rows)):
            done += cells
            if told:
                told(done)
        _among_minis(asked, model, alike, words, numbers, grid, pitch, place)
        for _ in pool.map(exactly, [(int(j), int(i)) for j, i in np.argwhere(words == ASK)]):
            pass
    under = ways & UNDER > 0
    ways &= ~UNDER
    if words_only:
        numbers[:, :, [MARGIN, TIP, BARRIER]] = np.nan
        ways &= ~(BOUND | TIP_EXACT)
    return Layer(turn, cut, words.astype(np.uint8), ways.astype(np.uint8), numbers), under


def _alike(
    terrain: _Terrain,
    model: Model,
    above: tuple[Layer, Bools],
    cut: float,
    grid: tuple[int, int, int, int],
    pitch: float,
) -> Bools:
    """Cells that see nothing of what a cut takes away and the next higher one leaves.

    What is in the way is so under any cut: only what could carry the base counts, and what it could roll onto. But
    without a cut there is always room to set it down: where it does not rest, what meets a wide body is asked anew.
    """
    layer, under = above
    set_down: Bools = np.isin(layer.words, UNCARRIED) & (layer.level is None and not model.upright_fits)
    spans = terrain.spans(None)
    i0, j0, nx, ny = grid
    if not len(spans.corners):
        return ~set_down
    higher = math.inf if layer.level is None else layer.level
    if cut < terrain.ground.floor_mm <= higher:  # all that stood on the floor
        return np.zeros((ny, nx), np.bool_)
    clear = clear_of_change(spans, terrain.ends(), cut, higher)
    columns = np.floor(((i0 + np.arange(nx)) * pitch - spans.x0) / spans.cell).clip(0, spans.nx - 1).astype(np.int64)
    lines = np.floor(((j0 + np.arange(ny)) * pitch - spans.y0) / spans.cell).clip(0, spans.ny - 1).astype(np.int64)
    seen = model.foot.reach_mm + np.where(under, 0.0, AROUND_MM) + TOUCH_MM
    alike: Bools = (clear[np.ix_(lines, columns)] > seen) & ~set_down
    return alike


def _level_ground(asked: _Ask, turn: float) -> tuple[int, Floats]:
    """The word and the numbers on level ground, as the exact solver finds them there: they are the same everywhere."""
    found = stand(Table(), asked.mini, at=(0.0, 0.0), turn=turn, friction=asked.least_friction(), physics="never")
    at_rest = None if found.pose is None else 0.0
    numbers = [at_rest, at_rest, at_rest, at_rest, found.margin_mm, found.tip_deg, found.barrier_mm, 0.0]
    return WORDS.index(found.answer), np.array([math.nan if v is None else v for v in numbers])


def _among_minis(
    asked: _Ask,
    model: Model,
    known: Bools,
    words: Ints,
    numbers: Floats,
    grid: tuple[int, int, int, int],
    pitch: float,
    place: Place,
) -> None:
    """Cells in which another mini is in the way, unless a sooner word holds; to a micron the exact solver is asked.

    Without a cut, what rests nowhere is in nobody's way; under one, there must be room to set it down, too.
    """
    i0, j0, nx, ny = grid
    xs, ys = (i0 + np.arange(nx)) * pitch, (j0 + np.arange(ny)) * pitch
    slope = np.hypot(numbers[:, :, SLOPE_X], numbers[:, :, SLOPE_Y])
    rests = ~np.isnan(slope)
    lean = np.where(rests, slope / np.sqrt(1.0 + slope * slope), 0.0)
    again = ~known | np.isin(words, UNCARRIED)
    for other in (standing(asked.table, placed) for placed in asked.table.minis):
        away = other.corners[:, :, :2] - other.at
        far = float(np.hypot(away[:, :, 0], away[:, :, 1]).max()) + 0.1  # arcs are chords there
        gap = np.hypot(xs[None, :] - other.at[0], ys[:, None] - other.at[1])
        could = gap <= model.farthest + lean * model.height + far
        could &= again & (words >= FALLING) & (words <= UNDECIDED)
        if place.cut < math.inf:
            words[could & ~rests] = ASK
        for j, i in np.argwhere(could & rests).tolist():
            height, gx, gy = numbers[j, i, [HEIGHT_Z, SLOPE_X, SLOPE_Y]].tolist()
            frame = frame_of(float(xs[i]), float(ys[j]), height, gx, gy, place.turn)
            if against(asked.mini, frame, other, OVERLAP_MM + WORD_BAND_MM):
                words[j, i] = BLOCKED
            elif against(asked.mini, frame, other, OVERLAP_MM - WORD_BAND_MM):
                words[j, i] = ASK


def _refine(seen: Stand, words: Ints, ways: Ints, numbers: Floats, j: int, i: int) -> None:
    words[j, i] = WORDS.index(seen.answer)
    ways[j, i] = REFINED
    numbers[j, i, :7] = math.nan
    if seen.pose is not None:
        w, x, y, z = seen.pose.spin
        nx, ny, nz = 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)
        numbers[j, i, :3] = seen.pose.place[2], -nx / nz, -ny / nz
    for k, value in enumerate((seen.tilt_deg, seen.margin_mm, seen.tip_deg, seen.barrier_mm)):
        if value is not None:
            numbers[j, i, 3 + k] = value


def _audited(made: Atlas, asked: _Ask, count: int, seed: int) -> Audit:
    """The engine on a random sample of cells it can judge: half of them refined, as far as there are any."""
    rng = np.random.default_rng(seed)
    judged = [WORDS.index(w) for w in ("topples", "slides", "too-steep", "precarious", "stable")]
    pools = []
    for bit in (True, False):
        found = [np.isin(layer.words, judged) & ((layer.how & REFINED > 0) == bit) for layer in made.layers]
        pools.append(np.argwhere(found))
    half = min(count // 2, len(pools[0]))
    chosen = pools[0][rng.permutation(len(pools[0]))[:half]].tolist()
    chosen += pools[1][rng.permutation(len(pools[1]))[: count - half]].tolist()
    agreed = in_band = 0
    wrong = []
    for k, j, i in chosen:
        layer = made.layers[k]
        x, y = (made.first[0] + i) * made.pitch_mm, (made.first[1] + j) * made.pitch_mm
        word = WORDS[layer.words[j, i]]
        heard = asked.stand(x, y, layer.turn, layer.level, physics="always")
        if heard.answer != word:
            wrong.append(Contradicted(x, y, layer.turn, layer.level, word, heard.why))
        elif "settle" in heard.decided_by:
            agreed += 1
        else:
            in_band += 1
    return Audit(len(chosen), agreed, in_band, tuple(wrong), half)


__all__ = ["BOUND", "atlas", "atlases"]
