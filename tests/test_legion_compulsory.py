"""Compulsory moves: shift limits, pockets that a search must not skip, and the same answer as a plain scan."""

from __future__ import annotations

import math

import pytest

from sim3d.mini import Mini
from sim3d.rules.legion import RRG2, Battle, Move, Unit, play
from sim3d.rules.legion.compulsory import Look, compel, farthest
from sim3d.rules.legion.standing import exact
from sim3d.table import Placed
from tests.codes import codes_of
from tests.compelled import outcome_of, scanned, situation
from tests.legion import battle, piece


def skimmer(base: str, *things: object, speed: int = 1, keywords: tuple[str, ...] = ("speeder 1",)) -> Battle:
    mini = Placed("Skim", Mini(base, height=60, com=24), (0.0, 0.0))
    unit = Unit("Skimmers", "red", "repulsor", speed, "Skim", ("Skim",), keywords)
    return battle(*things, mini, unit, size=(1600.0, 900.0))  # type: ignore[arg-type]


def travels(on: Battle) -> tuple[float, bool, int]:
    seen = play(Move("Skimmers", compulsory=True), on, RRG2)
    assert seen.made.compelled is not None
    assert seen.legal, codes_of(seen.findings)
    return seen.made.compelled.travel_mm, seen.made.compelled.shifted, seen.wounds


@pytest.mark.parametrize(
    ("beyond", "shifted", "wounds"),
    [(49.9, True, 0), (50.0, True, 0), (50.1, False, 1)],
)
def test_a_shift_goes_back_half_the_diameter_and_no_farther(beyond: float, shifted: bool, wounds: int) -> None:
    # a roof of 150 mm, so high that a base of 100 mm cannot lean against it; a full move ends `beyond` too far
    full = 75 + 100 + 2 * (13.5 - math.sqrt(13.5**2 - 7.5**2) - (50 - math.sqrt(50**2 - 7.5**2)))
    face = full + 50 - beyond
    travel, was, cost = travels(skimmer("100", piece("crate", face + 200, 0, scale=5.0)))
    assert (was, cost) == (shifted, wounds)
    assert travel == pytest.approx(face - 50, abs=0.1)


def test_it_stands_on_the_far_part_of_a_roof_and_not_on_the_near_one() -> None:
    # h tan 5° = 2.1 mm: 3 mm over the roof's edge it stands, 1 mm over it goes all the way back
    for inside, back in ((3.0, 0.0), (1.0, 51.0)):
        travel, shifted, wounds = travels(skimmer("100n", piece("crate", 169 - inside + 200, 0, scale=5.0)))
        if back:
            assert (shifted, wounds) == (False, 1)  # 51 is more than half of 100
            assert travel == pytest.approx(169 - back, abs=0.1)
        else:
            assert (travel, shifted, wounds) == (169.0, False, 0)


def test_terrain_that_is_not_ignored_lets_nobody_shift() -> None:
    for keywords, shifts in (((), False), (("speeder 1",), True)):
        on = skimmer("100n", piece("crate", 190 + 200, 0, scale=5.0), keywords=keywords)
        travel, shifted, wounds = travels(on)
        assert (shifted, wounds) == (shifts, 0 if shifts else 1)
        assert travel == pytest.approx(140.0, abs=0.1)


# --- the search -------------------------------------------------------------------------------------------------------


def pocket(low: float, high: float, *, trace: float = 0.0) -> object:
    """Answers along a line: legal only from `low` to `high`; `trace` mm about that looks another way."""

    def look(travel: float) -> Look:
        if low <= travel <= high:
            return Look(True, ("stable",))
        side = "after" if travel > high + trace else "before" if travel < low - trace else "near"
        return Look(False, ("topples", side), codes=("END_DOES_NOT_STAND",))

    return look


@pytest.mark.parametrize("width", [0.03, 0.1, 1.0, 7.0])
def test_a_pocket_between_two_reasons_is_found_however_narrow(width: float) -> None:
    for low in (3.0, 41.37, 80.011):
        found = farthest(0.0, 100.0, pocket(low, low + width), 20.0)  # type: ignore[arg-type]
        assert found == pytest.approx(low + width, abs=0.021)


def test_where_nothing_is_legal_nothing_is_found() -> None:
    assert farthest(0.0, 50.0, pocket(60.0, 70.0), 20.0) is None  # type: ignore[arg-type]


def test_what_is_deep_in_the_way_is_jumped_over_and_nothing_else() -> None:
    asked = []

    def look(travel: float) -> Look:
        asked.append(travel)
        deep = 40.0 - abs(travel - 60.0)  # a base of 40 mm about 60
        return Look(False, ("minis",), deep) if deep > 0 else Look(travel < 60, ("stable",))

    assert farthest(0.0, 95.0, look, 20.0) == pytest.approx(20.0, abs=0.021)
    assert len(asked) < 80


@pytest.mark.parametrize("deep", [0.5, 3.7, 40.0])
@pytest.mark.parametrize("low", [3.0, 41.37, 80.011])
def test_stretches_looked_at_side_by_side_give_the_same_place(deep: float, low: float) -> None:
    elsewhere = pocket(low, low + 0.3)

    def look(travel: float) -> Look:
        into = deep - abs(travel - 60.0)
        return Look(False, ("minis",), into) if into > 0 else elsewhere(travel)  # type: ignore[operator,no-any-return]

    alone = farthest(0.0, 95.0, look, 20.0)
    assert (alone is None) == (abs(low - 60.0) < deep)
    assert farthest(0.0, 95.0, look, 20.0, hands=3) == alone


def test_what_goes_wrong_while_looking_ahead_is_told() -> None:
    def look(travel: float) -> Look:
        if travel < 50.0:
            raise ZeroDivisionError
        return Look(False, ("minis",))

    with pytest.raises(ZeroDivisionError):
        farthest(0.0, 95.0, look, 20.0, hands=3)


@pytest.mark.parametrize(
    ("number", "scanned_mm"),
    [
        (89, 99.34),  # on a roof, behind minis on the ground that are deep in the way
        (106, 74.04),
        (59, 144.13),  # between two places in a wall, of which another height is cut off
        (276, 115.06),  # where it topples on either side, and leans on the ground under a lower cut
        (331, 112.19),
        (125, 30.37),  # where it leans against a ruin or goes over, by turns
        (12, 102.73),  # a tenth of a millimetre wide, where the way is cut otherwise than beside it
        (409, 122.42),  # as wide, where other contacts carry it than on either side
    ],
)
def test_it_misses_no_pocket_that_a_scan_found_on_the_sample_board(number: int, scanned_mm: float) -> None:
    case = situation(number)
    assert case is not None
    done = compel(*case, RRG2, standing=exact).compelled
    assert done is not None
    assert done.travel_mm == pytest.approx(scanned_mm, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 5, 11, 13])
def test_it_agrees_with_a_scan_on_the_sample_board(number: int) -> None:
    case = situation(number)
    if case is None:
        pytest.skip("a speeder cannot start there")
    assert agree(*case)


def agree(on: Battle, move: Move) -> bool:
    """The search ends where a scan does, shifted or not as there."""
    done = compel(on, move, RRG2, standing=exact).compelled
    assert done is not None
    travel, shifted, _ = scanned(on, move)
    assert outcome_of(done)[0] == pytest.approx(travel, abs=0.1)
    assert outcome_of(done)[1] is shifted
    return True


@pytest.mark.slow
def test_it_agrees_with_a_scan_in_200_situations() -> None:
    seen = number = 0
    while seen < 200:
        case = situation(number)
        number += 1
        if case is not None:
            seen += 1
            assert agree(*case)
