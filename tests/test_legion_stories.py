"""Stories: outcomes chained, told in sentences, and written down so that they play again to the same table."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from sim3d.finding import Report
from sim3d.form import to_json
from sim3d.report.replaying import replay_text
from sim3d.report.running import Ran, running_text
from sim3d.rules.legion import RRG2, Move, Outcome, play
from sim3d.rules.legion.asked import retold, told
from sim3d.scenario import Result, parse_scenario, play_scenario, read_scenario
from sim3d.table import table_data
from tests.commands import sim3d
from tests.legion import ROOT, SCENARIOS, battle, notched, trooper, unit

PIECES = sorted((SCENARIOS / "setpieces").glob("*.toml"))
SHORT = ("round-the-bags", "walker-through-two-units", "squad-over-two-storeys")


@cache
def story(name: str) -> Result:
    """A set piece as it is played: the same for every test."""
    return played(SCENARIOS / "setpieces" / f"{name}.toml")


def played(path: Path) -> Result:
    return play_scenario(read_scenario(path), physics="never")


def end_of(result: Result) -> str:
    """The last table, and what every unit is by then."""
    last = result.played[-1].outcome
    assert isinstance(last, Outcome)
    return to_json(table_data(last.battle.table, folder=ROOT)) + repr(last.battle.units)


def test_there_are_ten_set_pieces() -> None:
    assert len(PIECES) == 10


@pytest.mark.parametrize("name", SHORT)
def test_a_replay_reproduces_the_table_byte_for_byte(name: str, tmp_path: Path) -> None:
    first = story(name)
    file = tmp_path / "replay.toml"
    file.write_text(replay_text(first, folder=tmp_path), encoding="utf-8")
    again = played(file)
    assert again.ok, [str(j) for p in again.played for j in p.failed]
    assert end_of(again) == end_of(first)
    assert replay_text(again, folder=tmp_path) == replay_text(first, folder=tmp_path)


def test_each_step_begins_where_the_last_one_ended() -> None:
    result = story("round-the-bags")
    outcomes = [p.outcome for p in result.played if isinstance(p.outcome, Outcome)]
    for before, after in pairwise(outcomes):
        assert after.made.battle.table is before.battle.table
    assert [o.suppressed for o in outcomes] == [(), ("Wardens",), ()]
    assert outcomes[-1].displaced == ("Oda", "Fenn")


def test_run_tells_the_story_and_records_it(tmp_path: Path) -> None:
    path = SCENARIOS / "setpieces" / "round-the-bags.toml"
    told = running_text([Ran(path.name, story(path.stem), Report())])
    assert "its leader's place is marked (Oda)" in told
    assert "Wardens was displaced and gains a suppression" in told
    assert "Grinder goes 80 mm and ends at 200, 330" in told
    record = tmp_path / "replay.toml"
    done = sim3d("run", path, "--physics", "never", "--record", record)
    assert done.exit_code == 0
    assert record.read_text(encoding="utf-8").startswith("about = ")
    assert sim3d("run", SCENARIOS / "setpieces", "--record", record).exit_code == 2


ASKS = """about = "Where it stands, before and after."
story = true
[[mini]]
name = "Oda"
base = "27"
at = [0, 0]
[[mini]]
name = "Pell"
base = "27"
at = [0, 200]
[[unit]]
name = "Wardens"
side = "red"
type = "trooper"
speed = 2
leader = "Oda"
[[step]]
stand = "Oda"
about = "at first"
[[step]]
move = "standard"
unit = "Wardens"
tool = 2
travel_mm = 50
[[step]]
stand = "Oda"
turn = 30
level = 90
physics = "never"
[[step]]
stand = "Pell"
at = [1, 2]
friction = 0.5
expect = { answer = "stable" }
"""


CROWD = """about = "In a lane as wide as a base there is no place left for Fenn."
story = true
[table]
size = [150, 28]
[[mini]]
name = "Oda"
base = "27"
at = [-61, 0]
[[mini]]
name = "Fenn"
base = "27"
at = [-34, 0]
[[mini]]
name = "Vee"
base = "27"
at = [-7, 0]
[[mini]]
name = "Dorn"
base = "27"
at = [40, 0]
[[unit]]
name = "Wardens"
side = "red"
type = "trooper"
speed = 1
leader = "Oda"
minis = ["Oda", "Fenn", "Vee"]
[[unit]]
name = "Watch"
side = "red"
type = "trooper"
speed = 1
leader = "Dorn"
[[step]]
move = "standard"
unit = "Wardens"
start_deg = 0
travel_mm = 20
place = [{ mini = "Vee", at = [10, 0] }]
gather = true
"""


def test_a_story_tells_who_goes_aboard_and_what_is_no_move() -> None:
    on = battle(
        trooper("Oda", 0, -102), unit("Wardens", "Oda"), notched("Hauler", 63.5, 0, base="100n"),
        unit("Haulers", "Hauler", type="ground", speed=1, keywords=("transport",)),
    )  # fmt: skip
    seen = play(Move("Wardens", "embark", start_deg=90.0, vehicle="Haulers"), on, RRG2)
    assert seen.legal
    assert [line.split(":")[0] for line in retold(seen)] == [
        "Oda goes 102 mm and ends at 0, 0",
        "Wardens goes aboard of Haulers",
    ]
    assert told(seen)[-1] == "  Wardens goes aboard of Haulers"
    assert retold(play(Move("Wardens", "aim"), on, RRG2)) == ["Wardens takes the action aim"]
    beside = play(Move("Wardens", start_deg=90.0, travel_mm=101.7), on, RRG2)  # 0.3 mm short: not at "-0"
    assert retold(beside)[0].startswith("Oda goes 102 mm and ends at 0, 0:")


def test_a_record_asks_what_the_file_asked(tmp_path: Path) -> None:
    first = play_scenario(parse_scenario(ASKS), physics="never")
    text = replay_text(first, folder=tmp_path)
    again = play_scenario(parse_scenario(text, folder=tmp_path), physics="never")
    assert again.ok
    assert [p.stand for p in again.played] == [p.stand for p in first.played]
    assert [p.stand.answer if p.stand else "" for p in first.played] == ["stable", "", "stable", "stable"]
    assert [p.step.about for p in again.played] == [p.step.about for p in first.played]
    assert [getattr(p.step, "physics", None) for p in again.played] == [None, None, "never", None]
    assert replay_text(again, folder=tmp_path) == text


def test_a_search_that_found_no_place_is_made_again(tmp_path: Path) -> None:
    first = play_scenario(parse_scenario(CROWD), physics="never")
    text = replay_text(first, folder=tmp_path)
    again = play_scenario(parse_scenario(text, folder=tmp_path), physics="never")
    assert again.ok, [str(j) for p in again.played for j in p.failed]
    assert replay_text(again, folder=tmp_path) == text
    for seen in (first, again):
        (outcome,) = [p.outcome for p in seen.played]
        assert isinstance(outcome, Outcome)
        assert [f.code for f in outcome.findings] == ["FOLLOWER_NO_PLACE"]


def test_what_a_record_cannot_say_is_refused(tmp_path: Path) -> None:
    on_hexes = (
        ASKS
        + """[hexes]
radius = 1
[[hexes.unit]]
name = "M"
side = "red"
at = [0, 0]
[[step]]
hexes = "move"
unit = "M"
path = [[0, 1]]
"""
    )
    with pytest.raises(ValueError, match="step 5 is on hexes; only steps that move units, or ask about a mini"):
        replay_text(play_scenario(parse_scenario(on_hexes), physics="never"), folder=tmp_path)
    clamber = ASKS.replace('move = "standard"', 'move = "clamber"').replace("tool = 2\ntravel_mm = 50\n", "")
    with pytest.raises(ValueError, match=r"step 2 was not played: .*rolls 1 die"):
        replay_text(play_scenario(parse_scenario(clamber), physics="never"), folder=tmp_path)
