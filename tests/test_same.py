"""The same question has the same answer: pinned digests of a dozen scenarios and a map, with both engines."""

from __future__ import annotations

import json

import pytest

from sim3d.scenario import play_scenario, read_scenario
from tests import same

PINNED = json.loads(same.PINS.read_text(encoding="utf-8"))


def pinned(engine: str) -> dict[str, str]:
    """The pins of this engine's release."""
    release = same.release(engine)
    if release not in PINNED:
        pytest.skip(f"{release or engine} is not installed, or another release than is pinned")
    pins: dict[str, str] = PINNED[release]
    return pins


@pytest.mark.parametrize("engine", same.LIBRARIES)
@pytest.mark.parametrize("name", same.SCENARIOS)
def test_both_witnesses_say_so_and_say_the_same_as_ever(name: str, engine: str) -> None:
    pins = pinned(engine)
    scenario = read_scenario(same.ROOT / "scenarios" / "stand" / f"{name}.toml")
    result = play_scenario(scenario, engine=engine, physics="always")
    assert [f"step {p.number}: {judged}" for p in result.played for judged in p.failed] == []
    answers = [p.stand.as_dict() for p in result.played if p.stand is not None]
    told = same.told(answers)
    assert same.digest(told) == pins[name], f"meant to change? `python -m tests.same --pin`; now: {told}"


@pytest.mark.parametrize("engine", same.LIBRARIES)
def test_a_map_is_the_same_as_ever_with_one_thread_or_two(engine: str) -> None:
    pins = pinned(engine)
    one = same.mapped(engine, threads=1)
    assert same.digest(same.pinned_map(one)) == pins["map"], "meant to change? `python -m tests.same --pin`"
    if engine == same.installed()[0]:
        assert one.as_npz() == same.mapped(engine, threads=2).as_npz()


def test_a_digest_sees_a_last_digit_and_a_word() -> None:
    answer = {"answer": "stable", "tilt_deg": 1.0, "drift_mm": 0.04}
    kept = same.digest(same.told([answer]))
    assert same.digest(same.told([answer | {"tilt_deg": 1.0 + 1e-9, "drift_mm": 0.01}])) == kept
    assert same.digest(same.told([answer | {"tilt_deg": 1.001}])) != kept
    assert same.digest(same.told([answer | {"answer": "precarious"}])) != kept
