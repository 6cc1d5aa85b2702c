"""`sim3d move` and moves in scenario files: words, exit codes, data with a schema, errors with their line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sim3d.finding import Refused, Report
from sim3d.report.accepting import accepted
from sim3d.report.moving import MovingForm, moving_json, moving_text
from sim3d.report.running import Ran, RunningForm, junit, running_json, running_text
from sim3d.scenario import parse_scenario, play_scenario, read_scenario
from tests.codes import codes_of
from tests.commands import sim3d
from tests.legion import MOVEMENT, ONE_MOVE


def test_a_judgement_names_its_edition_and_every_rule() -> None:
    done = sim3d("move", MOVEMENT / "mv08-bites.toml", "--physics", "never")
    assert done.exit_code == 1
    assert "not legal (rrg2)" in done.stdout
    assert "CL05/MV08  MOVE_TERRAIN_IN_THE_WAY: crate stops it after" in done.stdout
    assert sim3d("move", MOVEMENT / "mv01-spares.toml", "--physics", "never").exit_code == 0
    assert sim3d("move", MOVEMENT / "mv01-bites.toml", "--step", "9").exit_code == 2


def test_where_every_mini_goes_is_told_as_the_data_tell_it() -> None:
    """A follower is put, by the player or by a search: both outputs say where; who stays is not told."""
    file = MOVEMENT.parent / "cohesion" / "co01-spares.toml"
    result = play_scenario(read_scenario(file), physics="never")
    moves = json.loads(moving_json(result))["moves"]
    parts = moving_text(result).split("\n\n")
    assert len(parts) == len(moves)
    told = 0
    for part, move in zip(parts, moves, strict=True):
        places = {m["name"]: m["at"] for m in move["outcome"]["minis"]}
        lines = [line.split() for line in part.splitlines() if " ends at " in line]
        for name, _, _, x, y, *_ in lines:
            assert [float(x.strip(",")), float(y.strip(","))] == [round(v, 1) for v in places[name]]
        told += len(lines)
    assert told == 8  # a leader and a follower in each of four moves


def test_where_everybody_is_put_back_is_told_as_the_data_tell_it() -> None:
    """Who is displaced, or follows a displaced leader, goes where the other player or a search says: both tell."""
    told = 0
    for file in sorted((MOVEMENT.parent / "displacement").glob("dp*-spares.toml")):
        result = play_scenario(read_scenario(file), physics="never")
        moves = json.loads(moving_json(result))["moves"]
        for part, move, played in zip(moving_text(result).split("\n\n"), moves, result.played, strict=True):
            assert played.outcome is not None
            places = {m["name"]: m["at"] for m in move["outcome"].get("put_back", [])}
            assert set(played.outcome.displaced) <= set(places)  # type: ignore[union-attr]
            lines = [
                line.split(" at ")
                for line in part.splitlines()
                if " is put back at " in line or " follows its " in line
            ]
            backs = {who.split()[0]: [float(n) for n in where.split(", ")[:2]] for who, where, *_ in lines}
            for name, at in places.items():
                assert backs[name] == [round(v, 1) + 0.0 for v in at], file.name
            told += len(places)
    assert told >= 10


def test_data_follow_their_schema() -> None:
    for name in ("mv08-bites", "cl02-bites", "mv11-bites", "mv12-spares"):
        result = play_scenario(read_scenario(MOVEMENT / f"{name}.toml"), physics="never")
        assert MovingForm.model_validate_json(moving_json(result)).moves
        seen = [Ran(name, result, Report())]
        assert RunningForm.model_validate_json(running_json(seen)).counts["held"] == len(result.played)
        assert "rrg2" in moving_text(result)
        assert "legal" in running_text(seen)
        assert "<failure" not in junit(seen)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('unit = "Wardens"', 'unit = "Wardns"', 14, "no unit is called 'Wardns'"),
        ('move = "standard"', 'move = "fly"', 13, "'fly' is no move"),
        ('leader = "Oda"', 'leader = "Ode"', 6, "no mini is called 'Ode'"),
        ("speed = 2", "speed = 4", 10, "less than or equal to 3"),
        ('unit = "Wardens"', 'unit = "Wardens"\ntool = 4', 15, "less than or equal to 3"),
        ('unit = "Wardens"', 'unit = "Wardens"\nbend = 30', 15, "'bend' is not known here"),
        ('type = "trooper"', 'type = "tank"', 6, "'tank' is no type"),
    ],
)
def test_what_a_file_gets_wrong_is_told_with_its_line(old: str, new: str, line: int, words: str) -> None:
    assert parse_scenario(ONE_MOVE).battle is not None
    with pytest.raises(Refused) as caught:
        parse_scenario(ONE_MOVE.replace(old, new))
    assert [f.line for f in caught.value.report][:1] == [line], str(caught.value)
    assert words in str(caught.value)


def test_a_move_that_makes_no_sense_is_an_error_of_its_step() -> None:
    result = play_scenario(parse_scenario(ONE_MOVE.replace('"standard"', '"clamber"')), physics="never")
    assert "rolls 1 die" in result.played[0].error


def test_expectations_of_moves_are_accepted_like_others() -> None:
    text = ONE_MOVE + 'expect = { legal = false, wounds = 2, rules = ["MV01"], x_mm = { near = 1.0, within = 0.01 } }\n'
    result = play_scenario(parse_scenario(text), physics="never")
    new = accepted(text, result).text
    assert "legal = true, wounds = 0" in new
    assert "near = 152.0" in new
    assert "rules = []" in new
    assert play_scenario(parse_scenario(new), physics="never").ok


def test_a_rule_that_is_accepted_alone_stays_a_list() -> None:
    path = MOVEMENT / "mv15-bites.toml"
    text = path.read_text(encoding="utf-8").replace('rules = ["MV15"]', 'rules = ["MV14"]')
    made = accepted(text, play_scenario(parse_scenario(text, folder=MOVEMENT), physics="never"))
    assert made.rewritten > 0
    assert made.text == path.read_text(encoding="utf-8")


def test_codes_of_an_outcome_are_its_findings() -> None:
    result = play_scenario(read_scenario(Path(MOVEMENT / "mv18-bites.toml")), physics="never")
    (played,) = result.played
    assert played.outcome is not None
    assert codes_of(played.outcome.findings) == ("MOVE_TERRAIN_IN_THE_WAY", "MOVE_WAY_NOT_FREE")
    assert played.word == "not legal"
