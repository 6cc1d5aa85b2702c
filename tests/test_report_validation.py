"""Reports of a validation: the official schema of SARIF, a JUnit parser, our own schema; diffable, capped, escaped."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import jsonschema
import junitparser
import pytest

from sim3d.finding import Finding, Report, Severity, read_baseline
from sim3d.form import schema_text
from sim3d.pack import Figures, Judged, Pack, Validation, heard
from sim3d.report import exchange, sarif
from sim3d.report.exchange import FORMATS
from sim3d.report.validating import Heard, _baseline, baseline_text, reports_in
from sim3d.report.validation import ValidationForm, validation_json, validation_text
from sim3d.solid.boolean import box
from tests.packs import HEAD, crate, pack_of, shapes_of, together

SARIF = json.loads((Path(__file__).parent / "data" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
NASTY = "<b>&\"'`|*_[x](y)\x07=1+1,%0A::error::\n"


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    """A sound piece, one with warnings, one that cannot be read."""
    folder = tmp_path_factory.mktemp("pack")
    text = (
        HEAD + '[piece.crate]\nfile = "crate.stl"\n[piece.lamp]\nfile = "lamp.stl"\n[piece.junk]\nfile = "junk.stl"\n'
    )
    (folder / "junk.stl").write_bytes(b"x")
    return pack_of(folder, text, crate=crate(), lamp=together(crate(), box((-2, -2, 31), (2, 2, 40))))


@pytest.fixture(scope="module")
def seen(pack: Pack) -> Validation:
    """What is said of it, with figures."""
    made = heard(shapes_of(pack), pack.policy)
    figures = Figures("27", 1234.5, 0.1, 0.25, 0.01, ((0.0, 900.0), (30.0, 334.5)), {"asked": 3, "agreed": 3})
    pieces = [_with(p, figures) if p.name == "crate" else p for p in made.pieces]
    return Validation(made.name, made.kind, made.manifest, tuple(pieces), made.report, ("27",))


def _with(piece: Judged, figures: Figures) -> Judged:
    return Judged(piece.name, piece.file, piece.facts, (figures,), piece.report, piece.whole, piece.line)


def nasty() -> Validation:
    """Text that every format has to escape."""
    finding = Finding("MESH_OPEN", Severity.ERROR, NASTY, file=NASTY, line=3)
    piece = Judged(NASTY, NASTY, {}, (), Report((finding,)))
    return Validation(NASTY, "pack", "pack.toml", (piece,), Report())


@pytest.mark.parametrize("which", ["seen", "nasty", "empty"])
def test_sarif_holds_to_the_official_schema(which: str, seen: Validation) -> None:
    validation = {"seen": seen, "nasty": nasty(), "empty": Validation("e", "pack", "", (), Report())}[which]
    data = json.loads(sarif.sarif(validation))
    jsonschema.Draft4Validator(SARIF).validate(data)
    (run,) = data["runs"]
    assert len(run["results"]) == len(validation.all)
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_points_at_the_line_of_the_manifest(seen: Validation) -> None:
    results = json.loads(sarif.sarif(seen))["runs"][0]["results"]
    lamp = next(r for r in results if r["ruleId"] == "PART_IN_THE_AIR")["locations"][0]["physicalLocation"]
    assert lamp == {"artifactLocation": {"uri": "pack.toml"}, "region": {"startLine": 8}}
    prints = [r["partialFingerprints"]["sim3d/v1"] for r in results]
    assert len(set(prints)) == len(prints)


def test_the_schema_itself_is_not_silent() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(SARIF).validate({"version": "2.1.0", "runs": [{"tool": {}}]})


def test_more_than_a_run_holds_is_cut_off_and_said(monkeypatch: pytest.MonkeyPatch, seen: Validation) -> None:
    monkeypatch.setattr(sarif, "MOST", 1)
    data = json.loads(sarif.sarif(seen))
    jsonschema.Draft4Validator(SARIF).validate(data)
    (run,) = data["runs"]
    assert [r["level"] for r in run["results"]] == ["error"]
    (said,) = run["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"].startswith(f"{len(seen.all) - 1} results more")


@pytest.mark.parametrize("which", ["seen", "nasty"])
def test_junit_is_read_by_a_parser(which: str, seen: Validation, tmp_path: Path) -> None:
    validation = seen if which == "seen" else nasty()
    path = tmp_path / "report.xml"
    path.write_text(exchange.junit(validation), encoding="utf-8")
    (suite,) = junitparser.JUnitXml.fromfile(str(path))
    cases = list(suite)
    assert len(cases) == suite.tests == len(validation.pieces) + 1
    failed = [c.name for c in cases if c.result]
    assert suite.failures == len(failed) == 1
    if which == "seen":
        assert failed == ["junk"]


def test_json_follows_our_schema(seen: Validation) -> None:
    text = validation_json(seen)
    schema = json.loads(schema_text(ValidationForm, title="t"))
    for validation in (seen, nasty()):
        jsonschema.Draft202012Validator(schema).validate(json.loads(validation_json(validation)))
    data = ValidationForm.model_validate_json(text)
    assert [p.verdict for p in data.pieces] == ["valid", "with warnings", "not valid"]
    assert data.pieces[0].figures[0].levels[1].height_mm == 30
    assert data.verdict == "not valid"


def test_text_ends_with_a_line_for_every_piece_and_one_that_says_it_all(seen: Validation) -> None:
    lines = validation_text(seen).splitlines()
    assert lines[-5:-2] == [
        "crate  valid",
        "lamp   with warnings (1 warning: PART_IN_THE_AIR)",
        "junk   not valid (1 error: STL_TRUNCATED)",
    ]
    assert lines[-1].startswith("Test: not valid · 3 pieces: 1 valid, 1 with warnings, 1 not valid · 1 error, 1 warn")
    assert any(line.split() == ["crate", "27", "12.3", "cm²", "10.0%", "25.0%", "1.0%", "0,", "30"] for line in lines)


def test_a_text_lists_no_ten_thousand_findings() -> None:
    many = Report(tuple(Finding("MESH_OPEN", Severity.WARNING, str(n), file=f"{n}.stl") for n in range(10_000)))
    text = validation_text(Validation("many", "pack", "", (), many))
    assert len(text.splitlines()) < 220
    assert "… and 9800 more" in text


def test_markdown_cannot_be_broken_out_of() -> None:
    lines = exchange.markdown(nasty()).splitlines()
    row = next(line for line in lines if "MESH_OPEN" in line and line.count("|") > 4)
    assert row.replace("\\|", "").count("|") == 5
    assert "<b>" not in row.replace("\\<b\\>", "")


def test_github_annotations_are_one_line_each_and_capped(seen: Validation) -> None:
    told = "::warning file=pack.toml,line=8,title=PART_IN_THE_AIR::lamp.stl: 1 loose part touches neither"
    assert told in exchange.github(seen)
    first, *rest = exchange.github(nasty()).splitlines()
    assert first.startswith("::error file=<b>")
    assert "%0A" in first
    assert not any(line.startswith("::") for line in rest)
    many = Report(tuple(Finding("MESH_OPEN", Severity.WARNING, str(n)) for n in range(500)))
    assert len(exchange.github(Validation("many", "pack", "", (), many)).splitlines()) == 12


def test_csv_reads_back_and_is_no_formula(seen: Validation) -> None:
    rows = list(csv.DictReader(io.StringIO(exchange.as_csv(seen))))
    assert [(r["piece"], r["code"]) for r in rows][:2] == [("crate", ""), ("lamp", "PART_IN_THE_AIR")]
    assert float(rows[1]["z_mm"]) == 31
    told = Finding("MESH_OPEN", Severity.ERROR, "=1+1")
    text = exchange.as_csv(Validation("v", "pack", "", (), Report((told,))))
    row = next(csv.DictReader(io.StringIO(text)))
    assert row["message"] == "'=1+1"


def test_every_report_is_made_and_the_same_again(seen: Validation, pack: Pack, tmp_path: Path) -> None:
    told = Heard(seen, seen, False, pack)
    made, again = (
        {path.relative_to(tmp_path / folder).as_posix(): data for path, data in reports_in(told, tmp_path / folder)}
        for folder in ("a", "b")
    )
    assert made.keys() == {"report.html"} | {name for name, _ in FORMATS.values()}
    assert made == again
    assert not any(str(tmp_path).encode() in data for data in made.values())


def test_a_baseline_knows_what_was_found(seen: Validation) -> None:
    known = read_baseline(baseline_text(seen))
    assert known == seen.all.fingerprints()
    assert len(known) == 2


def test_a_baseline_is_a_file_of_a_size_that_people_write(tmp_path):
    pipe, large = tmp_path / "pipe.json", tmp_path / "large.json"
    os.mkfifo(pipe)
    with large.open("wb") as file:
        file.truncate(20_000_001)
    for path, reason in ((pipe, "it is not a file"), (large, "it is larger than 20 MB")):
        with pytest.raises(ValueError, match=reason):
            _baseline(path)
    near = tmp_path / "near.json"
    near.write_text('{"version": 1, "known": ["a"]}' + " " * 1_000_000)
    assert _baseline(near) == {"a"}
