"""What scenario files say of hex boards and moves: strict forms, each key with its limits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from sim3d.expect import NumberForm
from sim3d.form import Field, Form
from sim3d.rules.hexes.board import KINDS as UNIT_KINDS
from sim3d.rules.hexes.board import PHASES, TRAITS
from sim3d.rules.hexes.edition import EDITIONS, SEED
from sim3d.rules.hexes.move import KINDS
from sim3d.rules.hexes.ruleset import KEYWORDS, SEED_TERRAIN
from sim3d.table import Coordinate, Length, Name, Turn

Whole = Annotated[int, Field(ge=-1000, le=1000)]
Level = Annotated[int, Field(ge=0, le=20)]
Place = tuple[Whole, Whole] | tuple[Whole, Whole, Level]
Side = Annotated[int, Field(ge=0, le=5)]
Count = Annotated[int, Field(ge=0, le=100)]
MOST_RADIUS, MOST_ROWS = 30, 60  # hexes: terrain for more takes gigabytes
Rows = Annotated[int, Field(ge=1, le=MOST_ROWS)]
COUNTS = ("legal", "spent", "melee", "charge", "dice", "wounds", "morale", "standable")
LISTS = ("rules", "codes", "stopped_by", "keywords")
NEXT_ROUND = "next round"  # to the activations of another round, whatever is left of this one


def _one_of(words: Iterable[str]) -> Any:
    return Annotated[str, Field(json_schema_extra={"enum": list(words)})]


class CellForm(Form):
    """`[[hexes.cell]]`: what the author says of a hex; the terrain's keywords are then these."""

    at: Place
    terrain: _one_of(SEED_TERRAIN) | None = None  # type: ignore[valid-type]
    keywords: tuple[_one_of(KEYWORDS), ...] = ()  # type: ignore[valid-type]
    standable: bool = Field(default=True, description="of a board that is not baked: whether a base stands there")


class WallForm(Form):
    """`[[hexes.wall]]`: a wall on a hexside, seen from both sides; what was measured there does not count."""

    at: Place
    side: Side
    to_level: Level = Field(default=0, description="the level of the hex beyond; 0 is open to the sky")
    up_mm: Annotated[float, Field(ge=0, le=10_000)] = Field(default=0.0, description="the rise from this hex")
    down_mm: Annotated[float, Field(ge=0, le=10_000)] = Field(default=0.0, description="the drop from this hex")


class HexUnitForm(Form):
    """`[[hexes.unit]]`: a unit on its hex base."""

    name: Name
    side: Name
    at: Place
    facing: Side = 0
    speed: Count = 3
    kind: _one_of(UNIT_KINDS) = "infantry"  # type: ignore[valid-type]
    traits: tuple[_one_of(TRAITS), ...] = ()  # type: ignore[valid-type]
    slow: Count = 0
    fast: Count = 0
    height_mm: Length = 40.0
    circular: bool = Field(default=False, description="its zone is all six hexes around it")
    activated: bool = False
    began_engaged: bool | None = Field(default=None, description="without it, its activation begins with its move")
    health: Annotated[int, Field(ge=1, le=100)] | None = None
    wounds: Count = 0


class BakeForm(Form):
    """`bake = { … }`: the units' base, by which the terrain is baked onto the hexes."""

    base: Name
    height: Length | None = None
    com: Length | None = None
    material: Name = "grip"
    field: str = Field(default="", description="a saved field, from this file's folder; without it, baked anew")


class OptionsForm(Form):
    """`options = { … }`: readings that differ from the edition's."""

    breakaway_same_enemy_exempt: bool | None = None
    lockdown_allows_pivot: bool | None = None
    lockdown_trample_exception: bool | None = None
    lockdown_stops_unstoppable: bool | None = None
    unstoppable_melee: Literal["if_used", "any_move"] | None = None
    push_limit: Count | None = None
    push_timing: Literal["after", "any"] | None = None
    push_pivots: bool | None = None
    tireless_is_extra: bool | None = None
    retreat_sides: tuple[Side, ...] | None = None
    held_push: Literal["morale", "nothing"] | None = None
    zone_over_walls: Literal["cut", "pure"] | None = None
    shut_in: Literal["impassable", "open"] | None = None
    drops: Literal["closed", "free"] | None = None


class HexesForm(Form):
    """`[hexes]`: a board of hexes over the table, its units, and where in its sequence the game is."""

    edition: _one_of(EDITIONS) = "seed"  # type: ignore[valid-type]
    options: OptionsForm = Field(default_factory=OptionsForm)
    radius: Annotated[int, Field(ge=0, le=MOST_RADIUS)] | None = Field(
        default=None, description="hexes around (0, 0); or give columns and rows"
    )
    columns: Rows | None = None
    rows: Rows | None = None
    size: Length = Field(default=SEED.numbers.hex_mm, description="mm from a hex's centre to its corner")
    turn: Turn = Field(default=0.0, description="0: corners up, direction 0 along x")
    origin: tuple[Coordinate, Coordinate] = Field(default=(0.0, 0.0), description="the middle of hex (0, 0), mm")
    bake: BakeForm | None = None
    cell: tuple[CellForm, ...] = ()
    wall: tuple[WallForm, ...] = ()
    unit: tuple[HexUnitForm, ...] = ()
    first: str = Field(default="", description="the side of player A; without it that of the first unit")
    phase: _one_of(PHASES) = "activations"  # type: ignore[valid-type]


class HexExpectForm(Form):
    """`expect = { … }` of a move on hexes: every key that is there must hold."""

    legal: bool | None = None
    rules: tuple[Name, ...] | None = Field(default=None, description="exactly the clauses that speak or have an effect")
    codes: tuple[Name, ...] | None = Field(default=None, description="exactly the codes of its findings and events")
    why: Name | tuple[Name, ...] | None = Field(default=None, description="words that the messages must hold")
    end: Place | None = Field(default=None, description="where the unit is afterwards")
    spent: Count | None = Field(default=None, description="movement points")
    stopped_by: tuple[Name, ...] | None = Field(default=None, description="exactly the units whose zones ended it")
    melee: bool | None = Field(default=None, description="whether a melee attack is left")
    charge: bool | None = Field(default=None, description="whether its attack charges")
    dice: Count | None = Field(default=None, description="how many it rolls")
    wounds: Count | None = None
    morale: Whole | None = None
    standable: bool | None = Field(default=None, description="whether the base stands where the move leads")
    keywords: tuple[Name, ...] | None = Field(default=None, description="exactly the terrain where the move leads")
    height_mm: NumberForm | None = Field(default=None, description="the ground where the move leads")


class HexStepForm(Form):
    """`[[step]]` with `hexes`: a unit moves on the board of the file; in a story on what the step before left of it."""

    hexes: _one_of(KINDS)  # type: ignore[valid-type]
    unit: Name
    about: str = ""
    phase: _one_of((*PHASES, NEXT_ROUND)) | None = Field(  # type: ignore[valid-type]
        default=None, description="the game goes on to this step of its sequence first"
    )
    path: tuple[Place, ...] = Field(default=(), description="hex by hex, without the one it starts on")
    to: Place | None = Field(default=None, description="where a flight or teleport ends")
    facing: Side | None = Field(default=None, description="the final pivot")
    by: str = Field(default="", description="the unit or side that a push, displacement or teleport comes from")
    reach: Count | None = Field(default=None, description="hexes, of a teleport by somebody")
    strike: str = Field(default="", description="the unit it attacks in melee afterwards")
    dice: tuple[Annotated[int, Field(ge=1, le=6)], ...] = ()
    rerolls: tuple[Annotated[int, Field(ge=1, le=6)], ...] = ()
    expect: HexExpectForm = Field(default_factory=HexExpectForm)
