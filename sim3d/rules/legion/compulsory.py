"""Compulsory moves: a full move at maximum speed; else shifted back, else as far along the tool as can be, with wounds.

Where it ends is sought by `scan.farthest`: for the leader, and where that has a place, for the whole unit.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from sim3d.finding import Hit, Severity, check, counted, told_apart
from sim3d.ground import ground_of
from sim3d.ground.way import Track
from sim3d.overlap import OVERLAP_MM
from sim3d.plane import filled
from sim3d.rules.legion.actions import KINDS, NO_ACTION, STANDARD
from sim3d.rules.legion.bare import bare_from
from sim3d.rules.legion.battle import Battle, feet_mm, ring_of
from sim3d.rules.legion.laying import raised_speed, speed_of
from sim3d.rules.legion.making import Made, make
from sim3d.rules.legion.move import Move
from sim3d.rules.legion.passage import OFF_MM, outside_mm, pieces_at, stop_before, within_mm
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.scan import FINE_MM, Look, Once, Scan, farthest
from sim3d.rules.legion.standing import Standing, exact, nowhere, searching
from sim3d.space import Floats


@dataclass(frozen=True, slots=True)
class Compelled:
    """How a compulsory move came out."""

    full_mm: float
    travel_mm: float
    limit_mm: float  # how far the way goes: to what stops it, or to the battlefield's edge
    shift_limit_mm: float  # how far it may shift back; 0: not at all
    shifted: bool
    wounds: int
    reduced: bool  # at less than its maximum speed
    speed: int  # of the tool that it has to take: the fastest that the unit may
    why: tuple[str, ...] = ()  # codes of what speaks against the full move
    edge: bool = False  # a full move leaves the battlefield
    ignored: tuple[str, ...] = ()  # the pieces that it would end on and ignores
    left: bool = False  # the player goes over the edge
    stopper: str = ""  # what the way ends at, in words

    @property
    def flush(self) -> bool:
        """Whether it ends against what stops it, not at the tool's end or at the battlefield's edge."""
        return self.limit_mm < self.full_mm and not self.edge and self.limit_mm - self.travel_mm <= FINE_MM

    @property
    def complete(self) -> bool:
        """Whether it is a full move, or one shifted back: no wounds."""
        return self.shifted or self.left or self.whole

    @property
    def whole(self) -> bool:
        """Whether it ends where a full move does: places nearer to that than `FINE_MM` are not told apart."""
        return abs(self.travel_mm - self.full_mm) <= FINE_MM

    def at(self, travel: float) -> Compelled:
        """The same, ended at a place: at the full move's end nothing speaks against it, nobody shifts or is hurt."""
        ended = replace(self, travel_mm=travel)
        return replace(ended, shifted=False, wounds=0, why=()) if ended.whole else ended


# --- the move ---------------------------------------------------------------------------------------------------------


def compel(battle: Battle, move: Move, ruleset: Ruleset, *, standing: Standing) -> Made:
    """A compulsory move as it has to be made (CM03): the move at its end, and how it came to that.

    Where statics are asked, no more than words are worked out (`standing.searching`). A search ends at a limit: where
    that is so near that nobody can tell, it is made again, and nothing in doubt is taken for a yes.
    """
    made = _sought(battle, move, ruleset, standing=standing, sure=False)
    if standing is exact and made.compelled is not None and _doubted(made):
        return _sought(battle, move, ruleset, standing=standing, sure=True)
    return made


def _doubted(made: Made) -> bool:
    """Whether somebody stands where it ends by a word, and not by every number."""
    by_name = {m.name: m for m in made.ends}
    yes = [by_name[name] for name, s in zip(made.put, made.stands, strict=True) if s.answer == "stable"]
    return any(s.answer != "stable" for s in exact(replace(made.battle.table, minis=()), yes))


def _sought(battle: Battle, move: Move, ruleset: Ruleset, *, standing: Standing, sure: bool) -> Made:
    """The same, by a search that is `sure` of every place or not."""
    made = _compelled(battle, move, ruleset, standing=standing, sure=sure)
    found = made.compelled is not None and made.arranged is not None and not move.followers
    if found and move.tool is None and made.tool is not None and 0 < made.speed < made.tool.speed:
        slower = replace(move, tool=made.speed)  # its minis have no place but where it is difficult
        return _compelled(battle, slower, ruleset, standing=standing, sure=sure, due=made.speed)
    return made


def _compelled(
    battle: Battle, move: Move, ruleset: Ruleset, *, standing: Standing, sure: bool, due: int | None = None
) -> Made:
    """The same with the tool that is told, or the fastest that its leader may take; `due`: that it has to take."""
    whole = _laid(battle, move, ruleset)
    if whole.path is None or whole.track is None or whole.speed == 0:
        return make(battle, replace(move, free=True), ruleset, standing=standing)
    full = whole.path.full_mm
    if due is None:
        due = _due(battle, move, whole, ruleset, standing)
    on_table, (way, stopper) = _on_table_mm(whole), _way_mm(whole)
    if move.travel_mm is not None and on_table < move.travel_mm <= full:
        chosen = replace(whole.move, travel_mm=move.travel_mm, followers=move.followers, free=True)
        left = Compelled(full, move.travel_mm, on_table, 0.0, False, 0, _reduced(whole), due, edge=True, left=True)
        return replace(make(battle, chosen, ruleset, standing=standing), compelled=left)
    scan = Scan(whole, searching(standing, sure=sure), min(on_table, way))
    done = _Done(scan, move, os.cpu_count() or 1 if standing is exact else 1)
    back, ignored = _shift(scan)
    edge = on_table < full and on_table <= way  # what stops it before the edge is the reason, else
    answer = Compelled(full, full, scan.limit_mm, back, False, 0, _reduced(whole), due, (), edge, ignored)
    answer = replace(answer, stopper=stopper)
    if scan.limit_mm >= full and done.look(full).legal:
        return done.made(full, answer)
    why = done.look(full).codes if scan.limit_mm >= full else ("MOVE_TERRAIN_IN_THE_WAY",)
    answer = replace(answer, why=("UNIT_LEFT_TABLE",) if edge else why)
    top = scan.limit_mm
    if back > 0:
        top = max(0.0, full - back)
        place = done.farthest(top, full, scan.look)
        if place is not None and done.look(place).legal:
            return done.made(place, replace(answer, shifted=True))
        if place is not None:  # the leader would stand there, but not everybody has a place
            top, answer = place, replace(answer, why=done.look(place).codes)
    travel = done.farthest(0.0, top, done.look)
    speed = raised_speed(whole.unit, ruleset) if ruleset.options.reduced_wounds == "printed" else whole.speed
    return done.made(0.0 if travel is None else travel, replace(answer, wounds=speed))


def _laid(battle: Battle, move: Move, ruleset: Ruleset) -> Made:
    """The full move with the tool of the unit's maximum speed, as reduced (CM02); nobody is asked to stand."""
    unit = battle.unit(move.unit)
    told = replace(move, kind=STANDARD, travel_mm=None, free=True, followers=(), gather=False, displaced=())
    speed = speed_of(unit, told, ruleset, slow=False) if move.unit in [u.name for u in battle.units] else 0
    whole = make(battle, replace(told, compulsory=False, tool=move.tool or speed or None), ruleset, standing=nowhere)
    if move.tool is None and whole.tool is not None and 0 < whole.speed < whole.tool.speed:
        whole = make(battle, replace(told, compulsory=False, tool=whole.speed), ruleset, standing=nowhere)
    return replace(whole, move=replace(whole.move, compulsory=True))


def _due(battle: Battle, move: Move, whole: Made, ruleset: Ruleset, standing: Standing) -> int:
    """The speed that it has to take: told by the fastest tool, since a slower one may reach nothing that slows."""
    if move.tool is not None:
        whole = _laid(battle, replace(move, tool=None), ruleset)
        if whole.tool is not None and move.tool < whole.tool.speed and len(whole.ends) > 1:
            whole = compel(battle, replace(move, tool=None, travel_mm=None), ruleset, standing=standing)
    return whole.tool.speed if whole.tool is not None else whole.speed


def _reduced(whole: Made) -> bool:
    return whole.tool is not None and whole.tool.speed < raised_speed(whole.unit, whole.ruleset)


def _on_table_mm(whole: Made) -> float:
    """How far along the tool the leader's base stays on the battlefield."""
    assert whole.path is not None
    full, base, table = whole.path.full_mm, whole.leader.mini.base, whole.battle.table

    def off(travel: float) -> bool:
        x, y, turn = whole.path.at(travel) if whole.path is not None else (0.0, 0.0, 0.0)
        return outside_mm(table, base, np.array([[x, y, turn, travel]])) > OFF_MM

    if whole.outside_mm <= OFF_MM:
        return full
    before = 0.0
    for travel in whole.poses[:, 3]:
        if off(float(travel)):
            low, high = before, float(travel)
            while high - low > FINE_MM / 2:
                middle = (low + high) / 2
                low, high = (low, middle) if off(middle) else (middle, high)
            return low
        before = float(travel)
    return whole.path.legs_mm[0]  # only turning at the hinge takes it over the edge


def _way_mm(whole: Made) -> tuple[float, str]:
    """How far the way goes: to terrain that it may not pass, or to a mini that it may not push aside; and to what."""
    assert whole.path is not None
    assert whole.track is not None
    pieces = [p.name for p in whole.battle.table.pieces]
    ends = [(whole.path.full_mm, "")]
    if whole.stop_mm is not None:
        ends.append((whole.stop_mm, f"{pieces[whole.track.stopper]} stops it"))
    if whole.track.dropped >= 0 and whole.ruleset.options.deep_drop == "climb" and whole.walk.over_mm <= whole.feet:
        ends.append((_before_mm(whole, whole.track.dropped, lambda tried, _: tried.dropped < 0), "a drop stops it"))
    for name in whole.barred:
        number = pieces.index(name)
        seen = bare_from(whole.battle.table, whole.leader.mini.base, whole.poses, whole.track, whole.walk, number)
        if seen >= 0:  # else only its end is barred, below its cut
            ends.append((_before_mm(whole, seen, _not_met(whole, number)), f"{name} is impassable"))
    for met in whole.met:
        if met.way == "block":
            ends.append((met.at.travel_mm, f"{met.mini} stops it"))
    return min(ends, key=lambda end: end[0])


def _not_met(whole: Made, number: int) -> Callable[[Track, Floats], bool]:
    """Whether a stride meets nothing of a piece but what is covered."""
    table, base, walk = whole.battle.table, whole.leader.mini.base, whole.walk
    return lambda tried, stride: bare_from(table, base, stride, tried, walk, number) < 0


def _before_mm(whole: Made, number: int, free: Callable[[Track, Floats], bool]) -> float:
    """The last place in the stride that ends at a pose where the way is still free."""
    assert whole.track is not None
    table = whole.battle.table
    base, ground = whole.leader.mini.base, ground_of(table)
    return stop_before(ground, base, whole.poses, whole.walk, whole.track, len(table.pieces), number, free).travel_mm


def _shift(scan: Scan) -> tuple[float, tuple[str, ...]]:
    """How far it may shift back (CM08), and from which pieces.

    Not at all where something that it does not ignore stops it (CM09), or where the leader may end a full move: who
    finds no place beside it lets nobody shift (CM07).
    """
    whole = scan.made
    assert whole.path is not None
    full = whole.path.full_mm
    if scan.limit_mm < full or scan.look(full).legal:
        return 0.0, ()
    leader = scan.leader_at(full)
    feet = feet_mm(whole.battle.table, leader)
    over = whole.walk.over_mm
    if whole.unit.type == "repulsor":
        over = max(over, whole.feet + whole.walk.step_mm)
    pieces = pieces_at(whole.battle.table, leader, replace(whole.walk, over_mm=-math.inf), feet)
    end = [ring_of(leader)]
    ignored = tuple(name for name in pieces if within_mm(whole.battle.table, name, end, over + OVERLAP_MM))
    ring = filled(whole.leader.mini.base.outline)
    length = float(ring[:, 0].max() - ring[:, 0].min())
    return (whole.ruleset.numbers.shift_share * length, ignored) if ignored else (0.0, ())


@dataclass(slots=True)
class _Done:
    """Ends of a compulsory move with everybody: the leader first, then the others where a place is found (CM07)."""

    scan: Scan
    asked: Move
    hands: int  # stretches looked at side by side: compiled loops let go of Python, engines do not
    kept: Once[bool] = field(default_factory=lambda: Once())  # whether everybody else has a place

    def look(self, travel: float) -> Look:
        """Whether the whole unit may end here."""
        seen = self.scan.look(travel)
        if not seen.legal or len(self.scan.made.ends) == 1:
            return seen
        if self.kept.at(travel, self._gathered):
            return seen
        return replace(seen, legal=False, trace=("cohesion",), codes=("FOLLOWER_NO_WAY",))

    def _gathered(self, travel: float) -> bool:
        made = self.scan.made
        whole = make(made.battle, self._move(travel, gather=True), made.ruleset, standing=self.scan.standing)
        return whole.arranged is None or whole.arranged.whole

    def _move(self, travel: float, *, gather: bool) -> Move:
        told = replace(self.scan.made.move, travel_mm=travel)
        if gather:
            return replace(told, gather=True, seed=self.asked.seed)
        return replace(told, gather=True, seed=self.asked.seed, followers=self.asked.followers,
                       displaced=self.asked.displaced, displacer=self.asked.displacer)  # fmt: skip

    def farthest(self, low: float, high: float, look: Callable[[float], Look]) -> float | None:
        """The farthest place between two where the leader, or the whole unit, may end."""
        return farthest(low, high, look, self.scan.made.leader.mini.com[2], self.scan.changes, hands=self.hands)

    def made(self, travel: float, answer: Compelled) -> Made:
        """The move as it is made in the end."""
        scan = self.scan
        made = make(scan.made.battle, self._move(travel, gather=False), scan.made.ruleset, standing=scan.standing)
        return replace(made, compelled=answer.at(travel), told_mm=self.asked.travel_mm)


# --- what is wrong, and what happens ----------------------------------------------------------------------------------


@check("COMPULSORY_NOT_AS_FAR", Severity.ERROR, "it has to go {how}{due} mm, not {told}")
def compulsory_not_as_far(made: Made) -> Iterable[Hit]:
    """A compulsory move ends before the place where it has to, or a slower tool is taken (CM03, CM10, CM11).

    Why: it is full at maximum speed, or else goes as far as it can. Example: 0.2 mm short. Do: leave travel_mm out.
    """
    done, told = made.compelled, made.told_mm
    if done is None or done.left:
        return
    n = made.ruleset.numbers
    flush = n.contact_mm if done.flush else 0.0  # against what stops it: from flush to as deep as touching
    if told is not None and not -n.compulsory_mm - flush <= told - done.travel_mm <= n.compulsory_mm:
        rows = "CM03 CM10" if told > done.full_mm else "CM03 CM11" if done.shifted else "CM03"
        due, not_so = told_apart(done.travel_mm, told)
        yield Hit(rules=rows, how="", due=due, told=not_so, travel_mm=done.travel_mm, told_mm=told)
    if made.tool is not None and made.tool.speed < done.speed:
        due_mm, told_mm = made.ruleset.tool_mm(done.speed), made.tool.length_mm
        due, not_so = told_apart(due_mm, told_mm)
        how = f"at speed {done.speed}, with a tool of "
        yield Hit(rules="CM03", how=how, due=due, told=not_so, travel_mm=due_mm, told_mm=told_mm)


@check("COMPULSORY_NOT_NOW", Severity.ERROR, "{unit} {why}")
def compulsory_not_now(made: Made) -> Iterable[Hit]:
    """A compulsory move, or an action after it, at a time that is not its own (CM01).

    Why: it is made once, at the start or at the end of the actions. Example: to aim after it, when it was the end.
    Do: make it before all actions, or after them.
    """
    state, move = made.unit.state, made.move
    if move.compulsory and state.compulsory:
        yield Hit(rules="CM01", unit=made.unit.name, why="has made its compulsory move in this activation")
    elif not move.compulsory and state.compulsory == "end" and not move.free and move.kind not in NO_ACTION:
        yield Hit(rules="CM01", unit=made.unit.name, why="has ended its actions with its compulsory move")


@check("AI_NEEDS_A_MOVE", Severity.ERROR, "{unit} has AI: move, its first action is a move, not to {kind}")
def ai_needs_a_move(made: Made) -> Iterable[Hit]:
    """A unit with AI: move and no order begins with another action than a move (CM13).

    Why: its first action has to be a move, and a compulsory one is none. Example: to aim after a compulsory move.
    Do: move first, or give it an order.
    """
    unit, move = made.unit, made.move
    first = not unit.state.done and not move.free and move.kind not in (*KINDS, *NO_ACTION)
    if first and unit.has("ai move") and not unit.state.ordered:
        yield Hit(rules="CM13", unit=unit.name, kind=move.kind)


@check("COMPULSORY_MOVE", Severity.INFO, "a compulsory move, free, at maximum speed{reduced}: {how}")
def compulsory_move(made: Made) -> Iterable[Hit]:
    """A compulsory move is made (CM01, CM02).

    Why: it takes no action and sets off what a move sets off. Example: at the start of the actions. Do: nothing.
    """
    done = made.compelled
    if done is not None:
        reduced = f" (reduced to {made.tool.speed})" if done.reduced and made.tool else ""
        went, full = told_apart(done.travel_mm, done.full_mm)
        how = "full" if done.complete and not done.shifted else f"{went} of {full} mm"
        yield Hit(rules="CM01 CM02" if done.reduced else "CM01", reduced=reduced, how=how)


@check(
    "COMPULSORY_SHIFTED", Severity.INFO, "{leader} shifts back {shift_mm:.1f} mm, at most {limit_mm:.1f}, on {pieces}"
)
def compulsory_shifted(made: Made) -> Iterable[Hit]:
    """A leader shifts back along the tool to where it stands (CM08, CM10, CM11).

    Why: it would end on terrain that it ignores, and may go back half its base's length. Example: half on a roof.
    Do: nothing; there are no wounds.
    """
    done = made.compelled
    if done is not None and done.shifted:
        yield Hit(
            rules="CM08 CM10 CM11", leader=made.leader.name, shift_mm=done.full_mm - done.travel_mm,
            limit_mm=done.shift_limit_mm, pieces=" and ".join(done.ignored),
        )  # fmt: skip


@check("COMPULSORY_PARTIAL", Severity.INFO, "it cannot be completed ({why}): {unit} suffers {hurt}")
def compulsory_partial(made: Made) -> Iterable[Hit]:
    """A compulsory move is only partial, as far along the tool as it can be (CM03, CM04, CM07, CM09, CM12).

    Why: nothing nearer to the end is legal. Example: a wall that it does not ignore. Do: bend the tool another way.
    """
    done = made.compelled
    if done is None or done.complete:
        return
    rows = ["CM03", "CM04"]
    if done.shift_limit_mm > 0:
        rows += ["CM12"]
    elif done.limit_mm < done.full_mm and not done.edge:
        rows += ["CM09"]
    stand = ("END_DOES_NOT_STAND", "END_BLOCKED", "FOLLOWER_NO_WAY")
    if any(code in stand for code in done.why):
        rows += ["CM07"]
    why = {
        "UNIT_LEFT_TABLE": "over the battlefield's edge", "MOVE_TERRAIN_IN_THE_WAY": done.stopper,
        "END_ON_MINI": "a mini that stays is there", "END_TOUCHES_ENEMY": "it would touch an enemy",
        "END_ON_TOKEN": "a token lies there", "END_AGREED_AGAINST": "players agreed against it",
        "FOLLOWER_NO_WAY": "not everybody can be placed in cohesion", "MOVE_DROP_TOO_DEEP": "it would drop too deep",
        "END_BLOCKED": "it does not fit there",
    }.get(done.why[0] if done.why else "", "it does not stand there")  # fmt: skip
    hurt = counted(done.wounds, "wound")
    yield Hit(rules=" ".join(sorted(rows)), why=why, unit=made.unit.name, wounds=done.wounds, hurt=hurt)
