"""The rules that this folder carries out, by their ids, in our own words; docs/rulebook.md is made from them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

RULES: Mapping[str, str] = MappingProxyType(
    {
        "MV01": "A unit moves at most at its own speed, 1 to 3; a slower tool is always allowed.",
        "MV02": "A round base without notches starts with the tool flush anywhere on its rim, a notched one in its "
        "notch.",
        "MV03": "The tool bends at its hinge, up to a quarter turn either way, and is the way that the base goes.",
        "MV04": "A full move keeps the base centred on the tool and ends flush with its far end, or with the notch on "
        "it.",
        "MV05": "A partial move stops anywhere on the way; a notched base faces along the half of the tool it has "
        "reached.",
        "MV06": "The other minis of the unit are then placed within cohesion of the leader; notched ones face as it "
        "does.",
        "MV07": "Moves may be repeated within the two actions of an activation, other actions not.",
        "MV08": "What a base meets on its way stops it, unless it may step onto it, go over it or pass through.",
        "MV09": "A tool is never stopped: it is held over what is in its way. All lengths are flat.",
        "MV10": "Nobody comes into contact with an enemy but to enter its melee, with a melee weapon.",
        "MV11": "A unit whose leader's base leaves the battlefield, on the way or at the end, is defeated.",
        "MV12": "Nobody ends on another's base, except on one that is displaced.",
        "MV13": "Nobody ends on an objective or a condition token.",
        "MV14": "A base may hang over a ledge while a nudge does not take the mini over.",
        "MV15": "A mini ends at rest, as flat as the terrain lets it and never over 45 degrees.",
        "MV16": "A speed-x effect is a standard move, whole or in part, with a tool of speed x or slower.",
        "MV17": "The moves are: standard, reverse, strafe, pivot, climb, clamber, embark, disembark; types differ in "
        "theirs.",
        "MV18": "Where the way is free a mini may be put straight at its end, and is judged as if it had slid there.",
        "MV19": "Players may agree on terrain where types of units end no move; it counts after every kind of move.",
        "CL01": "From contact with the terrain a leader climbs up or down, at most height 1, for both actions, to the "
        "edge nearest to where it touched.",
        "CL02": "To clamber is the same for one action; each mini rolls a white die, each failure is a wound.",
        "CL03": "Troopers climb, not creatures or emplacements, and vehicles with the keyword; they need room to "
        "stand.",
        "CL04": "Terrain is open, difficult or impassable for each type: difficult takes one speed, never the last "
        "one; impassable bars every move along a tool.",
        "CL05": "Terrain up to the model's height (half of it for ground vehicles) is stepped onto; higher takes a "
        "climb.",
        "CL06": "A keyword that ignores terrain up to a height lets the base pass over it and end on it, if it stands "
        "there.",
    }
)
