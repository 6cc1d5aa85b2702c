"""What `sim3d run` says: the steps of every file and what held, as text, as data with a schema, as JUnit XML."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from sim3d.expect import Judged
from sim3d.finding import Refused, Report, spoken
from sim3d.form import Field, Form, parse_data, read_text, to_json
from sim3d.report.inspection import FindingForm
from sim3d.report.moving import HexOutcomeForm, OutcomeForm, outcome_data
from sim3d.report.standing import StandForm
from sim3d.scenario import Played, Result, Step, play_scenario, read_scenario
from sim3d.view.telling import told_of


@dataclass(frozen=True, slots=True)
class Ran:
    """One file: what came out, or why it cannot be read."""

    file: str
    result: Result | None
    report: Report

    @property
    def ok(self) -> bool:
        """Read, and every step held."""
        return self.result is not None and self.result.ok


@dataclass(frozen=True, slots=True)
class Searched:
    """The scenario files that were asked for, and the ones passed over because they have no step."""

    files: tuple[Path, ...]
    skipped: tuple[Path, ...]


def searched(paths: Iterable[Path]) -> Searched:
    """Files as given, folders searched for TOML files with a step, each once, in a fixed order."""
    files: list[Path] = []
    skipped: list[Path] = []
    for path in paths:
        for file in _under(path) if path.is_dir() else [path]:
            if file not in files and file not in skipped:
                (files if _has_step(file) else skipped).append(file)
    return Searched(tuple(files), tuple(skipped))


def _under(folder: Path) -> list[Path]:
    """What is called TOML in a folder, links that lead nowhere and folders that cannot be opened among it: whoever
    reads them says why they cannot be read."""
    found: list[Path] = []

    def closed(error: OSError) -> None:
        found.append(Path(error.filename))

    for home, _, names in os.walk(folder, onerror=closed):
        found += [Path(home, name) for name in names if name.lower().endswith(".toml")]
    return sorted(found)


def _has_step(path: Path) -> bool:
    """Whether it asks anything, or means to; what cannot be read is kept, so that its faults are told."""
    try:
        data = parse_data(read_text(path), json_text=path.suffix.lower() == ".json")[0]
    except Refused:
        return True
    if not isinstance(data, dict):
        return True
    return any(key.lower().rstrip("s") == "step" and asked != [] for key, asked in data.items())


def ran(path: Path, *, engine: str | None = None, physics: str | None = None) -> Ran:
    """Read one file and ask all its steps; a refusal is a result like any other."""
    name = path.as_posix()
    try:
        return Ran(name, play_scenario(read_scenario(path), engine=engine, physics=physics), Report())
    except Refused as refused:
        return Ran(name, None, refused.report)


def counts(seen: Sequence[Ran]) -> dict[str, int]:
    """How much was asked and how it went."""
    played = [p for one in seen if one.result for p in one.result.played]
    return {
        "files": len(seen),
        "unreadable": sum(one.result is None for one in seen),
        "steps": len(played),
        "held": sum(p.ok for p in played),
        "not_held": sum(bool(p.failed) for p in played),
        "errors": sum(bool(p.error) for p in played),
    }


# --- as text ----------------------------------------------------------------------------------------------------------


def running_text(seen: Sequence[Ran]) -> str:
    """A table of results: a line per step, what did not hold below it, and one last line that says it all."""
    told = [[told_of(p) for p in one.result.played] if one.result else [] for one in seen]
    wide = max((len(step.who) for steps in told for step in steps), default=4)
    lines: list[str] = []
    for one, steps in zip(seen, told, strict=True):
        about = one.result.scenario.about if one.result else "cannot be read"
        lines.append(f"{one.file}  {about}".rstrip())
        lines += [f"  {finding}" for finding in one.report]
        for step in steps:
            lines.append(f"  {step.headline(wide)}")
            if one.result and one.result.scenario.story:
                lines += [f"           {line}" for line in step.lines]
            lines += [f"      {judged}" for judged in step.failed]
        lines.append("")
    n = counts(seen)
    last = (
        f"{n['held']} of {n['steps']} step{'s' * (n['steps'] != 1)} in {n['files']} file{'s' * (n['files'] != 1)} held"
    )
    if n["errors"]:
        last += f"; {n['errors']} could not be asked"
    if n["unreadable"]:
        last += f"; cannot be read: {', '.join(one.file for one in seen if one.result is None)}"
    return spoken([*lines, last])


# --- as data ----------------------------------------------------------------------------------------------------------


class AskedForm(Form):
    """The question of a step."""

    mini: str
    at: tuple[float, float]
    turn: float
    level: float | None = None
    friction: float | None = None
    engine: str | None = None
    physics: str | None = None


class MoveAskedForm(Form):
    """The move of a step."""

    unit: str
    move: str


class JudgedForm(Form):
    """One expectation: `held` is null where nobody could judge it."""

    key: str
    expected: str
    got: float | str | list[str] | None
    held: bool | None
    beyond: float | None = None


class StepResultForm(Form):
    """One step: the answer, or why it could not be asked."""

    step: int
    line: int | None = None
    about: str = ""
    asked: AskedForm | MoveAskedForm
    held: bool
    stand: StandForm | None = None
    outcome: OutcomeForm | HexOutcomeForm | None = None
    expectations: list[JudgedForm] = Field(default_factory=list)
    error: str = ""


class RanForm(Form):
    """One scenario file."""

    file: str
    about: str = ""
    readable: bool
    held: bool
    findings: list[FindingForm] = Field(default_factory=list)
    steps: list[StepResultForm] = Field(default_factory=list)


class RunningForm(Form):
    """What `sim3d run --json` prints."""

    version: int = 1
    counts: dict[str, int]
    files: list[RanForm]


def running_json(seen: Sequence[Ran]) -> str:
    """Stable JSON text, as docs/schema/run.schema.json describes it."""
    files = [
        {
            "file": one.file,
            "about": one.result.scenario.about if one.result else "",
            "readable": one.result is not None,
            "held": one.ok,
            "findings": [f.as_dict() for f in one.report],
            "steps": [_step_data(p) for p in one.result.played] if one.result else [],
        }
        for one in seen
    ]
    return to_json({"version": 1, "counts": counts(seen), "files": files})


def _step_data(p: Played) -> dict[str, Any]:
    step = p.step
    asked: dict[str, Any]
    if not isinstance(step, Step):
        asked = {"unit": step.move.unit, "move": step.move.kind}
    else:
        asked = {"mini": step.mini, "at": list(step.at), "turn": step.turn}
        optional = {"level": step.level, "friction": step.friction, "engine": step.engine, "physics": step.physics}
        asked |= {key: value for key, value in optional.items() if value is not None}
    data: dict[str, Any] = {"step": p.number, "line": step.line, "about": step.about, "asked": asked, "held": p.ok}
    if p.stand is not None:
        data["stand"] = p.stand.as_dict()
    if p.outcome is not None:
        data["outcome"] = outcome_data(p.outcome)
    data["expectations"] = [_judged_data(j) for j in p.judged]
    if p.error:
        data["error"] = p.error
    return data


def _judged_data(j: Judged) -> dict[str, Any]:
    got: Any = j.got
    if isinstance(got, float):
        got = round(got, 6) if math.isfinite(got) else str(got)  # no limit at all has no number in JSON
    elif isinstance(got, tuple):
        got = list(got)
    data = {"key": j.expected.key, "expected": str(j.expected), "got": got, "held": j.held}
    return data | ({"beyond": round(j.beyond, 6)} if j.beyond is not None and math.isfinite(j.beyond) else {})


def junit(seen: Sequence[Ran]) -> str:
    """JUnit XML: a suite per file, a case per step; no times, so that two runs give the same text."""
    root = ElementTree.Element("testsuites", name="sim3d run")
    for one in seen:
        played = one.result.played if one.result else ()
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=xml_text(one.file),
            tests=str(len(played) or 1),
            failures=str(sum(bool(p.failed) for p in played)),
            errors=str(sum(bool(p.error) for p in played) if one.result else 1),
        )
        if one.result is None:
            case = ElementTree.SubElement(suite, "testcase", classname=xml_text(one.file), name="read")
            text = "\n".join(str(f) for f in one.report)
            ElementTree.SubElement(case, "error", message="cannot be read").text = xml_text(text)
        for p in played:
            name = f"step {p.number}: {p.step.mini}" + (f": {p.step.about}" if p.step.about else "")
            case = ElementTree.SubElement(suite, "testcase", classname=xml_text(one.file), name=xml_text(name))
            if p.error:
                ElementTree.SubElement(case, "error", message=xml_text(p.error))
            elif p.failed:
                text = "\n".join(str(j) for j in p.failed)
                ElementTree.SubElement(case, "failure", message=xml_text(str(p.failed[0]))).text = xml_text(text)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def xml_text(text: str) -> str:
    """Without the characters that XML cannot hold, whatever stood in a file."""
    return "".join(
        c if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff") else "?"
        for c in text
    )
