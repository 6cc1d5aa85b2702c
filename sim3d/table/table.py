"""`Table` and what is on it: `Piece`, `Placed`, `Token`; every number is made Python's own where it comes in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from types import MappingProxyType
from typing import Any

from sim3d.asked import checked_kind, checked_pose
from sim3d.mini import MeshSource, Mini
from sim3d.solid import Solid
from sim3d.space import Floats, Pose

GRIP = math.sqrt(1.25)  # two gripping surfaces multiply to 1.25, so that a 45-degree rule is what binds, not friction

# For whom a piece may say what class of terrain it is: units of the first game, and the board of the second.
ON_HEXES = "hexes"
CLASS_KINDS = ("all", "trooper", "emplacement", "creature", "vehicle", "ground", "repulsor", ON_HEXES)

# Friction coefficients multiply, so each is the root of what a surface does against itself.
MATERIALS: Mapping[str, float] = MappingProxyType(
    {
        "grip": GRIP,  # the default of tables, terrain and minis
        "felt": 0.85,
        "foam": 0.90,  # EVA and XPS
        "mdf": 0.65,
        "resin": 0.62,
        "pla": 0.55,  # bare, printed
    }
)


def _number(what: str, value: Any) -> float:
    if not isinstance(value, Real):
        raise ValueError(f"{what} is a number, got {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{what} is {number}, not a number that can be used")
    return number


def _pair(what: str, value: Any) -> tuple[float, float]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{what} is two numbers, got {value!r}")
    numbers = [_number(what, v) for v in value]
    if len(numbers) != 2:
        raise ValueError(f"{what} is two numbers, got {len(numbers)}")
    return numbers[0], numbers[1]


@dataclass(frozen=True, slots=True)
class Piece:
    """A named solid at a pose, explicitly scaled, with a material and terrain classes per kind of unit.

    >>> tent = Solid.of([(0, 0, 0), (9, 0, 0), (0, 9, 0), (0, 0, 9)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])
    >>> Piece("tent", tent, Pose.at(100, 0), scale=2.0).top_mm
    18.0
    """

    name: str
    solid: Solid
    pose: Pose = field(default_factory=Pose)
    scale: float = 1.0
    material: str = "grip"
    classes: Mapping[str, str] = field(default_factory=dict)
    source: MeshSource | None = None  # the file it came from, so that a table can be written again

    def __post_init__(self) -> None:
        checked_solid(f"piece {self.name!r}: its solid", self.solid)
        checked_kind(f"piece {self.name!r}: its pose", self.pose, Pose, "Pose.at(x, y, turn=30) makes one")
        x, y, z = (_number(f"piece {self.name!r}: its place", v) for v in self.pose.place)
        w, a, b, c = (_number(f"piece {self.name!r}: its spin", v) for v in self.pose.spin)
        object.__setattr__(self, "pose", Pose((x, y, z), (w, a, b, c)))
        checked_pose(self.pose.place, self.pose.spin)
        object.__setattr__(self, "scale", _number(f"piece {self.name!r}: its scale", self.scale))
        if self.scale <= 0:
            raise ValueError(f"piece {self.name!r}: a scale is over 0, got {self.scale:g}")

    def vertices(self) -> Floats:
        """Its corners (n, 3) where they are on the table."""
        return self.pose.apply(self.solid.vertices * self.scale)

    @property
    def top_mm(self) -> float:
        """The height of its highest point."""
        return float(self.vertices()[:, 2].max())


@dataclass(frozen=True, slots=True)
class Placed:
    """A mini somewhere: its underside's middle at (x, y), its facing, and the cut height it is set down below."""

    name: str
    mini: Mini
    at: tuple[float, float]
    turn: float = 0.0
    level: float | None = None
    material: str = "grip"

    def __post_init__(self) -> None:
        checked_mini(self.mini, who=f"mini {self.name!r}: its mini")
        object.__setattr__(self, "at", _pair(f"mini {self.name!r}: at", self.at))
        object.__setattr__(self, "turn", _number(f"mini {self.name!r}: turn", self.turn))
        if self.level is not None:
            object.__setattr__(self, "level", _number(f"mini {self.name!r}: level", self.level))


@dataclass(frozen=True, slots=True)
class Token:
    """A flat round marker lying somewhere."""

    name: str
    at: tuple[float, float]
    diameter_mm: float = 25.0
    kind: str = ""  # what it is, in the words of a game

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", _pair(f"token {self.name!r}: at", self.at))
        object.__setattr__(self, "diameter_mm", _number(f"token {self.name!r}: diameter", self.diameter_mm))


@dataclass(frozen=True, slots=True)
class Table:
    """Terrain, minis and tokens, frozen; `size_mm` None has no edge, `floor_mm` None has no ground.

    No two pieces, no two minis and no two tokens have one name: a question that names it could mean either.
    """

    pieces: tuple[Piece, ...] = ()
    minis: tuple[Placed, ...] = ()
    tokens: tuple[Token, ...] = ()
    size_mm: tuple[float, float] | None = None
    floor_mm: float | None = 0.0
    floor_material: str = "grip"
    materials: Mapping[str, float] = field(default_factory=lambda: MATERIALS)
    about: str = ""

    def __post_init__(self) -> None:
        for kind, things, one, do in (
            ("pieces", self.pieces, Piece, "Piece(name, solid, pose) puts a solid somewhere"),
            ("minis", self.minis, Placed, "Placed(name, mini, at=(x, y)) puts a mini somewhere"),
            ("tokens", self.tokens, Token, "tokens come from a file"),
        ):
            for thing in things:
                checked_kind(f"each of a table's {kind}", thing, one, do)
            names = [thing.name for thing in things]
            if twice := repeated(names):
                raise ValueError(f"two {kind} of a table have one name: {', '.join(names[i] for i in twice)}")
        if self.size_mm is not None:
            object.__setattr__(self, "size_mm", _pair("the table's size", self.size_mm))
        if self.floor_mm is not None:
            object.__setattr__(self, "floor_mm", _number("the table's floor", self.floor_mm))

    @staticmethod
    def of(*solids: Solid) -> Table:
        """Solids in their own coordinates under their own names, no table edge, an endless floor at their lowest z.

        A solid without a name is a "piece"; of two with one name, the second is numbered.
        """
        for solid in solids:
            checked_solid("what a table is made of", solid)
        names = numbered([solid.name or "piece" for solid in solids])
        pieces = tuple(Piece(name, solid) for name, solid in zip(names, solids, strict=True))
        lowest = min((solid.bounds[0][2] for solid in solids), default=0.0)
        return Table(pieces=pieces, floor_mm=lowest)

    def piece(self, name: str) -> Piece:
        """By name; `KeyError` lists what there is."""
        found: Piece = _named(self.pieces, name, "piece")
        return found

    def mini(self, name: str) -> Placed:
        """By name; `KeyError` lists what there is."""
        found: Placed = _named(self.minis, name, "mini")
        return found

    def moved(self, name: str, *, at: tuple[float, float], turn: float | None = None) -> Table:
        """The same table with one mini somewhere else."""
        old = self.mini(name)
        new = replace(old, at=at, turn=old.turn if turn is None else turn)
        return replace(self, minis=tuple(new if m is old else m for m in self.minis))

    def without(self, name: str) -> Table:
        """The same table with one mini taken off."""
        gone = self.mini(name)
        return replace(self, minis=tuple(m for m in self.minis if m is not gone))

    def friction(self, one: str, other: str) -> float:
        """The coefficient between two materials: their product.

        >>> round(Table().friction("grip", "grip"), 9)
        1.25
        """
        return self.materials[one] * self.materials[other]


def checked_solid(what: str, solid: Any) -> None:
    """A solid where one is wanted; a `ValueError` says what makes one."""
    checked_kind(what, solid, Solid, "read_solid(path) reads a file, of_trimesh(mesh) takes a mesh")


def checked_mini(mini: Any, *, who: str = "the mini") -> None:
    """A mini where one is wanted; a `ValueError` says what makes one."""
    do = "what is placed has its own: .mini" if isinstance(mini, Placed) else 'Mini(base="27", height=40) makes one'
    checked_kind(who, mini, Mini, do)


def checked_table(table: Any) -> None:
    """A table where one is wanted; a `ValueError` says what makes one."""
    do = "Table.of(solid) puts it on one" if isinstance(table, Solid) else "read_table(path) reads a file"
    checked_kind("the table", table, Table, do)


def _named(things: Iterable[Any], name: str, kind: str) -> Any:
    things = tuple(things)
    for thing in things:
        if thing.name == name:
            return thing
    raise KeyError(f"no {kind} is called {name!r}; there are: {known([t.name for t in things])}")


# --- names ------------------------------------------------------------------------------------------------------------

MOST_KNOWN = 30  # names that a message lists: more are not read


def known(names: Iterable[str]) -> str:
    """Names as a message lists them.

    >>> known([]), known(["a", "b"])
    ('none', 'a, b')
    """
    told = list(names)
    more = f", and {len(told) - MOST_KNOWN} more" if len(told) > MOST_KNOWN else ""
    return (", ".join(told[:MOST_KNOWN]) or "none") + more


def repeated(names: Sequence[str]) -> list[int]:
    """Which of the names were there before.

    >>> repeated(["a", "b", "a"])
    [2]
    """
    seen: set[str] = set()
    again = []
    for i, name in enumerate(names):
        if name in seen:
            again.append(i)
        seen.add(name)
    return again


def numbered(names: Sequence[str], given: Iterable[str] = ()) -> list[str]:
    """The names, those that are taken with a number behind them; `given` are taken from the start.

    >>> numbered(["a", "a-2", "a", "a"])
    ['a', 'a-2', 'a-3', 'a-4']
    """
    taken = {*given}
    own = set(names)  # a number never makes a name that somebody else brings along
    counts: dict[str, int] = {}
    made = []
    for name in names:
        new = name
        while new in taken or (new != name and new in own):
            counts[name] = counts.get(name, 1) + 1
            new = f"{name}-{counts[name]}"
        taken.add(new)
        made.append(new)
    return made
