"""A played scenario as a story: the table as it is set up, then a moment for every step, of both games and of none.

Everything seen is what the rules used: the verdicts of the step, the path of the move, the board before it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

from sim3d.rules.hexes import Outcome as HexOutcome
from sim3d.rules.legion import Outcome
from sim3d.scenario import Played, Result, Scenario, Step
from sim3d.table import Placed, Table
from sim3d.view.figures import figure_of, released, sides_of, standing, token_areas
from sim3d.view.hexscene import hex_moment, hex_scene
from sim3d.view.movescene import move_moment
from sim3d.view.scene import Moment, Scene, Story, Told
from sim3d.view.telling import told_of


def story_of(result: Result, *, moving: bool = True, engine: str | None = None) -> Story:
    """The story of what was played; with `moving`, engines are asked how each mini moves when it is let go."""
    scenario = result.scenario
    now = scenario.battle.table if scenario.battle is not None else scenario.table
    moments = [first_moment(result, now)]
    for p in result.played:
        if isinstance(p.outcome, HexOutcome) and scenario.plan is not None:
            moments.append(hex_moment(moments[0].scene, scenario.plan, told_of(p), p.outcome))
        elif isinstance(p.outcome, Outcome):
            moments.append(move_moment(told_of(p), p.outcome))
            now = p.outcome.battle.table if scenario.story else now
        else:
            moments.append(_asked(scenario, now, p, moving=moving, engine=engine))
    tokens = tuple(token_areas(now))
    told = tuple(replace(m, scene=replace(m.scene, areas=(*tokens, *m.scene.areas))) for m in moments)
    return Story(PurePath(scenario.file).name, scenario.about, told)  # no folder of whoever made it


def first_moment(result: Result, table: Table) -> Moment:
    """The table as it is set up."""
    scenario = result.scenario
    scene = Scene(table, tuple(standing(table, scenario.battle)))
    if scenario.plan is not None:
        boards = (p.outcome.made.board for p in result.played if isinstance(p.outcome, HexOutcome))
        board = next(boards, None) or scenario.plan.board(scenario.table)  # baked once
        scene = hex_scene(scene, scenario.plan, board)
    return Moment(Told(0, "as it is set up", "", True, ""), scene)


def _asked(scenario: Scenario, table: Table, p: Played, *, moving: bool, engine: str | None) -> Moment:
    """A question about one mini: the verdict where it was asked for, everybody else where they rest."""
    told = told_of(p)
    if p.stand is None or not isinstance(p.step, Step):
        return Moment(told, Scene(table, tuple(standing(table, scenario.battle)), focus=p.step.mini))
    answer = p.stand
    placed = table.mini(p.step.mini)
    there = Placed(placed.name, placed.mini, answer.at, answer.turn, answer.level, placed.material)
    alone = table.without(placed.name)
    figure = figure_of(alone, there, answer, side=sides_of(scenario.battle).get(placed.name, ""))
    seen = Scene(table, tuple(standing(table, scenario.battle, {placed.name: figure})), focus=placed.name)
    motion = released(alone, placed.name, answer, engine=engine) if moving else None
    return Moment(told, seen, () if motion is None else (motion,))
