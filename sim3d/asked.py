"""What may be asked, whichever verb asks it: places, turns, heights, friction, materials. Each is checked here and
nowhere else, so that what one verb refuses no other accepts; a wrong one is a `ValueError` that says what is wanted.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

MOST_TURN = 3600.0  # degrees either way, ten times round: beyond, a number is a slip, and its digits are gone
MOST_FRICTION = 10.0  # more than any pair of materials has; Bullet cuts off here by itself, silently
UNIT = 1e-6  # how far a quaternion's length may be from 1
P = ParamSpec("P")
T = TypeVar("T")


def finite(value: Any) -> bool:
    """Whether it is a number that can be used: no text, no flag, not-a-number or infinity.

    >>> finite(3), finite("3"), finite(float("nan"))
    (True, False, False)
    """
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)


def checked_kind(what: str, value: Any, kind: type, do: str, *, shown: int = 80) -> None:
    """A thing of its kind, where another would be an `AttributeError` somewhere deep inside; `do` says what to write.

    So many characters of a wrong one are shown.

    >>> checked_kind("the name", 3, str, "put it in quotes")
    Traceback (most recent call last):
    ValueError: the name is a str, got 3, an int; put it in quotes
    """
    if not isinstance(value, kind):
        told = repr(value)
        told = told if len(told) <= shown else f"{told[:shown]}…"
        got = type(value).__name__
        raise ValueError(f"{what} is {_a(kind.__name__)}, got {told}, {_a(got)}; {do}")


def _a(word: str) -> str:
    return f"an {word}" if word[0].lower() in "aeiou" else f"a {word}"


def checked_friction(friction: float) -> float:
    """The product of both surfaces' coefficients, from 0 to 10; anything else is a `ValueError`."""
    if not (finite(friction) and 0 <= friction <= MOST_FRICTION):
        raise ValueError(f"friction is a number from 0 to {MOST_FRICTION:g}, got {friction!r}")
    return float(friction)


def checked_place(at: Any, turn: Any, level: Any, friction: Any) -> None:
    """Where a mini is set down, and on what grip; None is no level, and the friction of the surfaces."""
    if isinstance(at, str) or not hasattr(at, "__len__") or len(at) != 2 or not all(map(finite, at)):
        raise ValueError(f"a place is two numbers of mm, got {at!r}")
    if not finite(turn) or abs(turn) > MOST_TURN:
        raise ValueError(f"a turn is a number of degrees, from {-MOST_TURN:g} to {MOST_TURN:g}, got {turn!r}")
    if level is not None and not finite(level):
        raise ValueError(f"a level is a height in mm, or None, got {level!r}")
    if friction is not None:
        checked_friction(friction)


def checked_material(material: Any, materials: Mapping[str, float]) -> None:
    """A material that the table knows."""
    if not isinstance(material, str) or material not in materials:
        raise ValueError(f"no material is called {material!r}; this table has: {', '.join(sorted(materials))}")


def checked_pose(place: Sequence[float], spin: Sequence[float]) -> None:
    """A place in mm and a quaternion of length one, of numbers."""
    sound = len(place) == 3 and len(spin) == 4 and all(map(finite, (*place, *spin)))
    if not sound or abs(math.hypot(*spin) - 1) > UNIT:
        raise ValueError(f"a pose is a place in mm and a unit quaternion (Pose.at makes one), got {place} and {spin}")


def of_map(ask: Callable[P, T], *checks: Callable[[Any], None]) -> Callable[P, T]:
    """A verb that makes standing maps, with what it is asked checked before it begins: first its first arguments."""

    @wraps(ask)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        table: Any = args[0] if args else kwargs.get("table")
        friction: Any = kwargs.get("friction")
        audit: Any = kwargs.get("audit", 0)
        for check, value in zip(checks, args, strict=False):
            check(value)
        if friction is not None:
            checked_friction(friction)
        checked_material(kwargs.get("material", "grip"), table.materials)
        if not isinstance(audit, numbers.Integral) or audit < 0:
            raise ValueError(f"audit is how many cells the engine is asked about, 0 or more, got {audit!r}")
        return ask(*args, **kwargs)

    return asked
