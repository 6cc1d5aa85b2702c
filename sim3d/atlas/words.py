"""The words of a map's cell, why one is left to the exact solver, and the columns of its numbers."""

from __future__ import annotations

OFF, BLOCKED, FALLING, TOPPLING, SLIDING, STEEP, PRECARIOUS, STABLE, UNDECIDED = range(9)  # as in `stand.WORDS`
ASK = 9  # no proof here: the exact solver is asked, because ...
NOT_OVER, ROOM, SLIP, NEAR_45, ON_A_POINT, ON_A_LINE, NEAR_5, MAY_STAY, WANDERED = range(9)

EXACT_BELOW_DEG = 10.0  # below it, tip and barrier are exact; above, what is proven
SURE_DEG = 0.01  # nearer than this to a limit, the exact solver is asked: ten times the band of a word

# columns of a cell's numbers
HEIGHT_Z, SLOPE_X, SLOPE_Y, TILT, MARGIN, TIP, BARRIER, SURFACE = range(8)
FLAT, BOUND, TIP_EXACT = 1, 2, 4  # how it was found: on level ground; a lower bound stands for tip and barrier; ...
UNDER = 16  # ... by what lies under the base alone: nothing beside its outline was asked about
