"""One cell's verdict, compiled: the pose from the raster, then only as many numbers as the word needs.

What a bound proves is not computed: a base whose contacts reach far enough round its centre of mass stands the nudge,
whatever it would roll over. What a bound leaves open is rolled out by the exact solver's own loops on the triangles.
What lies near a limit, or where this file has no proof, is marked for the exact solver. No word here is a guess.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.atlas.clear import FREE, HIT, NEARLY, Model, in_way, inside_closed, leaves_no_room
from sim3d.atlas.topple import CLEARLY, HELD, goes_over, nearly_carried, way_down
from sim3d.compiled import compiled, lean, lent, scratch, uncounted, unlent
from sim3d.ground.foot import Foot
from sim3d.ground.patch import ANY, cut_out, sizes
from sim3d.ground.room import Shells, gap_under
from sim3d.ground.spans import LEVEL_MM, Spans
from sim3d.ground.storeys import height_at
from sim3d.overlap import HEARTS
from sim3d.space import TOUCH_MM, WORD_BAND_MM, Bools, Floats, Ints
from sim3d.stand import STEEP_DEG
from sim3d.statics.barrier import barrier, least_lift
from sim3d.statics.everywhere import lowest_at, lowest_from
from sim3d.statics.footing import BEHIND_MM, Footing, Trodden, footing_of, forgotten, met_rolling
from sim3d.statics.friction import BALANCED, balance
from sim3d.statics.glide import WALK_MM
from sim3d.statics.lowest import LOST, RESTS, TOPPLES, lowest
from sim3d.statics.near import Terrain, loose
from sim3d.statics.numbers import DIRECTIONS, FARTHEST_LIFT_MM
from sim3d.statics.over import CORNER, EDGE, PROP, to_base
from sim3d.statics.proofs import any_way_over, way_over
from sim3d.statics.ramp import BALANCES_MM, nudges
from sim3d.statics.rest import AROUND_MM, BESIDE, NUDGE_DEG
from sim3d.statics.roll import NEVER, ahead
from sim3d.statics.spot import Spot, gathered, highest, spot_at
from sim3d.statics.tilted import still_inside
from sim3d.statics.tip import FARTHER_AT_LEAST_DEG, tip, tip_for_word
from sim3d.statics.touch import (
    ARC,
    HEIGHT,
    MEETING,
    PX,
    PY,
    PZ,
    QX,
    QY,
    RIM_ON_EDGE,
    RIM_ON_FACE,
    TRIANGLE,
    at_rest,
    dot,
    frame_of,
    hull,
    touching,
    turn_of,
)
from sim3d.statics.touch import UNDER as UNDER_BASE
from sim3d.statics.ways import BY_TILT, beyond, foot_of_com, ways_over
from sim3d.statics.weigh import FIRM_MM, along_rims, arms_of, carrying, horizontal_margin, normals_of

OFF, BLOCKED, FALLING, TOPPLING, SLIDING, STEEP, PRECARIOUS, STABLE, UNDECIDED = range(9)  # as in `stand.WORDS`
ASK = 9  # no proof here: the exact solver is asked, because ...
NOT_OVER, ROOM, SLIP, NEAR_45, ON_A_POINT, ON_A_LINE, NEAR_5, WANDERED = range(8)

EXACT_BELOW_DEG = 10.0  # below it, tip and barrier are exact; above, what is proven
SURE_DEG = 0.01  # nearer than this to a limit, the exact solver is asked: ten times the band of a word
SLACK_DEG, SLACK = 2e-3, 1e-3  # rolling lets contacts sink in by a ten-thousandth of a mm: bounds are less by this
CONE_DEG = 1.0  # a friction cone this much narrower than the real one must do: contacts on a bow are thinned elsewhere
STRAIGHT_ON = 1  # a search led on more often ends where a hair's breadth takes it: one by raster, or one by triangles
WELL_MM = 0.1  # farther inside than needed: what only nearly touches lies elsewhere by less once it does
UNDERCUT = 0.1  # cosine: a face that stands as steeply on a base's plane meets its side rather than its underside
BY_A_HAIR = 4  # besides what comes out of `lowest`: within a hair of being carried, or of not being

# columns of a cell's numbers
HEIGHT_Z, SLOPE_X, SLOPE_Y, TILT, MARGIN, TIP, BARRIER, SURFACE = range(8)
FLAT, BOUND, TIP_EXACT = 1, 2, 4  # how it was found: on level ground; a lower bound stands for tip and barrier; ...
UNDER = 16  # ... by what lies under the base alone: nothing beside its outline was asked about


class Index(NamedTuple):
    """The ground's triangles with the index that finds them, as `cut_out` takes them."""

    corners: Floats
    traits: Ints
    ends: Floats
    cell: float
    shape: Ints
    starts: Ints
    members: Ints
    floor: float


class Place(NamedTuple):
    """Where and how: the cut, friction, the table's half sizes (inf: none), and the base's reach along its sides."""

    turn: float  # radians
    cut: float
    friction: float  # the least that any surface here has
    half_x: float
    half_y: float
    exact_deg: float  # a tip below is found exactly, of one above that it is: for words alone the nudge's angle will do
    reach_x: float  # farthest towards +x
    reach_y: float
    back_x: float  # farthest towards -x
    back_y: float
    posts: Floats  # (ny, nx) over the cells of what can be in the way, as `posts_of` the cut; (0, 0): none


@lean
def beyond_edge(place: Place, x: float, y: float) -> float:
    """How far (mm) the base reaches over the table's edge; negative inside."""
    return max(
        x + place.reach_x - place.half_x,
        -x + place.back_x - place.half_x,
        y + place.reach_y - place.half_y,
        -y + place.back_y - place.half_y,
    )


@compiled
def patch_at(index: Index, model: Model, place: Place, x: float, y: float) -> tuple[Ints, Floats, Ints, float]:
    """The triangles about a place, as the exact solver cuts them out."""
    around = model.foot.reach_mm + AROUND_MM
    i = index
    return cut_out(
        i.corners, i.traits, i.ends, i.cell, i.shape, i.starts, i.members, i.floor, x, y, around, place.cut, ANY
    )


@compiled
def footing_at(
    index: Index, model: Model, place: Place, trodden: Trodden, x: float, y: float, c: float, gx: float, gy: float
) -> Footing:
    """A base in its pose, as the exact solver's loops take it. `trodden` is room for its steps."""
    _, tris, traits, high = patch_at(index, model, place, x, y)
    _, lengths = sizes(tris)
    frame = frame_of(0.0, 0.0, c - high, gx, gy, place.turn)
    return footing_of(tris, lengths, traits, frame, model.com, model.foot, forgotten(unlent(trodden)))


@compiled
def rolled(
    index: Index, model: Model, place: Place, trodden: Trodden, x: float, y: float, c: float, gx: float, gy: float
) -> tuple[float, float, float, bool]:
    """Tip (degrees), rocking, barrier (mm) and whether they are exact, by the exact solver's loops, as `solved` does.

    A tip of `exact_deg` or more comes out as that: rolling it farther is dear, and no word asks for it. For words alone
    one below the nudge's angle may be too large, and there is no barrier.
    """
    on = footing_at(index, model, place, trodden, x, y, c, gx, gy)
    words = place.exact_deg < EXACT_BELOW_DEG
    enough, limit = math.radians(NUDGE_DEG - SURE_DEG), math.radians(place.exact_deg + FARTHER_AT_LEAST_DEG)
    if words:
        tip_at, highest = tip_for_word(on, limit, enough), math.inf
        if model.com[2] * math.tan(min(tip_at, enough)) > BALANCES_MM:
            return math.degrees(tip_at), 0.0, math.nan, False
    else:
        tip_at, highest = tip(on, limit, 0.0)
    balances = model.com[2] * math.tan(min(tip_at, 1.0)) < BALANCES_MM  # then it is asked how far it rocks
    over, rocked, _, _ = nudges(on, DIRECTIONS, min(tip_at, math.radians(NUDGE_DEG)), balances)
    tip_at = min(tip_at, over)
    if words:
        return math.degrees(tip_at), rocked, math.nan, False
    if tip_at >= math.radians(EXACT_BELOW_DEG):  # the search over facets is dear: the least lift over an edge will do
        return EXACT_BELOW_DEG, rocked, (1.0 - SLACK) * least_lift(on), False
    lift, final = barrier(on, min(highest, FARTHEST_LIFT_MM))
    return math.degrees(tip_at), rocked, lift, final


@compiled
def holds(
    touch: Floats, ring: Ints, normals: Floats, tris: Floats, frame: Floats, model: Model, friction: float
) -> bool:
    """Whether loads well inside the friction cones of what touches balance the weight."""
    chosen = carrying(touch, ring)
    many = chosen.shape[0]
    if many == 0:
        return False
    mine = along_rims(touch[chosen], tris, frame, model.com, model.foot.edges)
    arms, pushes, loads = arms_of(mine, frame, model.com), normals[chosen], np.zeros((many, 3))
    mu = math.tan(math.atan(friction) - math.radians(CONE_DEG))
    down = np.array([0.0, 0.0, -1.0])
    return mu > 0.0 and balance(arms, pushes, down, model.foot.reach_mm, mu, loads, np.empty(6)) <= BALANCED


@compiled
def on_three(
    spot: Spot,
    basis: Floats,
    features: Ints,
    frame: Floats,
    model: Model,
    place: Place,
    gx: float,
    gy: float,
    in_the_way: bool,
) -> bool:
    """Whether the three contacts that a search ended with carry a base well, without what else it touches.

    They hold it without sliding, and whichever way gravity leans by the nudge it points inside of them. Of one for
    which there is no room only that they carry it, by more than a word's band.
    """
    three, tris, ring = np.zeros((3, 10)), np.empty((3, 3, 3)), np.array([0, 1, 2])
    for i in range(3):
        kind = features[i, 0]
        if kind == PROP:
            return False
        three[i, QX], three[i, QY] = to_base(basis[i, 0], basis[i, 1], gx, gy, spot.ct, spot.st)
        three[i, PX], three[i, PY], three[i, PZ] = basis[i, 0], basis[i, 1], basis[i, 2]
        three[i, ARC], three[i, TRIANGLE] = -1.0, i
        three[i, MEETING] = UNDER_BASE if kind == CORNER else RIM_ON_EDGE if kind == EDGE else RIM_ON_FACE
        tris[i] = spot.tris[features[i, 1]]
    if turn_of(three, 0, 1, 2) < 0.0:
        ring[1], ring[2] = 2, 1
    com = model.com
    if in_the_way:
        x, y = foot_of_com(frame, com, 0.0, 0.0, -1.0)
        return bool(-beyond(three, ring, x, y)[1] * frame[3, 2] > 2.0 * WORD_BAND_MM)
    normals, least = normals_of(three, tris, frame, model.foot.edges), frame[3, 2]
    for i in range(3):
        if dot(normals[i, 0], normals[i, 1], normals[i, 2], frame[3]) < UNDERCUT:
            return False
        least = min(least, normals[i, 2])
    if math.degrees(math.acos(min(1.0, least))) > math.degrees(math.atan(place.friction)) - SURE_DEG:
        return False
    return still_inside(three, ring, frame, com, math.radians(place.exact_deg)) > WELL_MM


@compiled
def firmly(
    index: Index, model: Model, place: Place, trodden: Trodden, x: float, y: float, c: float, gx: float, gy: float
) -> int:
    """Whether a pose RESTS by more than a balance on one point of its rim, as `rest` asks; TOPPLES, or BY_A_HAIR."""
    on = footing_at(index, model, place, trodden, x, y, c, gx, gy)
    band = WORD_BAND_MM / model.com[2]
    tip_at, _ = tip(on, 2.0 * band, 0.5 * band)
    return RESTS if tip_at >= NEVER else BY_A_HAIR if tip_at > 0.5 * band else TOPPLES


@compiled
def about(index: Index, model: Model, place: Place, x: float, y: float) -> tuple[Floats, Floats]:
    """The triangles about a place, and their lumps."""
    _, tris, _, _ = patch_at(index, model, place, x, y)
    lumps, _ = sizes(tris)
    return tris, lumps


@compiled
def on_triangles(index: Index, model: Model, place: Place, x: float, y: float) -> tuple[int, float, float, float]:
    """The pose as the exact solver finds it, on the same triangles."""
    _, tris, traits, high = patch_at(index, model, place, x, y)
    lumps, _ = sizes(tris)
    basis, features = np.empty((3, 3)), np.zeros((3, 4), np.int64)
    state, c, gx, gy, _ = lowest(tris, lumps, traits, model.com, place.turn, 0.0, 0.0, model.foot, basis, features)
    return state, c + high, gx, gy


@compiled
def slips_off(tris: Floats, lumps: Floats, model: Model, place: Place, only_clearly: bool) -> tuple[bool, bool]:
    """Whether a base set down level provably goes over, whatever it could lean on then; and whether clearly."""
    _, _, over, _, _, clearly = any_way_over(tris, lumps, model.com, place.turn, model.foot, only_clearly)
    return over, clearly


@compiled
def caught(
    spans: Spans,
    index: Index,
    spot: Spot,
    model: Model,
    place: Place,
    trodden: Trodden,
    state: int,
    gx: float,
    gy: float,
    no_room: bool,
) -> tuple[int, float, float, float]:
    """What becomes of a base that no pose was found for from level, as the exact solver says: TOPPLES, or how it RESTS.

    It rests on something farther down that it meets on its way over. BY_A_HAIR: nearly carried; LOST: neither is known.
    Where there is no room for it upright that is its word, and it is not asked whether it is nearly carried.
    """
    com = model.com
    tris, lumps = about(index, model, place, spot.x, spot.y)
    if state == LOST:
        over, clearly = slips_off(tris, lumps, model, place, False)
        if over:
            over = clearly or no_room or not nearly_carried(spans, spot, com)
            return (TOPPLES if over else BY_A_HAIR), 0.0, gx, gy
    hx, hy, way = way_down(spans, spot, tris, lumps, com, place.turn, gx, gy)
    if way == CLEARLY:
        return TOPPLES, 0.0, gx, gy
    if way == HELD:
        basis, features = np.empty((3, 3)), np.zeros((3, 4), np.int64)
        found, c, hx, hy = lowest_from(spans, spot, com, hx, hy, basis, features)
        if found == RESTS:
            found = firmly(index, model, place, trodden, spot.x, spot.y, c, hx, hy)
            if found != TOPPLES:
                return found, c, hx, hy
        if state == LOST:
            return LOST, 0.0, gx, gy
    return (TOPPLES if no_room or not nearly_carried(spans, spot, com) else BY_A_HAIR), 0.0, gx, gy


@compiled
def caught_on_triangles(
    index: Index,
    model: Model,
    place: Place,
    trodden: Trodden,
    x: float,
    y: float,
    state: int,
    gx: float,
    gy: float,
    no_room: bool,
) -> tuple[int, float, float, float]:
    """The same by the exact solver's own loops, for a search that wandered on the raster."""
    _, tris, traits, high = patch_at(index, model, place, x, y)
    lumps, _ = sizes(tris)
    com, turn, foot = model.com, place.turn, model.foot
    over, clearly, hx, hy = False, False, gx, gy
    if state == LOST:
        hx, hy, over, _, _, clearly = any_way_over(tris, lumps, com, turn, foot, False)
    if not over:
        _, hx, hy, over, _, _, clearly = way_over(tris, lumps, com, turn, foot, gx, gy)
    if not over:
        basis, features = np.empty((3, 3)), np.zeros((3, 4), np.int64)
        found, c, hx, hy, _ = lowest(tris, lumps, traits, com, turn, hx, hy, foot, basis, features)
        if found == RESTS:
            found = firmly(index, model, place, trodden, x, y, c + high, hx, hy)
            if found != TOPPLES:
                return found, c + high, hx, hy
        if state == LOST:
            return LOST, 0.0, gx, gy
    return (TOPPLES if clearly or no_room else BY_A_HAIR), 0.0, gx, gy


@compiled
def upright_height(spans: Spans, spot: Spot) -> float:
    """The highest terrain under the upright footprint; NaN over nothing."""
    point, feature, tri, shares = np.empty(3), np.zeros(4, np.int64), np.empty((3, 3)), np.empty(16)
    return highest(spans, spot, 0.0, 0.0, 0.0, 0.0, 0.0, point, feature, tri, shares)[0]


@compiled
def free_at(
    room: Spans,
    closed: Shells,
    x: float,
    y: float,
    frame: Floats,
    model: Model,
    place: Place,
    c: float,
    gx: float,
    gy: float,
) -> int:
    """Whether there is room for a model in a pose: FREE, HIT or NEARLY, as `in_way`; inside of a solid it is HIT, too.

    From above, only a base that leans far comes to lie inside of one that nothing of it touches.
    """
    free = in_way(room, x, y, frame, model, c, gx, gy, place.cut)
    if free == FREE and (place.cut < math.inf or math.hypot(gx, gy) > 0.5 * model.foot.inner_mm / model.thickness):
        points, half = scratch(HEARTS, 3), 0.5 * model.thickness
        for p in range(HEARTS):
            u, v = model.hearts[p, 0], model.hearts[p, 1]
            points[p, 0] = x + u * frame[1, 0] + v * frame[2, 0] + half * frame[3, 0]
            points[p, 1] = y + u * frame[1, 1] + v * frame[2, 1] + half * frame[3, 1]
            points[p, 2] = c + u * frame[1, 2] + v * frame[2, 2] + half * frame[3, 2]
        if inside_closed(room, closed, points, gap_under(model.height, model.thickness)):
            return HIT
    return free


@compiled
def upright_room(spans: Spans, room: Spans, closed: Shells, spot: Spot, model: Model, place: Place, out: Floats) -> int:
    """Whether there is room to set a model down upright on a level: FREE, HIT or NEARLY; from above there is.

    Where there is none, its height is written.
    """
    z = upright_height(spans, spot) if place.cut < math.inf else math.nan
    if z != z:
        return FREE
    frame = frame_of(0.0, 0.0, z, 0.0, 0.0, place.turn)
    free = free_at(room, closed, spot.x, spot.y, frame, model, place, z, 0.0, 0.0)
    if free != FREE:
        out[HEIGHT_Z] = z
    return free


@compiled
def is_walled_up(
    spans: Spans, room: Spans, closed: Shells, spot: Spot, model: Model, place: Place, out: Floats
) -> bool:
    """Whether there is no room for a model on a level, set down upright nor however it comes to rest: none is sought.

    How high it would stand upright is written.
    """
    x, y, foot = spot.x, spot.y, model.foot
    if not leaves_no_room(room, place.posts, model, x, y, -math.inf):  # nothing stands near enough
        return False
    high = upright_height(spans, spot) if foot.inner_mm == foot.reach_mm else place.cut
    if not (high == high and leaves_no_room(room, place.posts, model, x, y, high)):
        return False
    return upright_room(spans, room, closed, spot, model, place, out) == HIT


@compiled
def no_room_at_all(
    spans: Spans, room: Spans, index: Index, closed: Shells, spot: Spot, model: Model, place: Place, trodden: Trodden
) -> bool:
    """Whether a base that hardly balances has no room on a level: upright, and where the exact solver lets it rest."""
    x, y = spot.x, spot.y
    if upright_room(spans, room, closed, spot, model, place, np.empty(8)) != HIT:
        return False
    state, c, gx, gy = on_triangles(index, model, place, x, y)
    if state in (LOST, TOPPLES):
        state, c, gx, gy = caught_on_triangles(index, model, place, trodden, x, y, state, gx, gy, True)
    if state != RESTS:
        return state != BY_A_HAIR
    frame = frame_of(0.0, 0.0, c, gx, gy, place.turn)
    return free_at(room, closed, x, y, frame, model, place, c, gx, gy) == HIT


@lean
def without_rest(state: int, upright: int) -> tuple[int, int]:
    """The word of a cell in which no pose was found: it topples or falls, or there is no room to set it down.

    A search that went to and fro may end on the triangles themselves.
    """
    if upright != FREE:
        return (BLOCKED, 0) if upright == HIT else (ASK, ROOM)
    if state == LOST:
        return ASK, WANDERED
    return (TOPPLING if state == TOPPLES else FALLING), 0


@compiled
def unbalanced(
    spans: Spans,
    room: Spans,
    index: Index,
    closed: Shells,
    spot: Spot,
    model: Model,
    place: Place,
    reason: int,
    out: Floats,
) -> tuple[int, int]:
    """The word of a balance on a point or an edge: it topples where it provably goes over before it comes to that.

    Where it may be caught to one side of it, the exact solver knows more.
    """
    tris, lumps = about(index, model, place, spot.x, spot.y)
    if not slips_off(tris, lumps, model, place, True)[1]:
        return ASK, reason
    basis, features = np.empty((3, 3)), np.zeros((3, 4), np.int64)
    gx, gy = out[SLOPE_X], out[SLOPE_Y]
    for k in range(8):
        hx, hy = gx + BESIDE * math.cos(0.25 * math.pi * k), gy + BESIDE * math.sin(0.25 * math.pi * k)
        found, _, hx, hy = lowest_from(spans, spot, model.com, hx, hy, basis, features)
        if found == RESTS and math.hypot(hx - gx, hy - gy) > 0.5 * BESIDE:
            return ASK, reason
    out[:] = math.nan
    return without_rest(TOPPLES, upright_room(spans, room, closed, spot, model, place, out))


@compiled
def verdict(
    spans: Spans,
    room: Spans,
    index: Index,
    closed: Shells,
    model: Model,
    place: Place,
    trodden: Trodden,
    x: float,
    y: float,
    out: Floats,
) -> tuple[int, int]:
    """The word of one cell, and how it was found; its numbers into `out`. `spans` carries, `room` can be in the way."""
    out[:] = math.nan
    outside = beyond_edge(place, x, y)
    if outside > WORD_BAND_MM:
        return OFF, 0
    if abs(outside) <= WORD_BAND_MM:
        return UNDECIDED, 0
    spot = spot_at(spans, x, y, model.com, place.turn, model.foot)
    return set_down(spans, room, index, closed, spot, model, place, trodden, out)


@compiled
def set_down(
    spans: Spans,
    room: Spans,
    index: Index,
    closed: Shells,
    spot: Spot,
    model: Model,
    place: Place,
    trodden: Trodden,
    out: Floats,
) -> tuple[int, int]:
    """The same of a cell on the table."""
    spot = lent(spot)
    x, y, com = spot.x, spot.y, model.com
    words = place.exact_deg < EXACT_BELOW_DEG
    if words and place.posts.shape[0] > 0 and is_walled_up(spans, room, closed, spot, model, place, out):
        return BLOCKED, UNDER
    out[HEIGHT_Z] = math.nan
    basis, features = np.empty((3, 3)), np.zeros((3, 4), np.int64)
    state, c, gx, gy = lowest_at(spans, spot, com, basis, features)
    straight = state == RESTS and spot.led_on[0] <= STRAIGHT_ON
    wandered = state != LOST and spot.led_on[0] > STRAIGHT_ON
    if wandered:
        state, c, gx, gy = on_triangles(index, model, place, x, y)
        spot.led_on[0] = 0
    under, upright = UNDER, FREE
    if state != RESTS:
        upright = upright_room(spans, room, closed, spot, model, place, out)
    if state in (LOST, TOPPLES) and (wandered or state == LOST or not goes_over(spans, spot, com, gx, gy)):
        under, no_room = 0, upright == HIT
        if wandered:
            state, c, gx, gy = caught_on_triangles(index, model, place, trodden, x, y, state, gx, gy, no_room)
        else:
            state, c, gx, gy = caught(spans, index, spot, model, place, trodden, state, gx, gy, no_room)
        if state == BY_A_HAIR:
            return ASK, NOT_OVER
    if state != RESTS:
        word, how = without_rest(state, upright)
        return word, how if word == ASK else how | under
    if spot.led_on[0] > STRAIGHT_ON:
        return ASK, WANDERED
    frame = frame_of(0.0, 0.0, c, gx, gy, place.turn)
    tilt = math.degrees(math.atan(math.hypot(gx, gy)))
    out[HEIGHT_Z], out[SLOPE_X], out[SLOPE_Y], out[TILT] = c, gx, gy, tilt
    free = free_at(room, closed, x, y, frame, model, place, c, gx, gy)
    if free == NEARLY:
        return ASK, ROOM
    near_45 = abs(tilt - STEEP_DEG) < SURE_DEG
    if words and straight and not near_45 and on_three(spot, basis, features, frame, model, place, gx, gy, free == HIT):
        return (
            BLOCKED if free == HIT else STEEP if tilt > STEEP_DEG else STABLE,
            under if free == HIT else BOUND | under,
        )
    return judged(spans, room, index, closed, spot, model, place, trodden, frame, free == HIT, under, out)


@compiled
def rolls_over(terrain: Terrain, touch: Floats, ring: Ints, frame: Floats, foot: Foot) -> tuple[Floats, Ints]:
    """Of what a base touches what it rolls over, and which of that lies on its hull: no border of a band is."""
    if touch[:, HEIGHT].min() < -0.5 * WALK_MM:
        touch = met_rolling(terrain, frame, foot)
        ring = hull(touch)
    return touch, ring


@compiled
def carried_firmly(terrain: Terrain, touch: Floats, ring: Ints, frame: Floats, model: Model) -> bool:
    """Whether what a base rolls over carries it by more than the band of a balance: what only nearly touches does not.

    A balance may be none to which it comes: then it topples, whether there is room for that pose or not.
    """
    firm, corners = rolls_over(terrain, touch, ring, frame, model.foot)
    if corners.shape[0] < 3:
        return False
    x, y = foot_of_com(frame, model.com, 0.0, 0.0, -1.0)
    return bool(-beyond(firm, corners, x, y)[1] * frame[3, 2] * frame[3, 2] > 2.0 * WORD_BAND_MM)


@compiled
def judged(
    spans: Spans,
    room: Spans,
    index: Index,
    closed: Shells,
    spot: Spot,
    model: Model,
    place: Place,
    trodden: Trodden,
    frame: Floats,
    hit: bool,
    under: int,
    out: Floats,
) -> tuple[int, int]:
    """The same of a base that rests in a pose: by all that it touches, by friction, and by what takes it over.

    `hit`: there is no room for it; then only whether it is carried is asked.
    """
    x, y, foot, com = spot.x, spot.y, model.foot, model.com
    c, gx, gy, tilt = out[HEIGHT_Z], out[SLOPE_X], out[SLOPE_Y], out[TILT]
    words = place.exact_deg < EXACT_BELOW_DEG
    sec = math.sqrt(1.0 + gx * gx + gy * gy)
    _, tris = gathered(spans, spot, c, gx, gy, foot.reach_mm * (1.0 + 1e-9), -1.01 * TOUCH_MM * sec)
    _, lengths = sizes(tris)
    terrain = loose(tris, lengths)
    touch = at_rest(touching(terrain, frame, foot, TOUCH_MM))
    ring = hull(touch)
    if not words or hit:
        out[MARGIN] = horizontal_margin(touch, ring, frame, com, foot.edges)
    if hit:
        if carried_firmly(terrain, touch, ring, frame, model):
            return BLOCKED, under
        blocked = no_room_at_all(spans, room, index, closed, spot, model, place, trodden)
        return (BLOCKED, 0) if blocked else (ASK, ROOM)
    if abs(tilt - STEEP_DEG) < SURE_DEG:
        return ASK, SLIP
    # each contact takes a share of the weight straight down: it can, where its normal leans less than friction holds
    normals = normals_of(touch, tris, frame, foot.edges)
    least = frame[3, 2]
    for i in range(touch.shape[0]):
        if touch[i, HEIGHT] > -FIRM_MM:
            least = min(least, normals[i, 2])
    if math.degrees(math.acos(min(1.0, least))) > math.degrees(math.atan(place.friction)) - SURE_DEG and not holds(
        touch, ring, normals, tris, frame, model, place.friction
    ):
        return ASK, NEAR_45
    if words and still_inside(touch, ring, frame, com, math.radians(place.exact_deg)) > WELL_MM:
        return (STEEP if tilt > STEEP_DEG else STABLE), BOUND | under
    firm, corners = rolls_over(terrain, touch, ring, frame, foot)
    if corners.shape[0] < 2:
        return unbalanced(spans, room, index, closed, spot, model, place, ON_A_POINT, out)
    axes, sines = ways_over(firm, corners, frame, foot.edges, com, BY_TILT)
    first = np.argmin(sines)
    onset = math.degrees(math.asin(max(-1.0, min(1.0, sines[first])))) - SLACK_DEG
    how = 0
    if onset >= place.exact_deg:
        out[TIP] = onset
        if not words:
            out[BARRIER] = (1.0 - SLACK) * least_lift(footing_at(index, model, place, trodden, x, y, c, gx, gy))
            under = 0
        how = BOUND | under
        if ahead(frame, axes[first], foot) <= BEHIND_MM:  # over the rim: nothing is left that could stop it
            out[TIP] = onset + SLACK_DEG
            how = BOUND | TIP_EXACT | under
    else:
        tip_deg, rocked, lift, final = rolled(index, model, place, trodden, x, y, c, gx, gy)
        out[TIP], out[BARRIER] = tip_deg, lift
        how = 0 if final else BOUND if tip_deg == EXACT_BELOW_DEG else BOUND | TIP_EXACT
        inside = com[2] * math.tan(math.radians(tip_deg))
        if inside < 1.1 * WORD_BAND_MM:
            if inside > 0.9 * WORD_BAND_MM or rocked > 0.0:  # where it rocks to a rest: is that where it comes to?
                return ASK, ON_A_LINE
            return unbalanced(spans, room, index, closed, spot, model, place, ON_A_LINE, out)
        if abs(tip_deg - NUDGE_DEG) < SURE_DEG:
            return ASK, NEAR_5
    if tilt > STEEP_DEG:
        return STEEP, how
    return (PRECARIOUS if out[TIP] < NUDGE_DEG else STABLE), how


@compiled
def swept(
    spans: Spans,
    room: Spans,
    index: Index,
    closed: Shells,
    clear: Floats,
    level_word: int,
    level: Floats,
    model: Model,
    place: Place,
    trodden: Trodden,
    i0: int,
    j0: int,
    nx: int,
    ny: int,
    pitch: float,
    known: Bools,
    words: Ints,
    ways: Ints,
    numbers: Floats,
) -> None:
    """Rows of cells; the middle of cell (i, j) is (i0 + i, j0 + j) pitches. `level_word` is the word on level ground,
    `level` are the numbers there, its height 0.

    What is known is left as it is. `trodden` is room for the steps of one base after another.

    A row's cells depend on nothing but the terrain: not on threads, not on what was swept before.
    """
    spans, room, index, trodden = lent(spans), lent(room), lent(index), lent(trodden)
    model, place = lent(model), lent(place)
    closed, clear = uncounted(closed), uncounted(clear)
    for j in range(ny):
        for i in range(nx):
            if known[j, i]:
                continue
            x, y = (i0 + i) * pitch, (j0 + j) * pitch
            z = level_here(spans, clear, x, y, model.farthest)
            if z == z and place.cut == math.inf and beyond_edge(place, x, y) < -WORD_BAND_MM:
                words[j, i], ways[j, i] = level_word, FLAT | (UNDER if model.farthest <= model.foot.reach_mm else 0)
                numbers[j, i, :] = level
                numbers[j, i, HEIGHT_Z] += z
                numbers[j, i, SURFACE] = z
                continue
            words[j, i], ways[j, i] = verdict(spans, room, index, closed, model, place, trodden, x, y, numbers[j, i])
            numbers[j, i, SURFACE] = surface_at(spans, x, y)


@lean
def surface_at(spans: Spans, x: float, y: float) -> float:
    """The height of the highest terrain over a point; NaN over nothing."""
    best = spans.floor if spans.floor == spans.floor else -math.inf
    i, j = math.floor((x - spans.x0) / spans.cell), math.floor((y - spans.y0) / spans.cell)
    if 0 <= i < spans.nx and 0 <= j < spans.ny:
        m = j * spans.nx + i
        for k in range(spans.starts[m], spans.starts[m + 1]):
            if spans.highs[k] <= best:
                break
            over, z = height_at(spans.corners[spans.members[k]], x, y)
            if over:
                best = max(best, z)
    return best if best > -math.inf else math.nan


@lean
def level_here(spans: Spans, clear: Floats, x: float, y: float, reach: float) -> float:
    """The height of the ground where all of it within reach is level, else NaN."""
    if spans.nx == 0:
        return spans.floor
    i, j = math.floor((x - spans.x0) / spans.cell), math.floor((y - spans.y0) / spans.cell)
    if 0 <= i < spans.nx and 0 <= j < spans.ny:
        # what lies outside the raster is the floor, and the cells beside it are broken unless they are the floor, too
        return spans.level[j * spans.nx + i] if clear[j, i] > reach + LEVEL_MM else math.nan
    dx = max(spans.x0 - x, x - spans.x0 - spans.nx * spans.cell, 0.0)
    dy = max(spans.y0 - y, y - spans.y0 - spans.ny * spans.cell, 0.0)
    return spans.floor if math.hypot(dx, dy) > reach + LEVEL_MM else math.nan
