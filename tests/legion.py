"""Small battles for tests of the rules: invented units on the gallery's terrain, and the scenario files by name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from sim3d.finding import Finding
from sim3d.mini import Mini
from sim3d.rules.legion import RRG2, Battle, Move, Outcome, Unit, play
from sim3d.rules.legion.asked import MoveStep
from sim3d.scenario import Scenario, read_scenario
from sim3d.solid import Solid, read_solid
from sim3d.solid.boolean import box
from sim3d.space import Pose
from sim3d.table import Piece, Placed, Table

ROOT = Path(__file__).parent.parent
SCENARIOS = ROOT / "scenarios" / "legion"
MOVEMENT = SCENARIOS / "movement"
Corner = tuple[float, float, float]
ONE_MOVE = """
[[mini]]
name = "Oda"
base = "27"
at = [0, 0]
[[unit]]
name = "Wardens"
side = "red"
type = "trooper"
speed = 2
leader = "Oda"
[[step]]
move = "standard"
unit = "Wardens"
"""


@cache
def scenario(name: str) -> Scenario:
    (path,) = SCENARIOS.rglob(f"{name}.toml")
    return read_scenario(path)


@cache
def outcome(name: str, number: int) -> Outcome:
    """What comes of a scenario's step, counted from 1."""
    seen = scenario(name)
    step = seen.steps[number - 1]
    assert isinstance(step, MoveStep)
    assert seen.battle is not None
    return play(step.move, seen.battle, RRG2)


def said(name: str, number: int = 1) -> tuple[Finding, ...]:
    """Everything a scenario's step hears: what speaks against it, and what happens."""
    seen = outcome(name, number)
    return (*seen.findings, *seen.events)


@cache
def mesh(name: str) -> Solid:
    return read_solid(ROOT / "meshes" / "gallery" / f"{name}.stl", unit="mm")


def piece(name: str, x: float, y: float, *, scale: float = 1.0, **classes: str) -> Piece:
    return Piece(name, mesh(name), Pose.at(x, y), scale, classes={k: v.replace("_", " ") for k, v in classes.items()})


def block(name: str, low: Corner, high: Corner) -> Piece:
    """A block of terrain from one corner to the opposite one."""
    return Piece(name, Solid.of(*box(low, high)), Pose.at(0, 0))


def trooper(name: str, x: float, y: float, *, height: float = 40.0, com: float = 15.0) -> Placed:
    return Placed(name, Mini("27", height=height, com=com), (x, y))


def notched(name: str, x: float, y: float, *, base: str = "50n", turn: float = 0.0, height: float = 45.0) -> Placed:
    return Placed(name, Mini(base, height=height), (x, y), turn)


def unit(name: str, leader: str, **more: object) -> Unit:
    told: dict[str, object] = {"side": "red", "type": "trooper", "speed": 2, "minis": (leader,), **more}
    return Unit(name=name, leader=leader, **told)  # type: ignore[arg-type]


def battle(*things: Piece | Placed | Unit, size: tuple[float, float] | None = (900.0, 900.0)) -> Battle:
    table = Table(
        pieces=tuple(t for t in things if isinstance(t, Piece)),
        minis=tuple(t for t in things if isinstance(t, Placed)),
        size_mm=size,
    )
    return Battle(table, tuple(t for t in things if isinstance(t, Unit)))


def judged(move: Move, on: Battle) -> tuple[Finding, ...]:
    seen = play(move, on, RRG2)
    return (*seen.findings, *seen.events)


def joined(name: str, *boxes: tuple[Corner, Corner], **classes: str) -> Piece:
    """One piece of terrain of several blocks, each from a corner to the opposite one."""
    meshes = [box(*corners) for corners in boxes]
    counts = np.cumsum([0, *(len(points) for points, _ in meshes)])
    points = np.concatenate([points for points, _ in meshes])
    faces = np.concatenate([faces + n for (_, faces), n in zip(meshes, counts, strict=False)])
    return Piece(name, Solid.of(points, faces), Pose.at(0, 0), classes=classes)


def skimmer(
    *things: Piece | Placed | Unit,
    base: str = "100n",
    x: float = 0.0,
    speed: int = 1,
    size: tuple[float, float] = (900.0, 900.0),
    **more: object,
) -> Battle:
    """A repulsor that faces east, alone in its unit."""
    mini = Placed("Skim", Mini(base, height=60, com=24), (x, 0.0))
    return battle(*things, mini, unit("Skimmers", "Skim", type="repulsor", speed=speed, **more), size=size)


def compelled(on: Battle, **told: object) -> Outcome:
    """Its compulsory move."""
    return play(Move("Skimmers", compulsory=True, **told), on, RRG2)  # type: ignore[arg-type]
