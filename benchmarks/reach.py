"""`reach` on the sample board: how long it takes, and whether it is true.

    python benchmarks/reach.py time
    python benchmarks/reach.py inside|outside [--at 200,0] [--pitch 2] [--seed 5] [--count 500] [--slice 1/4]

`time`: a 27 mm trooper at speed 2 at four places: without a map, and with a standing map at hand.
`inside`: random places of the region each have a move that `judge` calls legal.
`outside`: about random places 2 mm outside no move of a grid of 0.5 mm and 0.5 degrees ends legally at a place that
`reach` denies, and `why` names a rule. What is untrue is printed, and makes the exit code 1. A slice takes every n-th
place, from the k-th on.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from sim3d.atlas import atlas
from sim3d.ground.fans import SURE
from sim3d.rules.legion import RRG2, Battle, Unit
from sim3d.rules.legion.reach import reach
from sim3d.table import Placed
from tests.planted import SQUAD, board
from tests.reached import fault_inside, fault_outside, outside

PLACES = ((0.0, -30.0), (200.0, 0.0), (-100.0, 150.0), (100.0, -200.0))
FAR_MM = 160.0  # a little more than one move
PITCH_MM = 10.0


def battle(at: tuple[float, float]) -> Battle:
    """A trooper alone on the sample board."""
    alone = Unit("Wardens", "red", "trooper", 2, "Oda", ("Oda",))
    return Battle(replace(board(), minis=(Placed("Oda", SQUAD, at),)), (alone,))


def times() -> None:
    """Seconds without and with a map, by the clock and of the processor."""
    reach(battle((-400.0, -400.0)), "Wardens", RRG2, pitch_mm=40.0)  # loads what is compiled
    for x, y in PLACES:
        area = (x - FAR_MM, y - FAR_MM, x + FAR_MM, y + FAR_MM)
        seen = []
        for chart in (None, atlas(board(), SQUAD, pitch=PITCH_MM, area=area)):
            clock, processor = time.perf_counter(), time.process_time()
            seen.append(reach(battle((x, y)), "Wardens", RRG2, atlas=chart, pitch_mm=PITCH_MM))
            spent = time.perf_counter() - clock, time.process_time() - processor
            name = "map" if chart else "cold"
            print(f"{x:g},{y:g} {name}: {spent[0]:.2f} s, processor {spent[1]:.2f} s, {len(seen[-1].region)} places")
        print(f"  the map tells otherwise at {int((seen[0].words != seen[1].words).sum())} places")


def main() -> int:
    """Parse, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("time", "inside", "outside"))
    parser.add_argument("--at", default="200,0")
    parser.add_argument("--pitch", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--slice", default="1/1")
    told = parser.parse_args()
    if told.what == "time":
        times()
        return 0
    x, y = (float(v) for v in told.at.split(","))
    first, every = (int(v) for v in told.slice.split("/"))
    dice = np.random.default_rng(told.seed)
    seen = reach(battle((x, y)), "Wardens", RRG2, pitch_mm=told.pitch)
    print(f"{len(seen.region)} of {len(seen.points)} places, {time.process_time():.0f} s of processor", flush=True)
    if told.what == "inside":
        chosen = dice.permutation(np.flatnonzero(seen.words == SURE))[: told.count][first - 1 :: every]
        asked, faults = len(chosen), [f for k in chosen.tolist() if (f := fault_inside(seen, k))]
    else:
        asked, faults = 0, []
        for k, spot in enumerate(outside(seen, dice, told.count)):
            if k % every == first - 1:
                asked += 1
                faults += [f] if (f := fault_outside(seen, spot, dice)) else []
    print("\n".join(faults))
    bad = len(faults)
    print(f"{asked} asked, {bad} untrue, {time.process_time():.0f} s of processor")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
