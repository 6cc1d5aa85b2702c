"""A ruleset as a value: its edition, its numbers (each with its unit and source), its options, its tuple of checks.

No number of the game stands anywhere else. Where texts are silent or disagree there is an option with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal

from sim3d.finding import Check

TABLE_MOD = "data of the game's table simulator module, half a move = (tool - notches + base) / 2"
SEEDS = "the movement, cohesion and displacement entries of the rules reference, second edition"
PLAYERS = "answers in players' archives to what the entries leave open"


def _number(value: Any, unit: str, source: str) -> Any:
    return field(default=value, metadata={"unit": unit, "source": source})


def _option(value: str, reason: str) -> Any:
    return field(default=value, metadata={"reason": reason})


def _told(values: Any) -> Mapping[str, Any]:
    """Each field by its name: its value and what was written beside it."""
    return MappingProxyType({f.name: (getattr(values, f.name), *f.metadata.values()) for f in fields(values)})


@dataclass(frozen=True, slots=True)
class Numbers:
    """Every number of the rules; `told` has the unit and the source of each."""

    tool_1_mm: float = _number(75.0, "mm", f"{TABLE_MOD}; other models say 73 to 75")
    tool_2_mm: float = _number(125.0, "mm", TABLE_MOD)
    tool_3_mm: float = _number(175.0, "mm", f"{TABLE_MOD}; other models say 176")
    tool_width_mm: float = _number(15.0, "mm", "three independent models of the tool: 15.0 to 15.1")
    hinge_mm: float = _number(17.0, "mm", "diameter of the hinge's disc, 17.0 to 17.5")
    hug_mm: float = _number(13.5, "mm", "radius of the hollow at a tool's end: it is made to hug a 27 mm base")
    bend_deg: float = _number(90.0, "degrees", "the hinge is free and without clicks, to 90 degrees either way")
    slowest: int = _number(1, "speed", SEEDS)
    fastest: int = _number(3, "speed", SEEDS)
    difficult_speed: int = _number(1, "speed", "lost in difficult terrain, never below the slowest; rules reference")
    backwards_speed: int = _number(1, "speed", "lost in a reverse or a strafe, never below the slowest")
    immobile_speed: int = _number(1, "speed", "lost for each immobilize token; at 0 a unit does not move")
    spur_speed: int = _number(1, "speed", "won by spurring on, up to the fastest, before anything is lost")
    height_1_mm: float = _number(152.4, "mm", "one segment of the range ruler, six inches, held upright")
    climb_heights: float = _number(1.0, "height", f"the most that a climb goes up or down; {PLAYERS}")
    trooper_step: float = _number(1.0, "of the model's height", f"what is stepped onto; {PLAYERS}")
    repulsor_step: float = _number(1.0, "of the model's height", f"what is moved over; {PLAYERS}")
    ground_step: float = _number(0.5, "of the model's height", f"what a ground vehicle moves over; {PLAYERS}")
    slope_deg: float = _number(45.0, "degrees", f"steeper faces are climbed, and nobody ends on them; {SEEDS}")
    pivot_deg: float = _number(90.0, "degrees", "how far a pivot turns, either way")
    full_pivot_deg: float = _number(360.0, "degrees", "how far it turns with full pivot")
    actions: int = _number(2, "actions", "of one activation")
    move_cost: int = _number(1, "actions", "of any move action but a climb")
    climb_cost: int = _number(2, "actions", f"of a climb; {PLAYERS}")
    closed_cost: int = _number(1, "actions", "that boarding a closed transport takes more than boarding another one")
    calm_moves: int = _number(1, "moves", "a vehicle that made more than these, pivots aside, is left for all actions")
    light_mm: float = _number(27.0, "mm", "the widest base that a light transport carries, and one mini only")
    wreck_wounds: int = _number(1, "wounds", "for a unit aboard of a vehicle that is destroyed")
    open_wounds: int = _number(1, "wounds", "more than those, where that transport is neither closed nor light")
    contact_mm: float = _number(0.05, "mm", "bases nearer than this touch: half of a tenth, the least that players see")
    flush_mm: float = _number(0.05, "mm", "how far a claimed place may be from where the tool puts it")
    flush_deg: float = _number(0.05, "degrees", "the same for a facing, and for a tool in a notch")
    compulsory_mm: float = _number(0.1, "mm", "how near to its farthest place a compulsory move has to end")
    elevation_mm: float = _number(6.0, "mm", "what ground rises at once on one elevation: a kerb; more is another one")
    shift_share: float = _number(0.5, "of the base's length", f"how far a compulsory move shifts back; {SEEDS}")
    edge_mm: float = _number(1.0, "mm", "how near to the edge's nearest point a climb ends: what an eye sees as on it")

    def told(self) -> Mapping[str, tuple[Any, str, str]]:
        """Each number by its name: value, unit, source."""
        return _told(self)


@dataclass(frozen=True, slots=True)
class Options:
    """Readings where the texts are silent; `told` has the reason of each default."""

    hinge: Literal["legs", "turning"] = _option(
        "legs",
        "a long base is lifted round at the hinge: it sweeps the two legs, as the table module does it",
    )
    reduced_wounds: Literal["printed", "reduced"] = _option(
        "printed", "a compulsory move at reduced speed counts as one at maximum speed, so its wounds do too"
    )
    deep_drop: Literal["climb", "free"] = _option(
        "climb", "down is as up: over the step limit it takes a climb; judges have ruled a plain drop legal, too"
    )
    surge_clamber: Literal["fails", "holds"] = _option(
        "fails", "a surge on a clamber's die holds only for units that turn surges into blocks"
    )
    beasts_block: Literal["yes", "no"] = _option(
        "yes", "troopers do not pass through creatures and emplacements, by analogy with ground vehicles"
    )
    repulsors_block: Literal["yes", "no"] = _option(
        "yes", "ground vehicles and creatures do not pass through repulsors: they cannot displace them"
    )
    plain_token: Literal["objective", "free"] = _option(
        "objective", "a token whose kind nobody told counts as an objective: the careful reading"
    )
    contact_rise: Literal["lower", "any"] = _option(
        "lower", "bases touch across a height difference of at most the lower model's height"
    )
    ignored_difficult: Literal["ignored", "counts"] = _option(
        "ignored", "what is passed over by jump, speeder or hover does not slow down, either"
    )

    def told(self) -> Mapping[str, tuple[str, str]]:
        """Each option by its name: its value and the reason of its default."""
        return _told(self)


@dataclass(frozen=True, slots=True)
class Ruleset:
    """An edition of the game."""

    edition: str
    numbers: Numbers = field(default_factory=Numbers)
    options: Options = field(default_factory=Options)
    checks: tuple[Check, ...] = ()

    def tool_mm(self, speed: int) -> float:
        """The length of the movement tool of a speed, from base to base; `ValueError` where there is none."""
        n = self.numbers
        lengths = {1: n.tool_1_mm, 2: n.tool_2_mm, 3: n.tool_3_mm}
        if speed not in lengths:
            raise ValueError(f"there are movement tools of speed 1, 2 and 3, not {speed}")
        return lengths[speed]
