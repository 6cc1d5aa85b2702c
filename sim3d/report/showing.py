"""What `sim3d show` and `sim3d atlas` show: pages, pictures, moving ones, GLB files, and the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sim3d.atlas import Atlas, atlases
from sim3d.finding import Refused, Severity
from sim3d.mini import Base, Mini
from sim3d.pack import read_pack
from sim3d.pack.looking import opened
from sim3d.pack.shape import sides_of
from sim3d.rules.legion import RRG2
from sim3d.rules.legion.reach import reach
from sim3d.scenario import Result, Scenario, play_scenario, read_scenario
from sim3d.solid import Limits, read_solid
from sim3d.table import Table, bases_called
from sim3d.view.album import FRAMES_HZ, HOLD_MS, frames_of, sheet_of
from sim3d.view.maps import maps_of, usual_pitch
from sim3d.view.model import glb_of_scene
from sim3d.view.movescene import reach_areas
from sim3d.view.moving import apng_bytes, gif_bytes
from sim3d.view.page import page_of
from sim3d.view.picture import STONE, Shape
from sim3d.view.scene import Story
from sim3d.view.story import first_moment, story_of
from sim3d.view.tableau import COLOURS as MATERIALS
from sim3d.view.window import watch

USUAL_BASE = "27"  # of a table that asks nothing
NO_BASE = "none"
REACH_MM = 15.0  # from place to place of a unit's reach: each is a whole move judged


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown: a scenario, or a table or a mesh as a scenario without a step."""

    scenario: Scenario

    @staticmethod
    def read(path: Path, *, unit: str | None = None, up: str | None = None) -> Shown:
        """From a table or scenario file, or a mesh; `Refused` where it cannot be read."""
        if path.suffix.lower() in (".toml", ".json"):
            if unit or up:
                raise ValueError("--unit and --up are said of a mesh; a table file says its own")
            return Shown(read_scenario(path))
        return Shown(Scenario(path.name, Table.of(read_solid(path, unit=unit, up=up)), ()))

    @property
    def table(self) -> Table:
        """The table as it is set up."""
        return self.scenario.table


def bases_of_maps(
    shown: Shown, names: Sequence[str] | None, *, unit: str | None = None, up: str | None = None
) -> tuple[Base, ...]:
    """The bases whose standing maps a page has: those named, none for `none`; else the usual one of a table that asks
    nothing."""
    table = shown.table
    usual = () if shown.scenario.steps or not (table.pieces or table.size_mm) else (USUAL_BASE,)
    wanted = [name for name in (usual if names is None else names) if name != NO_BASE]
    if wanted and not (table.pieces or table.size_mm):
        raise ValueError("--base: a table without pieces or size has no end: say its size, [table] size")
    return bases_called(wanted, unit=unit, up=up)


def html_of(
    shown: Shown,
    bases: Sequence[Base],
    pitch: float | None,
    *,
    levels: bool = False,
    unit: str = "",
    engine: str | None = None,
    physics: str | None = None,
    told: Callable[[int, int], None] | None = None,
) -> bytes:
    """A page of a scenario, with standing maps of these bases.

    `unit` names the unit whose reach is shown.
    """
    story = story_of(play_scenario(shown.scenario, engine=engine, physics=physics), engine=engine)
    table, minis = shown.table, [Mini(base) for base in bases]
    how = {"pitch": usual_pitch(table) if pitch is None else pitch, "levels": levels, "told": told}
    made = list(atlases(table, minis, **how)) if minis else []  # type: ignore[arg-type]
    story = _changed(story, maps=tuple(maps_of(table, made, minis)))
    return page_of(_reaching(shown, story, unit))


def story_shown(shown: Shown, *, unit: str = "", engine: str | None = None, physics: str | None = None) -> Story:
    """Every step played, and how minis move when they are let go; `unit` names the unit whose reach is shown."""
    return _reaching(
        shown, story_of(play_scenario(shown.scenario, engine=engine, physics=physics), engine=engine), unit
    )


def _reaching(shown: Shown, story: Story, unit: str) -> Story:
    if not unit:
        return story
    if shown.scenario.plan is not None:
        raise ValueError("--reach: how far a unit on hexes comes is drawn by `sim3d bake --png`, with the same option")
    if shown.scenario.battle is None:
        raise ValueError("--reach names a unit, and the file has none")
    areas = tuple(reach_areas(reach(shown.scenario.battle, unit, RRG2, pitch_mm=REACH_MM)))
    return _changed(story, areas=areas)


def still_of(shown: Shown, *, engine: str | None = None, physics: str | None = None) -> Story:
    """Every step played, and nothing moves: for pictures."""
    return story_of(play_scenario(shown.scenario, engine=engine, physics=physics), moving=False, engine=engine)


def moving_of(story: Story, path: Path, *, step: int | None, width: int, height: int) -> bytes:
    """A GIF of what moves in a step, or in the first one where something does; an APNG for a name ending in png."""
    moving = [moment for moment in story.moments if moment.motions]
    if step is not None:
        moving = [moment for moment in moving if moment.told.number == step]
    if not moving:
        last = len(story.moments) - 1
        there = f": there are steps 1 to {last}" if step is not None and step > last else ""
        nothing = "nothing moves there: no step lets a mini go" if step is None else f"nothing moves in {step}"
        raise ValueError(nothing + there)
    frames = list(frames_of(story, moving[0], width=width, height=height))
    made = apng_bytes if path.suffix.lower() in (".png", ".apng") else gif_bytes
    return made(frames, frame_ms=round(1000 / FRAMES_HZ), hold_ms=HOLD_MS)


def sheet_of_pack(folder: Path) -> bytes:
    """A PNG of every piece of a pack that can be read, with its size; `Refused` where the folder holds no pack."""
    pack = read_pack(folder)
    if not pack.members:
        raise Refused(*(finding for finding in pack.findings if finding.severity == Severity.ERROR))
    shown, refused = [], []
    for member in pack.members:
        try:
            solid = opened(pack.path(member), member.file, member.said, pack.head, Limits())
        except Refused as error:
            refused.append((member.name, str(error.report.findings[0].code), None))
            continue
        scale = float(member.said.get("scale", pack.head.scale))
        sides = sides_of((scale * side for side in solid.extents_mm), 0)
        shape = Shape(
            solid.vertices * scale, solid.faces, colour=MATERIALS.get(str(member.said.get("material")), STONE)
        )
        shown.append((member.name, f"{sides} mm, {len(solid.faces):,} triangles", shape))
    return sheet_of([*shown, *refused], title=f"{pack.name}: {len(pack.members)} pieces")


def window_of(
    path: Path,
    shown: Shown,
    *,
    unit: str = "",
    engine: str | None = None,
    physics: str | None = None,
    drop_mm: float | None = None,
) -> None:
    """The file in a window until that is closed; the next scenarios are the others of its folder. `NoGlass` without."""

    def told(file: Path) -> Callable[[], Story | None]:
        def tell() -> Story | None:
            try:
                it = shown if file == path else Shown.read(file)
                return story_shown(it, unit=unit if file == path else "", engine=engine, physics=physics)
            except Refused:
                return None  # not a scenario: passed over, the file that was asked for is read already

        return tell

    beside = sorted(path.parent.glob("*.toml")) if path.suffix.lower() == ".toml" else [path]
    first = next((k for k, file in enumerate(beside) if file.samefile(path)), 0)
    others = [*beside[first + 1 :], *beside[:first]]
    watch([told(path), *map(told, others)], drop_mm=drop_mm, engine=engine)


def html_of_maps(name: str, table: Table, made: Sequence[Atlas], minis: Sequence[Mini]) -> bytes:
    """A page of standing maps that were made before, each of its mini."""
    story = Story(name, table.about, (first_moment(Result(Scenario(name, table, ()), ()), table),))
    return page_of(_changed(story, maps=tuple(maps_of(table, made, minis))))


def _changed(story: Story, **more: Any) -> Story:
    """With more in the scene of its first moment."""
    first, *others = story.moments
    return replace(story, moments=(replace(first, scene=replace(first.scene, **more)), *others))


def glb_of(shown: Shown) -> bytes:
    """A GLB of the table as it is set up."""
    return glb_of_scene(first_moment(Result(shown.scenario, ()), shown.table).scene)
