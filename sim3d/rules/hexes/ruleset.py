"""The second game's ruleset as a value: edition, numbers with unit and source, options with reasons, terrain, checks.

No number of the game stands anywhere else. Where texts are silent or disagree there is an option with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal

from sim3d.finding import Check
from sim3d.rules.hexes.grid import HEX_MM

TEXT = "the text on movement traits"
PAGES = "the game's public pages"
OURS = "our choice"


def _number(value: Any, unit: str, source: str) -> Any:
    return field(default=value, metadata={"unit": unit, "source": source})


def _option(value: Any, reason: str) -> Any:
    return field(default=value, metadata={"reason": reason})


@dataclass(frozen=True, slots=True)
class Numbers:
    """Every number of the rules and of the bake; `told` has the unit and the source of each."""

    hex_mm: float = _number(HEX_MM, "mm", f"from a hex's centre to its corner: 100 mm across corners; {OURS}")
    plain_cost: int = _number(1, "points", f"for each hex entered; {PAGES}")
    difficult_cost: int = _number(2, "points", f"for a Difficult hex entered; {PAGES}")
    least_hexes: int = _number(1, "hexes", f"that a Move Action may always move, whatever it costs; {PAGES}")
    engaged_hexes: int = _number(1, "hexes", f"for a unit that starts its activation Engaged; {PAGES}")
    shoved_hexes: int = _number(1, "hexes", f"of a push, a displacement, a God's Push; {TEXT} and {PAGES}")
    arc_sides: int = _number(1, "hexsides", f"of the Front Arc either side of the facing: three in all; {PAGES}")
    success: int = _number(3, "pips", f"or more on an Attack Die are a success; {PAGES}")
    die: int = _number(6, "pips", f"the most on a die; {PAGES}")
    hit_wounds: int = _number(1, "wounds", f"for each success of a Trample; {TEXT}")
    lost_morale: int = _number(1, "morale", f"where a pushed unit is not moved; {PAGES}")
    step_mm: float = _number(10.0, "mm", f"a steep rise or drop higher than this closes a hexside; {OURS}")
    level_mm: float = _number(25.0, "mm", f"over the board's base a hex counts as Elevated; {OURS}")
    wall_deg: float = _number(45.0, "degrees", f"ground steeper than this is a wall, not a slope; {OURS}")
    difficult_from_deg: float = _number(15.0, "degrees", f"a hex's slope from which it is Difficult; {OURS}")
    difficult_to_deg: float = _number(45.0, "degrees", f"its slope beyond which walls tell, not this; {OURS}")
    rough_from_mm: float = _number(3.0, "mm", f"roughness (RMS about its plane) from which it is Difficult; {OURS}")
    rough_to_mm: float = _number(12.0, "mm", f"roughness beyond which it is a step, and walls tell; {OURS}")
    tagged_share: float = _number(0.5, "of a hex", f"that an author's terrain must cover to name the hex; {OURS}")

    def told(self) -> Mapping[str, tuple[Any, str, str]]:
        """Each number by its name: value, unit, source."""
        return MappingProxyType(
            {f.name: (getattr(self, f.name), f.metadata["unit"], f.metadata["source"]) for f in fields(self)}
        )


@dataclass(frozen=True, slots=True)
class Options:
    """Readings where the texts are silent; `told` has the reason of each default."""

    breakaway_same_enemy_exempt: bool = _option(
        False, "any enemy's zone ends a Breakaway, also of the one it leaves: the waiver is for the starting hex only"
    )
    lockdown_allows_pivot: bool = _option(False, "a pivot is part of the Move Action that a locked unit cannot take")
    lockdown_trample_exception: bool = _option(
        True, "a locked unit moves only where it could without the lock, and its first hex is one that it tramples"
    )
    lockdown_stops_unstoppable: bool = _option(
        False, "the text names Harass and Nimble only; the newer edition adds Unstoppable"
    )
    unstoppable_melee: Literal["if_used", "any_move"] = _option(
        "if_used", "read as any move, such a unit could never charge: Melee is lost where the trait was needed"
    )
    push_limit: int = _option(1, "units that a player nominates in a God's Push: procedures nominate one unit")
    push_timing: Literal["after", "any"] = _option(
        "after", "after the activations: before them every unit would be unactivated and Tireless would do nothing"
    )
    push_pivots: bool = _option(True, "a unit moved by God's Push may turn afterwards, as after any move of its own")
    tireless_is_extra: bool = _option(False, "the trait makes eligible; the unit counts as the one that is nominated")
    retreat_sides: tuple[int, ...] = _option((2, 3, 4), "a push goes away from the loser's front: its three rear sides")
    held_push: Literal["morale", "nothing"] = _option(
        "morale", "a pushed unit that stays where it is loses morale, by analogy with a charge's push"
    )
    zone_over_walls: Literal["cut", "pure"] = _option(
        "cut", "a zone, and melee, end at a wall as high as the unit; pure: the rules of a flat map"
    )
    shut_in: Literal["impassable", "open"] = _option(
        "impassable", "a hex whose every side is closed is a cliff of its own; open: whoever flies may land on it"
    )
    drops: Literal["closed", "free"] = _option("closed", "a drop over the step limit closes a hexside as a rise does")

    def told(self) -> Mapping[str, tuple[Any, str]]:
        """Each option by its name: its value and the reason of its default."""
        return MappingProxyType({f.name: (getattr(self, f.name), f.metadata["reason"]) for f in fields(self)})


KEYWORDS = (
    "difficult",
    "impassable",
    "elevated",
    "cover",
    "obstructing",
    "destructible",
    "no charge in",
    "no charge out",
)  # what a hex's terrain is to the rules, in the order in which it is told

HILL = ("elevated", "obstructing", "no charge in")
WATER = ("difficult", "no charge out")
_TERRAIN = {
    "hill": HILL,
    "cliffs": ("impassable", "obstructing"),
    "river": WATER,
    "swamp": WATER,
    "lake": ("impassable",),
    "forest": ("cover", "obstructing", "no charge in"),
    "building": ("impassable", "obstructing", "destructible"),
    "ruins": ("difficult", "cover", "no charge in"),
    "barricades": ("cover", "destructible", "no charge in"),
    "open": (),
}
SEED_TERRAIN: Mapping[str, tuple[str, ...]] = MappingProxyType(_TERRAIN)
CURRENT_TERRAIN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {**_TERRAIN, "forest": ("obstructing", "no charge in"), "ruins": ("difficult", "cover")}
)


def charges_by_moving(moved: bool) -> bool:
    """What gives a melee attack the Charge property as far as we know: its unit moved this activation."""
    return moved


@dataclass(frozen=True, slots=True)
class Ruleset:
    """An edition of the game."""

    edition: str
    numbers: Numbers = field(default_factory=Numbers)
    options: Options = field(default_factory=Options)
    terrain: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: SEED_TERRAIN)
    checks: tuple[Check, ...] = ()
    charges: Callable[[bool], bool] = charges_by_moving
