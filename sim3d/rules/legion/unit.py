"""Units: type, keywords, speed, leader and minis, weapons enough to know melee, what they have done and suffered."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Literal

from sim3d.table import Placed

TYPES = ("trooper", "emplacement", "creature", "ground", "repulsor")
TROOPERS = ("trooper", "emplacement", "creature")
VEHICLES = ("ground", "repulsor")
UnitType = Literal["trooper", "emplacement", "creature", "ground", "repulsor"]

PLAIN_KEYWORDS = (
    "ai move",
    "climbing vehicle",
    "closed transport",
    "expert climber",
    "full pivot",
    "grounded",
    "light transport",
    "plodding",
    "reposition",
    "stationary",
    "strafe",
    "surge to block",
    "transport",
    "unhindered",
)
HEIGHT_KEYWORDS = ("jump", "speeder", "hover air")  # each with a number: the height of terrain that it ignores
TRANSPORTS = ("transport", "closed transport", "light transport")  # the first one is open
KEYWORD = re.compile(rf"(?:{'|'.join(HEIGHT_KEYWORDS)}) [1-9]|hover ground|{'|'.join(PLAIN_KEYWORDS)}")


def known_keywords() -> tuple[str, ...]:
    """All keywords as a player is told them, N for a height."""
    return (*PLAIN_KEYWORDS, "hover ground", *(f"{word} N" for word in HEIGHT_KEYWORDS))


def whole(value: object) -> bool:
    """Whether something is a whole number; true and false are none.

    >>> whole(2), whole(2.0), whole(True)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class State:
    """What a unit has done and suffered."""

    done: tuple[str, ...] = ()  # the actions of this activation, in order
    immobilized: int = 0
    suppression: int = 0
    wounds: int = 0
    defeated: bool = False
    spurred: bool = False
    objective: bool = False  # it holds an objective
    aboard: str = ""  # the unit that carries it
    pushed: tuple[str, ...] = ()  # the units that it has displaced in this activation
    compulsory: str = ""  # its compulsory move in this activation: made at the "start" or the "end", or not yet
    ordered: bool = False  # it has a face-up order
    withdrawn: bool = False  # it has withdrawn in this activation
    jumped: bool = False  # it has jumped in this activation
    extra: int = 0  # actions that what it has done took over the usual ones


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its leader is the mini that moves by the tool, the others follow."""

    name: str
    side: str
    type: UnitType
    speed: int
    leader: str
    minis: tuple[str, ...] = ()  # all of them, the leader among them
    keywords: tuple[str, ...] = ()
    melee: bool = False  # whether it has a melee weapon
    state: State = field(default_factory=State)
    carried: tuple[Placed, ...] = ()  # its minis while it is aboard of another unit

    @property
    def trooper(self) -> bool:
        """Whether its minis are troopers of any kind."""
        return self.type in TROOPERS

    @property
    def followers(self) -> tuple[str, ...]:
        """Its minis without the leader."""
        return tuple(m for m in self.minis if m != self.leader)

    def has(self, keyword: str) -> bool:
        """Whether it has a keyword, with or without a number behind it.

        >>> Unit("a", "red", "repulsor", 2, "a", ("a",), ("hover air 2",)).has("hover")
        True
        """
        return any(k == keyword or k.startswith(f"{keyword} ") for k in self.keywords)

    @property
    def transport(self) -> str:
        """What kind of transport it is; empty: it carries nobody."""
        return next((k for k in TRANSPORTS if k in self.keywords), "")

    def height_of(self, keyword: str) -> int:
        """The number of a keyword; 0 without it."""
        return max((int(k.rsplit(" ", 1)[1]) for k in self.keywords if k.startswith(f"{keyword} ")), default=0)

    def after(self, **changes: object) -> Unit:
        """The same unit in another state."""
        return replace(self, state=replace(self.state, **changes))  # type: ignore[arg-type]
