"""Certificates: every word that can be proven is, by code that shares nothing with the solver; and no lie passes."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim3d
from sim3d.certificate import Certificate, Contact
from sim3d.check import CheckFailed, check
from sim3d.mini import Base, Body, Mini
from sim3d.plane import Outline
from sim3d.report.running import searched
from sim3d.report.standing import CertificateForm, stand_json
from sim3d.scenario import play_scenario, read_scenario
from sim3d.solid import Solid, read_solid
from sim3d.solid.boolean import box
from sim3d.space import Pose
from sim3d.stand import Stand, stand
from sim3d.table import Table

ROOT = Path(__file__).parent.parent
PROVEN = ("stable", "precarious", "too-steep", "slides", "topples", "falls", "off-table")
MESHES = (
    "pack/hill.ply",
    "pack/ruin.stl",
    "pack/rocks.ply",
    "pack/barricade-bags.obj",
    "gallery/dome-coarse.stl",
    "gallery/groove-20.stl",
    "gallery/needle.stl",
    "gallery/pegs-5.stl",
    "gallery/ramp-40.stl",
    "gallery/stairs.stl",
)
MANY = {"27": 5, "50n": 3, "100x175n": 1}  # placements on each mesh


def failed(verdict: Stand, table: Table) -> str:
    """What is wrong with a verdict, in its own words; nothing where it is proven."""
    try:
        check(verdict, table)
    except CheckFailed as wrong:
        return str(wrong)
    return ""


# --- what is true passes ----------------------------------------------------------------------------------------------


def test_every_verdict_of_the_scenarios_is_proven() -> None:
    proven: Counter[str] = Counter()
    wrong, bare = [], []
    for path in searched([ROOT / "scenarios" / "stand"]).files:
        scenario = read_scenario(path)
        for played in play_scenario(scenario, physics="never").played:
            if played.stand is not None and played.stand.answer in PROVEN:
                proven[played.stand.answer] += 1
                if uncertified(played.stand):
                    bare.append(f"{path.name} step {played.number}")
                elif reason := failed(played.stand, scenario.table.without(played.step.mini)):
                    wrong.append(f"{path.name} step {played.number}: {reason}")
    assert wrong == []
    assert bare == []
    assert all(proven[word] > 0 for word in PROVEN), proven


def uncertified(verdict: Stand) -> bool:
    """A base that topples, but no way over was found: one in a hundred, round a needle one in ten."""
    return verdict.answer == "topples" and verdict.certificate is None


def at_random(name: str, many: dict[str, int], seed: int) -> list[str]:
    """What is wrong with verdicts on a mesh, with all it takes to see it again."""
    solid = read_solid(ROOT / "meshes" / name)
    table = Table.of(solid)
    (x0, y0, _), (x1, y1, _) = solid.bounds
    rng = np.random.default_rng(seed)
    wrong, bare = [], 0
    for base, count in many.items():
        mini = Mini(base)
        for k in range(count):
            at, turn = (float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))), float(rng.uniform(0, 360))
            friction = 0.4 if k % 3 == 2 else None
            verdict = stand(table, mini, at=at, turn=turn, friction=friction, physics="never")
            bare += uncertified(verdict)
            if verdict.answer in PROVEN and not uncertified(verdict) and (reason := failed(verdict, table)):
                wrong.append(f"{name} {base} at {at} turn {turn} friction {friction}: {reason}")
    assert bare <= 1 + sum(many.values()) / 8
    return wrong


@pytest.mark.parametrize("beside", [11.3, 11.9, 12.5, 13.1])
def test_who_slips_off_a_high_edge_with_its_rim_is_proven_to_topple(beside: float) -> None:
    """Tilted straight over the edge, the base is too short to reach it before nothing is under it beyond its weight."""
    table, mini = Table.of(Solid.of(*box((-200, -200, -300), (0, 200, 0)))), Mini("27", height=40, com=20)
    verdict = stand(table, mini, at=(beside, 3.0), physics="never")
    assert verdict.answer == "topples"
    assert not uncertified(verdict)
    check(verdict, table)


@pytest.mark.parametrize("turn", [0.0, 37.0, 90.0])
@pytest.mark.parametrize("beside", [5.0, 20.2, 33.0])
def test_who_goes_on_past_45_degrees_topples_whatever_he_meets_then(beside: float, turn: float) -> None:
    """A flat base comes clear of the edge of a cliff while the floor, far below, is still ahead: it was "undecided"."""
    mini = Mini("100x175n", height=45, com=12)
    cliff = Table.of(Solid.of(*box((-200, -200, -300), (0, 200, 0))))
    verdict = stand(cliff, mini, at=(beside, 3.0), turn=turn, physics="never")
    assert verdict.answer == "topples"
    assert not uncertified(verdict)
    check(verdict, cliff)
    step = Table.of(Solid.of(*box((-200, -200, -9), (0, 200, 0))))  # it leans on its edge, the rim on the floor
    assert stand(step, mini, at=(beside, 3.0), turn=turn, physics="never").answer in ("stable", "precarious")


@pytest.mark.parametrize("name", MESHES)
def test_random_placements_are_proven(name: str) -> None:
    assert at_random(name, MANY, seed=11) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", MESHES)
def test_many_random_placements_are_proven(name: str) -> None:
    assert at_random(name, {"27": 60, "50n": 30, "100x175n": 10}, seed=12) == []


@pytest.mark.parametrize(
    ("name", "base", "where", "turn"),
    [
        ("pack/containers.stl", "27", (-35.68135129770397, 15.029845861456657), 72.21842063531827),  # hangs over it
        ("gallery/stairs.stl", "100x175n", (-80.0970577073122, 30.41105138929869), 168.3828780530746),  # upright faces
        ("gallery/ramp-30.stl", "50n", (-13.162905474981429, -73.33518794422577), 342.85842549634214),
        ("pack/ruin.stl", "27", (56.07141926394647, 76.61885579306323), 29.41318413420413),
        ("gallery/wall.stl", "27", (-47.55085501857586, -1.2908574069655343), 108.80169787485454),
        ("pack/rocks.ply", "50n", (-43.196678, -42.690548), 59.264886),  # nudged, it presses against what is beside it
    ],
)
def test_what_hangs_over_a_base_or_stands_upright_at_it_does_not_carry_it(
    name: str, base: str, where: tuple[float, float], turn: float
) -> None:
    table = Table.of(read_solid(ROOT / "meshes" / name))
    verdict = stand(table, Mini(base), at=where, turn=turn, physics="never")
    assert verdict.answer == "stable"
    check(verdict, table)


def test_a_verdict_of_both_witnesses_keeps_its_certificate() -> None:
    verdict = stand(crate(), TROOPER, at=(30.0, 0.0))
    assert verdict.decided_by == ("statics", "settle")
    check(verdict, crate())


def test_the_public_verb_is_the_verb_whatever_is_loaded_first() -> None:
    assert sim3d.check is check
    assert sim3d.stand is stand
    assert issubclass(sim3d.CheckFailed, ValueError)


# --- what is not does not ---------------------------------------------------------------------------------------------

TROOPER = Mini("27", height=40, com=14)
LOW = Mini("27", height=40, com=8)


@cache
def crate() -> Table:
    return Table.of(Solid.of(*box((-40, -40, 0), (40, 40, 30)), name="crate"))


@cache
def slope() -> Table:
    t = math.tan(math.radians(30))
    vertices = np.array([(x, y, x * t) for x in (-200.0, 200.0) for y in (-200.0, 200.0)])
    return Table(pieces=Table.of(Solid.of(vertices, np.array([[0, 2, 1], [1, 2, 3]]))).pieces, floor_mm=None)


@cache
def shelf() -> Table:
    """A crate with a shelf 60 mm over its top."""
    low, high = box((-40, -40, 0), (40, 40, 30)), box((-40, -40, 90), (40, 40, 92))
    return Table.of(Solid.of(*low, name="crate"), Solid.of(*high, name="shelf"))


@cache
def pit() -> Table:
    """The crate with nothing around it."""
    return replace(crate(), floor_mm=None)


@cache
def mat() -> Table:
    return Table(size_mm=(200.0, 200.0))


@cache
def wall_side() -> Table:
    return Table.of(Solid.of(*box((-40, -40, 0), (0, 40, 30)), name="wall"))


HORSESHOE = Base(  # its middle lies in its notch
    "horseshoe",
    Outline.polygon_of(
        [(-30, -30), (30, -30), (30, -10), (-10, -10), (-10, 10), (30, 10), (30, 30), (-30, 30)],
    ),
    4.0,
)


@cache
def stakes() -> Table:
    """Four pegs that a horseshoe rests on, and a higher stake in its notch."""
    solids = [Solid.of(*box((x - 1, y - 1, 0), (x + 1, y + 1, 30)), name="peg") for x in (-25, 25) for y in (-20, 20)]
    return replace(Table.of(*solids, Solid.of(*box((1, -2, 0), (3, 2, 60)), name="stake")), floor_mm=None)


def sliding() -> Stand:
    verdict = at(slope, (0.0, 0.0), LOW, turn=20.0, friction=0.5)
    assert verdict.answer == "slides"
    return verdict


@cache
def at(table: Callable[[], Table], where: tuple[float, float], mini: Mini, **told: Any) -> Stand:
    verdict = stand(table(), mini, at=where, physics="never", **told)
    check(verdict, table())
    return verdict


def stable() -> Stand:
    return at(crate, (30.0, 0.0), TROOPER)


def leaning() -> Stand:
    return at(slope, (0.0, 0.0), LOW, turn=20.0)


def proof_of(verdict: Stand) -> Certificate:
    assert verdict.certificate is not None
    return verdict.certificate


def told(verdict: Stand, **changes: Any) -> Stand:
    """The verdict with a certificate told otherwise, and with the pose and the contacts that it then shows."""
    proof = replace(proof_of(verdict), **changes)
    tilt = proof.pose.tilt_deg()
    return replace(verdict, certificate=proof, pose=proof.pose, contacts=proof.contacts, tilt_deg=tilt)


def moved(verdict: Stand, x: float, y: float, z: float) -> Stand:
    px, py, pz = proof_of(verdict).pose.place
    return told(verdict, pose=Pose((px + x, py + y, pz + z), proof_of(verdict).pose.spin))


def tilted(verdict: Stand, axis: tuple[float, float, float], deg: float) -> Stand:
    pose = proof_of(verdict).pose
    return told(verdict, pose=Pose(pose.place, (Pose.turned(axis, deg) @ Pose(spin=pose.spin)).spin))


def contact(verdict: Stand, k: int, **changes: Any) -> Stand:
    contacts = list(proof_of(verdict).contacts)
    contacts[k] = replace(contacts[k], **changes)
    if "force" in changes:
        contacts[k] = replace(contacts[k], load=changes["force"][2])
    return told(verdict, contacts=tuple(contacts))


def scaled(c: Contact, by: float) -> tuple[float, float, float]:
    return (c.force[0] * by, c.force[1] * by, c.force[2] * by)


def sideways(verdict: Stand, share: float) -> Stand:
    """Two contacts push against each other, along the slope's level: still balanced, but as friction allows?"""
    one, two = proof_of(verdict).contacts[:2]
    x, y = (two.place[0] - one.place[0], two.place[1] - one.place[1])
    z = two.place[2] - one.place[2]
    push = np.array([x, y, z]) / math.hypot(x, y, z) * share
    first, second = np.array(one.force) + push, np.array(two.force) - push
    return contact(contact(verdict, 0, force=tuple(first.tolist())), 1, force=tuple(second.tolist()))


def nudges(verdict: Stand, order: Callable[[list[Any]], list[Any]]) -> Stand:
    return told(verdict, nudged=tuple(order(list(proof_of(verdict).nudged))))


def nudge(verdict: Stand, k: int, **changes: Any) -> Stand:
    return nudges(verdict, lambda n: [*n[:k], replace(n[k], **changes), *n[k + 1 :]])


FIRST = proof_of(stable()).contacts[0]
LIES: dict[str, tuple[Callable[[], Stand], Callable[[], Table], str]] = {
    "moved": (lambda: moved(stable(), 0.5, 0, 0), crate, "lies 0.500000 mm from where it was put"),
    "raised": (lambda: moved(stable(), 0, 0, 0.01), crate, "contact 1 lies -0.0100 mm over the base's underside"),
    "lowered": (lambda: moved(stable(), 0, 0, -0.01), crate, "terrain stands 0.0100 mm over the base's plane"),
    "tilted": (lambda: tilted(stable(), (0, 1, 0), 0.1), crate, "terrain stands 0.0"),
    "turned": (lambda: tilted(leaning(), (0, 0, 1), 5.0), slope, "it faces"),
    "upside down": (lambda: tilted(stable(), (1, 0, 0), 180), crate, "no pose of a base on its underside"),
    "no quaternion": (lambda: told(stable(), pose=Pose((30.0, 0.0, 30.0), (1.1, 0, 0, 0))), crate, "no pose of a base"),
    "not a number": (lambda: moved(stable(), math.nan, 0, 0), crate, "not a number"),
    "a contact less": (lambda: told(stable(), contacts=proof_of(stable()).contacts[1:]), crate, "unbalanced"),
    "no contact": (lambda: told(stable(), contacts=()), crate, "leave 1.00e+00 of the weight unbalanced"),
    "a load scaled": (lambda: contact(stable(), 0, force=scaled(FIRST, 1.01)), crate, "of the weight unbalanced"),
    "a load that pulls": (lambda: contact(stable(), 0, force=scaled(FIRST, -1)), crate, "can only push"),
    "a load out of its cone": (lambda: sideways(leaning(), 2.0), slope, "needs a friction of"),
    "a contact in the air": (
        lambda: contact(stable(), 0, place=(FIRST.place[0], FIRST.place[1], 30.5)),
        crate,
        "lies 0.5000 mm off the terrain",
    ),
    "a contact beside the base": (
        lambda: contact(stable(), 0, place=(-20.0, 0.0, 30.0)),
        crate,
        "lies 36.5002 mm outside the base's outline",
    ),
    "a contact past the edge": (
        lambda: contact(stable(), 0, place=(41.0, 0.0, 30.0)),
        crate,
        "lies 1.0000 mm off the terrain",
    ),
    "another normal": (lambda: contact(stable(), 0, normal=(0.6, 0.0, 0.8)), crate, "neither base nor terrain"),
    "put elsewhere": (lambda: replace(stable(), at=(29.0, 0.0)), crate, "from where it was put, (29.0, 0.0)"),
    "another turn": (lambda: replace(stable(), turn=90.0), crate, "was put down at 90.0000°"),
    "another centre of mass": (
        lambda: replace(stable(), mini=Mini("27", height=40, com=(2.0, 0.0, 14.0))),
        crate,
        "leave a moment of",
    ),
    "a taller mini": (lambda: replace(stable(), mini=Mini("27", height=40, com=30)), crate, "beside its centre"),
    "another base": (lambda: replace(stable(), mini=Mini("25", height=40, com=14)), crate, "outside the base's out"),
    "a larger base": (lambda: replace(at(wall_side, (20.0, 0.0), TROOPER), mini=Mini("50", com=14)), wall_side, "over"),
    "less friction": (lambda: replace(leaning(), friction=0.5), slope, "needs a friction of"),
    "another tilt": (lambda: replace(leaning(), tilt_deg=12.0), slope, "the verdict says it leans 12.0°"),
    "another pose shown": (lambda: replace(stable(), pose=Pose.at(30, 0, 31)), crate, "the verdict's pose is at"),
    "another pose's spin": (lambda: replace(stable(), pose=Pose.at(30, 0, 30, turn=1)), crate, "turned another way"),
    "other contacts shown": (lambda: replace(stable(), contacts=()), crate, "the verdict's 0 contacts are not"),
    "precarious as stable": (lambda: replace(at(crate, (39.0, 0.0), TROOPER), answer="stable"), crate, "a tilt of 4.0"),
    "and its tip hidden": (
        lambda: replace(at(crate, (39.0, 0.0), TROOPER), answer="stable", tip_deg=9.0),
        crate,
        "0 nudges",
    ),
    "stable as precarious": (lambda: replace(stable(), answer="precarious"), crate, "parts precarious from stable"),
    "stable as too steep": (lambda: replace(stable(), answer="too-steep"), crate, "45° is where too-steep begins"),
    "stable as slides": (lambda: replace(leaning(), answer="slides"), slope, "names no motion"),
    "stable as topples": (lambda: replace(stable(), answer="topples"), crate, "names no direction"),
    "stable as falls": (lambda: replace(stable(), answer="falls"), crate, "terrain lies under its base, at height 30"),
    "stable as off the table": (lambda: replace(stable(), answer="off-table"), crate, "the table has no edge"),
    "nudges swapped": (
        lambda: nudges(stable(), lambda n: [replace(n[8], towards_deg=0.0), *n[1:]]),
        crate,
        "nudged towards 0°: what carries it lies",
    ),
    "nudges in disorder": (lambda: nudges(stable(), lambda n: [n[1], n[0], *n[2:]]), crate, "evenly in order"),
    "a nudge less": (lambda: nudges(stable(), lambda n: n[:-1]), crate, "15 nudges"),
    "one nudge for all": (lambda: nudges(stable(), lambda n: [n[0]] * 16), crate, "evenly in order"),
    "a nudge's shares": (lambda: nudge(stable(), 3, shares=(0.5, 0.6, 0.2)), crate, "add up to 1"),
    "a nudge's pull": (lambda: nudge(stable(), 3, shares=(1.5, -0.5, 0.0)), crate, "shares are 0 or more"),
    "a nudge's place": (
        lambda: nudge(stable(), 3, places=((30.0, 0.0, 20.0),), shares=(1.0,)),
        crate,
        "nudged towards 67.5°: place 1 lies -10.0000 mm over the base's underside",
    ),
    "a nudge that throws it down": (
        lambda: nudge(stable(), 3, pose=Pose.at(55, 0, 0), places=((56.0, 0.0, 0.0),), shares=(1.0,)),
        crate,
        "farther than rolling",
    ),
    "another table": (stable, slope, "off the terrain"),
    "an empty table": (stable, Table, "off the terrain"),
    "another level": (lambda: replace(at(shelf, (0.0, 0.0), TROOPER), level=50.0), shelf, "off the terrain"),
    "no level": (
        lambda: replace(at(shelf, (0.0, 0.0), TROOPER, level=50.0), level=None),
        shelf,
        "over the base's plane",
    ),
    "falls, but it does not": (
        lambda: replace(at(pit, (60.0, 0.0), TROOPER), at=(45.0, 0.0)),
        pit,
        "lies under its base",
    ),
    "topples another way": (
        lambda: told(at(pit, (41.0, 0.0), TROOPER), beyond=(-1.0, 0.0)),
        pit,
        "beyond its centre of mass, where there should be none",
    ),
    "topples by a tilt that nobody gave it": (
        lambda: replace(
            told(stable(), pose=Pose.turned((0, 1, 0), 60) @ Pose(), beyond=(1.0, 0.0), contacts=()),
            answer="topples",
            at=(0.0, 0.0),
        ),
        crate,
        "on its way over",
    ),
    "topples around a stake": (
        lambda: replace(
            told(
                at(stakes, (0.0, 0.0), Mini(HORSESHOE, body=Body(2, 40), com=(-15, 0, 10))),
                pose=Pose.at(0, 0, 30) @ Pose.turned((0, 1, 0), 60),
                beyond=(1.0, 0.0),
                contacts=(),
            ),
            answer="topples",
        ),
        stakes,
        "on its way over",
    ),
    "slides the other way": (
        lambda: told(sliding(), motion=tuple(tuple(-v for v in part) for part in proof_of(sliding()).motion or ())),
        slope,
        "gravity does not drive the motion",
    ),
    "slides, but it is held": (lambda: replace(sliding(), friction=0.7), slope, "could hold it up"),
    "inside the edge": (lambda: replace(at(mat, (95.0, 0.0), TROOPER), at=(80.0, 0.0)), mat, "inside the table's edge"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_caught_and_named(lie: str) -> None:
    tamper, table, said = LIES[lie]
    assert said in failed(tamper(), table())


def test_every_reason_is_said_at_once() -> None:
    with pytest.raises(CheckFailed) as wrong:
        check(replace(moved(stable(), 1.0, 0, 1.0), turn=90.0), crate())
    assert len(wrong.value.reasons) >= 4
    assert str(wrong.value) == "'stable' is not proven: " + "; ".join(wrong.value.reasons)


@pytest.mark.parametrize("word", ["blocked", "undecided"])
def test_where_there_is_nothing_to_prove_it_says_so(word: str) -> None:
    assert "nothing to prove" in failed(replace(stable(), answer=word), crate())


def test_without_a_certificate_nothing_is_proven() -> None:
    assert "carries no certificate" in failed(replace(stable(), certificate=None), crate())


@pytest.mark.parametrize(("where", "word"), [((45.0, 0.0), "topples"), ((60.0, 0.0), "falls")])
def test_over_a_pit(where: tuple[float, float], word: str) -> None:
    assert at(pit, where, TROOPER).answer == word


@pytest.mark.parametrize(
    ("mesh", "base", "where", "friction"),
    [
        ("pack/shuttle-ramp", "50", (-22.2, 8.4), 0.05),
        ("pack/domed-house", "60x35", (-82.6, -17.5), 0.2),
        ("gallery/dome-coarse", "50", (-37.0, 30.1), 0.0),
        ("gallery/cone", "60x35", (-8.0, 14.9), 0.2),
    ],
)
def test_of_a_round_rim_no_place_beside_a_contact_could_hold_what_slides(
    mesh: str, base: str, where: tuple[float, float], friction: float
) -> None:
    table = Table.of(read_solid(ROOT / f"meshes/{mesh}.stl"))
    told = stand(table, Mini(base, height=40, com=5), at=where, friction=friction, physics="never")
    assert told.answer == "slides"
    check(told, table)


# --- saved and read again ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", [stable, leaning, sliding, lambda: at(pit, (45.0, 0.0), TROOPER)])
def test_a_saved_verdict_is_proven_by_a_stranger(verdict: Callable[[], Stand]) -> None:
    one = verdict()
    table = pit() if one.answer == "topples" else crate() if one.mini is TROOPER else slope()
    data = json.loads(stand_json(one, certificate=True))
    CertificateForm.model_validate_json(json.dumps(data["certificate"]))
    check(Stand.of_dict(data, one.mini), table)
    data["at"][0] += 1.0
    assert "from where it was put" in failed(Stand.of_dict(data, one.mini), table)


def test_a_verdict_without_its_certificate_says_no_more_than_before() -> None:
    assert "certificate" not in json.loads(stand_json(stable()))
    assert failed(Stand.of_dict(json.loads(stand_json(stable())), TROOPER), crate()) != ""
