"""Random compulsory moves on the sample board, and the slow way to find how far each goes: place by place."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sim3d.mini import Mini
from sim3d.rules.legion import RRG2, Battle, Move, Unit
from sim3d.rules.legion.compulsory import Compelled, _laid, _on_table_mm, _shift, _way_mm
from sim3d.rules.legion.scan import Scan
from sim3d.rules.legion.standing import words as word_alone
from sim3d.stand import stand
from sim3d.table import Placed
from tests.planted import SQUAD, board

STEP_MM = 0.02
BASES = ("50n", "70n", "100n")


def situation(number: int) -> tuple[Battle, Move] | None:
    """A speeder somewhere on the board with a laid tool, and troopers about; None where it could not start there."""
    dice = np.random.default_rng([7, number])
    table = board()
    mini = Mini(BASES[int(dice.integers(3))], height=float(dice.uniform(40, 80)), com=float(dice.uniform(14, 30)))
    at = (float(dice.uniform(-380, 380)), float(dice.uniform(-380, 380)))
    turn = float(dice.uniform(-180, 180))
    if stand(table, mini, at=at, turn=turn, physics="never").answer != "stable":
        return None
    keywords = ("speeder 1",) if dice.uniform() < 0.7 else ()
    unit = Unit("Skimmers", "red", "repulsor", int(dice.integers(1, 4)), "Skim", ("Skim",), keywords)
    minis = [Placed("Skim", mini, at, turn)]
    reach = mini.base.outline.reach_mm() + 13.6
    for _ in range(200):
        spot = (float(dice.uniform(-440, 440)), float(dice.uniform(-440, 440)))
        near = math.dist(spot, at) < 330 and math.dist(spot, at) > reach
        if near and all(math.dist(spot, m.at) >= 27 for m in minis[1:]) and len(minis) < 25:
            minis.append(Placed(f"Watch-{len(minis)}", SQUAD, spot))
    kinds = ("trooper", "emplacement")
    watch = tuple(
        Unit(f"Unit-{k}", "blue", kinds[k % 2], 1, m.name, (m.name,))  # type: ignore[arg-type]
        for k, m in enumerate(minis[1:])
    )
    move = Move("Skimmers", bend_deg=float(dice.uniform(-90, 90)), compulsory=True)
    return Battle(replace(table, minis=tuple(minis)), (unit, *watch)), move


def scanned(battle: Battle, move: Move) -> tuple[float, bool, int]:
    """How far it goes, whether shifted, and how many places were asked: every 0.02 mm from the far end."""
    whole = _laid(battle, move, RRG2)
    assert whole.path is not None
    full = whole.path.full_mm
    scan = Scan(whole, word_alone, min(_on_table_mm(whole), _way_mm(whole)[0]))
    back, _ = _shift(scan)
    if scan.limit_mm >= full and scan.look(full).legal:
        return full, False, 1
    asked = 0
    stages = [(full - back, full, True)] if back else []
    stages.append((0.0, full - back if back else scan.limit_mm, False))
    for low, high, shifted in stages:
        for k in range(math.floor((high - max(low, 0.0)) / STEP_MM) + 1):
            asked += 1
            if scan._looked(high - k * STEP_MM).legal:
                return high - k * STEP_MM, shifted, asked
    return 0.0, False, asked


def outcome_of(done: Compelled) -> tuple[float, bool]:
    return done.travel_mm, done.shifted
