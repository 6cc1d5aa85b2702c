"""Hexes, the second game: a board of hexes over a table, movement traits, `judge`, `play` and `reachable`."""

from sim3d.rules.hexes.board import Board, Cell, Unit, Wall, engagers, front_arc, zone
from sim3d.rules.hexes.edition import CURRENT, EDITIONS, SEED
from sim3d.rules.hexes.grid import Hex, Layout, disc, distance, line, rectangle, ring
from sim3d.rules.hexes.judge import Outcome, judge, judged, play, scripted, seeded
from sim3d.rules.hexes.move import Made, Move, make
from sim3d.rules.hexes.reach import Reach, reachable
from sim3d.rules.hexes.ruleset import Numbers, Options, Ruleset

__all__ = [
    "CURRENT",
    "EDITIONS",
    "SEED",
    "Board",
    "Cell",
    "Hex",
    "Layout",
    "Made",
    "Move",
    "Numbers",
    "Options",
    "Outcome",
    "Reach",
    "Ruleset",
    "Unit",
    "Wall",
    "disc",
    "distance",
    "engagers",
    "front_arc",
    "judge",
    "judged",
    "line",
    "make",
    "play",
    "reachable",
    "rectangle",
    "ring",
    "scripted",
    "seeded",
    "zone",
]
