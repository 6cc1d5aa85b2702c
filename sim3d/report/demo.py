"""What `sim3d demo` says: a handful of placements on the sample board, with their words, tilts, margins and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sim3d.mini import Mini
from sim3d.stand import Stand, stand
from sim3d.table import Placed, Table


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on a piece of the board, in the piece's own coordinates, so that it stays where the piece goes."""

    about: str
    piece: str
    at: tuple[float, float]
    base: str = "27"
    turn: float = 0.0
    level: float | None = None


SPOTS: tuple[Spot, ...] = (
    Spot("on the ruin's upper floor", "ruin", (-12.0, 34.0)),
    Spot("half over its broken edge", "ruin", (-27.5, -55.0)),
    Spot("on the crown of the hill", "hill", (0.0, 0.0), base="50n"),
    Spot("on the hill's flank", "hill", (62.0, 0.0)),
    Spot("on the bridge", "bridge", (0.0, 0.0), base="50n"),
    Spot("under the bridge", "bridge", (20.0, -26.0), level=30.0),
    Spot("on the landing pad's ramp", "pad", (-20.0, -100.0)),
    Spot("on the tower's roof", "tower", (0.0, 0.0)),
    Spot("on the house's dome", "domed-house", (-25.0, 5.0)),
    Spot("in the rubble of the other ruin", "old-ruin", (40.0, -30.0)),
    Spot("on a sandbag barricade", "bags-3", (0.0, 0.0)),
    Spot("into the pillar of the bridge", "bridge", (72.0, 0.0), level=30.0),
)


def demo_shown(board: Table, *, engine: str | None, physics: str) -> list[tuple[Placed, Stand]]:
    """Each spot's mini, named by its number, and what was found; each is asked with the board to itself."""
    seen = []
    for number, spot in enumerate(SPOTS, 1):
        x, y, _ = board.piece(spot.piece).pose.apply([[*spot.at, 0.0]])[0]
        placed = Placed(str(number), Mini(spot.base, height=40.0), (float(x), float(y)), spot.turn, spot.level)
        told: dict[str, Any] = {"turn": placed.turn, "level": placed.level, "engine": engine, "physics": physics}
        answer = stand(board, placed.mini, at=placed.at, **told)
        seen.append((placed, answer))
    return seen


def demo_text(seen: Sequence[tuple[Placed, Stand]]) -> str:
    """A table of the spots, and under each line why."""
    wide = max(len(spot.about) for spot in SPOTS)
    lines = ["", f"    {'a miniature 40 mm tall':{wide}}  {'':10} {'tilt':>7} {'margin':>8} {'tips at':>8}"]
    for spot, (placed, answer) in zip(SPOTS, seen, strict=True):
        tilt, margin, tip = answer.tilt_deg, answer.margin_mm, answer.tip_deg
        numbers = (_said(tilt, "°", 7), _said(margin, " mm", 8), _said(tip, "°", 8))
        lines.append(f"{placed.name:>3} {spot.about:{wide}}  {answer.answer:10} {' '.join(numbers)}".rstrip())
        lines.append(f"      {answer.why}")
    return "\n".join(lines) + "\n"


def _said(value: float | None, unit: str, wide: int) -> str:
    return f"{'' if value is None else f'{value:.1f}{unit}':>{wide}}"
