"""Squads of six planted on the sample board: whether `cohere` finds places for them again, and how long it takes.

    python benchmarks/cohesion.py [--count 300] [--first 0] [--slice 1/3]

Cases are numbered (tests/planted.py); where nothing could be planted there is none. A slice takes every so many
numbers and as large a share of the count. Each arrangement is handed to `judge`. Exit code 1 where fewer than 99 % are
found and legal, or the median takes a second of the processor.
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

from sim3d.rules.legion import RRG2, Move, judge
from sim3d.rules.legion.arranging import cohere
from tests.planted import Planted, planted, site

FOUND_SHARE, MEDIAN_S = 0.99, 1.0


def cases(first: int, count: int, step: int) -> Iterator[tuple[int, Planted]]:
    """So many planted squads from a number on, every so many numbers, with theirs."""
    number = first
    while count:
        case = planted(number)
        if case is not None:
            yield number, case
            count -= 1
        number += step


def main() -> int:
    """Parse, find, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--slice", default="1/1")
    told = parser.parse_args()
    part, every = (int(v) for v in told.slice.split("/"))
    spent, good = [], 0
    for number, case in cases(told.first + part - 1, math.ceil((told.count - part + 1) / every), every):
        followers = [case.battle.table.mini(name) for name in case.unit.followers]
        begun = time.process_time()
        found = cohere(site(case.battle, case.unit), followers)
        spent.append(time.process_time() - begun)
        leader = case.battle.leader(case.unit).at
        said = judge(Move(case.unit.name, "deploy", begin=leader, followers=found.followers), case.battle, RRG2)
        good += found.whole and not said
        if not found.whole or said:
            print(f"{number}: not found: {found.why}" if not found.whole else f"{number}: {[f.code for f in said]}")
    median = statistics.median(spent)
    print(f"{good} of {len(spent)} found and legal; median {median:.2f} s, worst {max(spent):.2f} s")
    return 0 if good >= FOUND_SHARE * len(spent) and median < MEDIAN_S else 1


if __name__ == "__main__":
    sys.exit(main())
