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
        "MV16": "A speed-x effect is a standard move, whole or in part, with a tool of speed x or slower, and no "
        "faster than the unit is.",
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
        "CO01": "Every mini keeps in cohesion with its leader, and is placed so after the leader moved, was set down "
        "or was pushed aside.",
        "CO02": "Cohesion reaches as far as a tool of speed 1, end to end between the bases, in notches where there "
        "are any.",
        "CO03": "Minis with notches face exactly as their leader does.",
        "CO04": "Who is placed touches no enemy, but those of its unit's melee.",
        "CO05": "Minis of the own unit do not bar the tool: they are pushed aside for it.",
        "CO06": "Where several units were pushed aside, all their leaders go back first, then everybody else.",
        "CO07": "Who is placed may hang over a ledge while a nudge does not take it over.",
        "CO08": "It takes a way: a move of speed 1, from where the leader ended, that would be legal; around what bars "
        "it, if the tool reaches.",
        "CO09": "Enemies that the unit is engaged with do not bar that way.",
        "CO10": "For that way notched bases count as turned into the tool, up to half a turn, at both ends.",
        "CO11": "From level to level the way is a climb, of height 1 at most.",
        "CO12": "Who is below a leader that is up on terrain touches that terrain.",
        "CO13": "A leader ends its climb at the edge nearest to where it touched the wall; who is not on its level "
        "touches the wall, as near to that place as can be.",
        "CO14": "No trooper goes higher than its leader climbed, or lower than it climbed down. What a move steps "
        "up or down without a climb is the leader's level still.",
        "CO15": "Otherwise everybody stays on the leader's level, which is always allowed.",
        "CO16": "After a move that ignores terrain of a height, levels no farther apart than that will do.",
        "DP01": "A ground vehicle or a creature pushes aside the troopers that its base meets on its way.",
        "DP02": "A repulsor pushes aside the troopers under the end of its compulsory move, nobody else.",
        "DP03": "Engaged troopers are not pushed aside; ground vehicles and creatures stop at them, others pass.",
        "DP04": "Creatures and emplacements are not pushed aside either, and stop the same movers.",
        "DP05": "A creature that withdraws pushes aside the plain troopers that it is engaged with.",
        "DP06": "Who is pushed aside is taken off, a leader's place is marked, and the mover goes on as if nobody had "
        "been there.",
        "DP07": "The player who did not move puts them all back, each in cohesion with its leader.",
        "DP08": "A leader goes back within a tool of speed 1 of its mark; then whoever lost it is placed with it.",
        "DP09": "Nobody is put back in contact with an enemy.",
        "DP10": "Everybody goes back to the elevation where it stood, if that can be.",
        "DP11": "Each unit that was pushed aside gains a suppression, one in an activation at most.",
        "CM01": "A compulsory move is free, at the start or the end of the actions, and sets off what any move does.",
        "CM02": "Held back to a lower speed it still counts as a move at maximum speed.",
        "CM03": "It is full, at maximum speed; where it cannot be, or would leave the battlefield, it goes as far "
        "as it can.",
        "CM04": "Not to complete it costs as many wounds as the unit's maximum speed.",
        "CM05": "A unit whose leader's base leaves the battlefield on that way is defeated.",
        "CM06": "Where it ends it pushes troopers aside.",
        "CM07": "Bases may hang over ledges where they stand; without room for the leader, or for who follows it, the "
        "move is not completed.",
        "CM08": "From terrain that its keyword or its being a repulsor ignores, the leader may shift back along the "
        "tool, half its base's length at most, to where it stands; that completes the move.",
        "CM09": "There is no shift where terrain stops it that it does not ignore.",
        "CM10": "It shifts back, never past the tool's end.",
        "CM11": "It shifts back no farther than it has to.",
        "CM12": "Where that is not enough, it goes as far as it can, and suffers wounds.",
        "CM13": "It is not the move that AI: move asks for.",
    }
)
