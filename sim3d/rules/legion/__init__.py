"""Legion: units and battles, the movement tool, `judge` and `play`; the edition is a value, `RRG2`."""

from sim3d.rules.legion.battle import Battle, engaged_with, feet_mm, foes_touched, ring_of, touching
from sim3d.rules.legion.edition import RRG2
from sim3d.rules.legion.judge import Outcome, judge, judged, play, rules_of
from sim3d.rules.legion.making import Made, make, speed_of
from sim3d.rules.legion.move import Follower, Move
from sim3d.rules.legion.ruleset import Numbers, Options, Ruleset
from sim3d.rules.legion.standing import Standing, asking, exact
from sim3d.rules.legion.tool import Path, Tool, path_of, tool_rings
from sim3d.rules.legion.unit import State, Unit

__all__ = [
    "RRG2",
    "Battle",
    "Follower",
    "Made",
    "Move",
    "Numbers",
    "Options",
    "Outcome",
    "Path",
    "Ruleset",
    "Standing",
    "State",
    "Tool",
    "Unit",
    "asking",
    "engaged_with",
    "exact",
    "feet_mm",
    "foes_touched",
    "judge",
    "judged",
    "make",
    "path_of",
    "play",
    "ring_of",
    "rules_of",
    "speed_of",
    "tool_rings",
    "touching",
]
