"""Compulsory moves on the sample board: how long a search takes, and whether a scan of every 0.02 mm ends there, too.

    python benchmarks/compulsory.py time|scan [--count 200] [--first 0] [--slice 1/4]

Situations are numbered (tests/compelled.py); those in which the speeder could not start are left out. A slice takes
every so many numbers and as large a share of the count. Where search and scan differ by more than 0.1 mm, or one shifts
and the other does not, it is printed, and the exit code is 1. Seconds are the clock's.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from sim3d.rules.legion import RRG2, Battle, Move
from sim3d.rules.legion.compulsory import compel
from sim3d.rules.legion.standing import exact
from tests.compelled import outcome_of, scanned, situation

NEAR_MM = 0.1  # what players see


def situations(first: int, count: int, step: int) -> Iterator[tuple[int, Battle, Move]]:
    """So many situations from a number on, every so many numbers, with theirs."""
    number = first
    while count:
        case = situation(number)
        if case is not None:
            yield number, *case
            count -= 1
        number += step


def main() -> int:
    """Parse, search, scan, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("time", "scan"))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--slice", default="1/1")
    told = parser.parse_args()
    part, every = (int(v) for v in told.slice.split("/"))
    spent, bad = [], 0
    for number, battle, move in situations(told.first + part - 1, math.ceil((told.count - part + 1) / every), every):
        begun = time.perf_counter()
        done = compel(battle, move, RRG2, standing=exact).compelled
        spent.append(time.perf_counter() - begun)
        assert done is not None
        travel, shifted = outcome_of(done)
        line = f"{number}: {travel:.2f} of {done.full_mm:.2f} mm{' shifted' if shifted else ''}, {spent[-1]:.2f} s"
        if told.what == "scan":
            theirs, also, asked = scanned(battle, move)
            same = abs(theirs - travel) <= NEAR_MM and also is shifted
            bad += not same
            line += f"; scan {theirs:.2f}{' shifted' if also else ''} ({asked} asked){'' if same else ' DIFFERS'}"
        print(line, flush=True)
    over = sum(s > 1 for s in spent)
    print(f"{len(spent)} searches: median {statistics.median(spent):.2f} s, worst {max(spent):.2f} s, {over} over 1 s")
    print(f"{bad} differ from the scan" if told.what == "scan" else "")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
