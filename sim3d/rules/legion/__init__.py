"""Legion: units and battles, the movement tool, `judge` and `play`; the edition is a value, `RRG2`.

What is where, from below:

- values: `ruleset`, `unit`, `actions`, `tokens`, `terrain`, `tool`, `battle`, `move`; whether minis stand: `standing`
- ways over terrain: `passage`, `bare`, `levels`, `ways`; up and down: `around`, `climber`, `touched`, `edges`, `climb`
- minis that follow: `site`, `wallside`, `cohesion`; places: `pushing`, `offers`, `fitting`, `choosing`, `arranging`
- minis that are pushed aside: `putback`, `displacement`
- a move as it is made: `laying`, `underfoot`, `making`; what speaks against it: `movement`, `ending`, `transport`
- a move that has to be made: `scan`, `compulsory`; those that could be: `chart`, `reach`
- all of it together: `book`, `edition`, `judge`; in scenario files: `asked`
"""

from sim3d.rules.legion.battle import Battle, engaged_with, feet_mm, foes_touched, ring_of, touching
from sim3d.rules.legion.edition import RRG2
from sim3d.rules.legion.judge import Outcome, judge, judged, play, rules_of
from sim3d.rules.legion.laying import speed_of
from sim3d.rules.legion.making import Made, make
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
