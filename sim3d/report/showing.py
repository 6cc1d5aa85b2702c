"""What `sim3d show` and `sim3d atlas` write for people to look at: pages and GLB files of tables and scenarios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sim3d.atlas import Atlas, atlases
from sim3d.mini import Mini
from sim3d.report.standing import base_called
from sim3d.rules.legion import RRG2
from sim3d.rules.legion.reach import reach
from sim3d.scenario import Result, Scenario, play_scenario, read_scenario
from sim3d.solid import read_solid
from sim3d.table import Table
from sim3d.view.maps import maps_of, usual_pitch
from sim3d.view.model import glb_of_scene
from sim3d.view.movescene import reach_areas
from sim3d.view.page import page_of
from sim3d.view.scene import Story
from sim3d.view.story import first_moment, story_of

USUAL_BASE = "27"  # of a table that asks nothing
NO_BASE = "none"
REACH_MM = 15.0  # from place to place of a unit's reach: each is a whole move judged


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown: a scenario, or a table or a mesh as a scenario without a step."""

    scenario: Scenario

    @staticmethod
    def read(path: Path) -> Shown:
        """From a table or scenario file, or a mesh; `Refused` where it cannot be read."""
        if path.suffix.lower() in (".toml", ".json"):
            return Shown(read_scenario(path))
        return Shown(Scenario(path.name, Table.of(read_solid(path)), ()))

    @property
    def table(self) -> Table:
        """The table as it is set up."""
        return self.scenario.table


def html_of(
    shown: Shown,
    bases: Sequence[str] | None,
    pitch: float | None,
    *,
    unit: str = "",
    engine: str | None = None,
    physics: str | None = None,
    told: Callable[[int, int], None] | None = None,
) -> bytes:
    """A page of a scenario, with standing maps of these bases; of a table that asks nothing, of the usual one.

    `unit` names the unit whose reach is shown.
    """
    story = story_of(play_scenario(shown.scenario, engine=engine, physics=physics), engine=engine)
    wanted = bases if bases is not None else () if shown.scenario.steps else (USUAL_BASE,)
    minis = [Mini(base_called(name)) for name in wanted if name != NO_BASE]
    table = shown.table
    how = {"pitch": usual_pitch(table) if pitch is None else pitch, "levels": True, "told": told}
    made = list(atlases(table, minis, **how)) if minis else []  # type: ignore[arg-type]
    story = _changed(story, maps=tuple(maps_of(table, made, minis)))
    if unit:
        if shown.scenario.battle is None:
            raise ValueError("--reach names a unit, and the file has none")
        areas = tuple(reach_areas(reach(shown.scenario.battle, unit, RRG2, pitch_mm=REACH_MM)))
        story = _changed(story, areas=areas)
    return page_of(story)


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
