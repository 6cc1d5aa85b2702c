"""What `sim3d bake` says: each hex of a board on its terrain, a line each; and the board of a table that has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sim3d.mini import Mini
from sim3d.rules.hexes import SEED, Board, Hex, Layout, Ruleset, disc, rectangle
from sim3d.rules.hexes.asked import Plan
from sim3d.rules.hexes.bake import HexField
from sim3d.rules.hexes.board import closed
from sim3d.rules.hexes.forms import MOST_RADIUS, MOST_ROWS
from sim3d.rules.hexes.grid import SIDES
from sim3d.scenario import read_scenario
from sim3d.table import Table


def baking_of(
    path: Path, mini: Mini | None, hexes: Sequence[Hex], layout: Layout, *, given: Sequence[str] = ()
) -> tuple[Table, Plan]:
    """A file's table and its board; a base and hexes given here are for a file without a board of its own, and so are
    the options that were `given`, which say more of them."""
    seen = read_scenario(path)
    if seen.plan is not None and (mini is not None or hexes):
        raise ValueError(f"{path} has a board of its own: leave out the base and the hexes")
    if seen.plan is not None and given:
        raise ValueError(f"{path} has a board of its own: leave out {', '.join(given)}, or write it there")
    if seen.plan is not None and seen.plan.mini is None:
        raise ValueError(f"the board of {path} is not baked: write bake = {{ base = … }} under [hexes]")
    if seen.plan is not None:
        return seen.table, replace(seen.plan, saved=None)
    if mini is None or not hexes:
        raise ValueError(f"{path} has no [hexes]: give --base, and --radius or --columns and --rows")
    return seen.table, Plan(SEED, layout, tuple(hexes), (), mini)


def hexes_of(radius: int | None, columns: int | None, rows: int | None) -> tuple[Hex, ...]:
    """The hexes that flags ask for; none without flags."""
    if radius is None and columns is None and rows is None:
        return ()
    if (radius is None) == (columns is None) or (columns is None) != (rows is None):
        raise ValueError("give --radius, or --columns and --rows")
    if radius is not None:
        if not 0 <= radius <= MOST_RADIUS:
            raise ValueError(f"--radius is 0 to {MOST_RADIUS}, not {radius}")
        return disc(Hex(0, 0), radius)
    for option, count in (("--columns", columns or 0), ("--rows", rows or 0)):
        if not 1 <= count <= MOST_ROWS:
            raise ValueError(f"{option} is 1 to {MOST_ROWS}, not {count}")
    return rectangle(columns or 0, rows or 0)


def bake_text(field: HexField, board: Board, ruleset: Ruleset) -> str:
    """A line per hex and level: height, how the base stands, slope, closed sides, keywords; and one that sums up."""
    lines = [f"{'hex':>14} {'height':>9} {'base':10} {'slope':>6} {'rough':>7} {'closed':>6}  terrain"]
    for at, spot in field.spots.items():
        high = "-" if spot.height_mm is None else f"{spot.height_mm:.1f} mm"
        shut = sum(
            all(closed(board, at, there, ruleset) is not None for there in beside)
            for way in range(SIDES)
            if (beside := board.next_to(at, way))
        )
        words = ", ".join(board.hexes[at].keywords) or "open"
        numbers = f"{spot.slope_deg:5.1f}° {spot.rough_mm:4.1f} mm {shut:6}"
        lines.append(f"{at!s:>14} {high:>9} {spot.answer:10} {numbers}  {words}")
    stands = sum(spot.standable for spot in field.spots.values())
    lines.append(f"{stands} of {len(field.spots)} hexes and levels carry the base; terrain {field.digest[:16]}")
    return "\n".join(lines) + "\n"
