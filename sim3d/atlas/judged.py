"""The word of a cell whose base rests: by all that it touches, by friction, and by what takes it over.

Compiled. What a bound proves is not computed: a base whose contacts reach far enough round its centre of mass stands
the nudge, whatever it would roll over. What a bound leaves open is rolled out by the exact solver's own loops.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.atlas.clear import FREE, HIT, Model
from sim3d.atlas.fit import no_room_at_all, upright_room
from sim3d.atlas.place import Index, Place, about, footing_at
from sim3d.atlas.pose import slips_off
from sim3d.atlas.words import (
    ASK,
    BARRIER,
    BLOCKED,
    BOUND,
    EXACT_BELOW_DEG,
    FALLING,
    HEIGHT_Z,
    MARGIN,
    MAY_STAY,
    NEAR_5,
    NEAR_45,
    ON_A_LINE,
    ON_A_POINT,
    PRECARIOUS,
    ROOM,
    SLIP,
    SLOPE_X,
    SLOPE_Y,
    STABLE,
    STEEP,
    SURE_DEG,
    TILT,
    TIP,
    TIP_EXACT,
    TOPPLING,
    WANDERED,
)
from sim3d.compiled import compiled, lean
from sim3d.ground.foot import Foot
from sim3d.ground.patch import sizes
from sim3d.ground.room import Shells
from sim3d.ground.spans import Spans
from sim3d.space import TOUCH_MM, WORD_BAND_MM, Floats, Ints
from sim3d.stand import STEEP_DEG
from sim3d.statics.barrier import barrier, least_lift
from sim3d.statics.everywhere import lowest_from
from sim3d.statics.footing import BEHIND_MM, Trodden, met_rolling
from sim3d.statics.friction import BALANCED, balance
from sim3d.statics.glide import WALK_MM
from sim3d.statics.lowest import LOST, RESTS, TOPPLES
from sim3d.statics.near import Terrain, loose
from sim3d.statics.numbers import DIRECTIONS, FARTHEST_LIFT_MM
from sim3d.statics.over import CORNER, EDGE, PROP, to_base
from sim3d.statics.ramp import BALANCES_MM, may_stay_away, nudges
from sim3d.statics.rest import BESIDE, NUDGE_DEG
from sim3d.statics.roll import ahead
from sim3d.statics.spot import Spot, gathered
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
    hull,
    touching,
    turn_of,
)
from sim3d.statics.touch import UNDER as UNDER_BASE
from sim3d.statics.ways import BY_TILT, beyond, foot_of_com, ways_over
from sim3d.statics.weigh import FIRM_MM, along_rims, arms_of, carrying, horizontal_margin, normals_of

SLACK_DEG, SLACK = 2e-3, 1e-3  # rolling lets contacts sink in by a ten-thousandth of a mm: bounds are less by this
ROCKS_MM = 0.1 * WORD_BAND_MM  # a base that balances and rocks its middle by more is asked of the exact solver
CONE_DEG = 1.0  # a friction cone this much narrower than the real one must do: contacts on a bow are thinned elsewhere
WELL_MM = 0.1  # farther inside than needed: what only nearly touches lies elsewhere by less once it does
UNDERCUT = 0.1  # cosine: a face that stands as steeply on a base's plane meets its side rather than its underside


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
def rolled(
    index: Index, model: Model, place: Place, trodden: Trodden, x: float, y: float, c: float, gx: float, gy: float
) -> tuple[float, float, float, bool, bool]:
    """Tip (degrees), rocking, barrier (mm) and whether they are exact, by the exact solver's loops, as `solved` does.

    Last, whether it takes the nudge, but may as well stay where that leads.

    A tip of `exact_deg` or more comes out as that: rolling it farther is dear, and no word asks for it. For words alone
    one below the nudge's angle may be too large, and there is no barrier.
    """
    on = footing_at(index, model, place, trodden, x, y, c, gx, gy)
    words = place.exact_deg < EXACT_BELOW_DEG
    nudge = math.radians(NUDGE_DEG)
    enough, limit = math.radians(NUDGE_DEG - SURE_DEG), math.radians(place.exact_deg + FARTHER_AT_LEAST_DEG)
    if words:
        tip_at, highest = tip_for_word(on, limit, enough), math.inf
        if model.com[2] * math.tan(min(tip_at, enough)) > BALANCES_MM:
            stays = False
            if tip_at >= enough:
                _, _, leans, first = nudges(on, DIRECTIONS, nudge, True)
                stays = may_stay_away(on, leans, first, nudge)
            return math.degrees(tip_at), 0.0, math.nan, False, stays
    else:
        tip_at, highest = tip(on, limit, 0.0)
    over, rocked, leans, first = nudges(on, DIRECTIONS, min(tip_at, nudge), True)
    tip_at = min(tip_at, over)
    if words:
        return math.degrees(tip_at), rocked, math.nan, False, False
    stays = tip_at >= nudge and may_stay_away(on, leans, first, nudge)
    if tip_at >= math.radians(EXACT_BELOW_DEG):  # the search over facets is dear: the least lift over an edge will do
        return EXACT_BELOW_DEG, rocked, (1.0 - SLACK) * least_lift(on), False, stays
    lift, final = barrier(on, min(highest, FARTHEST_LIFT_MM))
    return math.degrees(tip_at), rocked, lift, final, stays


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
        tip_deg, rocked, lift, final, stays = rolled(index, model, place, trodden, x, y, c, gx, gy)
        out[TIP], out[BARRIER] = tip_deg, lift
        how = 0 if final else BOUND if tip_deg == EXACT_BELOW_DEG else BOUND | TIP_EXACT
        inside = com[2] * math.tan(math.radians(tip_deg))
        if inside < 1.1 * WORD_BAND_MM:
            rocks = com[2] * math.tan(math.radians(min(rocked, 80.0)))
            if inside > 0.9 * WORD_BAND_MM or rocks > ROCKS_MM:  # to a rest: is that where it comes to?
                return ASK, ON_A_LINE
            return unbalanced(spans, room, index, closed, spot, model, place, ON_A_LINE, out)
        if abs(tip_deg - NUDGE_DEG) < SURE_DEG:
            return ASK, NEAR_5
        if stays and tilt <= STEEP_DEG:
            return ASK, MAY_STAY
    if tilt > STEEP_DEG:
        return STEEP, how
    return (PRECARIOUS if out[TIP] < NUDGE_DEG else STABLE), how


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
