"""What `sim3d inspect` says of a mesh: its facts and findings, as text or as data with a schema."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sim3d.finding import Finding, Policy, Refused, Report, Severity, check, spoken
from sim3d.form import Field, Form, to_json
from sim3d.mini import base_of
from sim3d.solid import Limits, Solid, read_solid


@dataclass(frozen=True, slots=True)
class Inspected:
    """One file: whether it could be read, its facts, what was found."""

    file: str
    readable: bool
    facts: dict[str, Any]
    report: Report


@check("INSPECT_FAILED", Severity.ERROR, "a fault in sim3d, please report it: {what}")
def inspect_failed(*_: object) -> None:
    """Looking at a mesh ended in an error that nobody foresaw; the other files were looked at all the same.

    Why: nothing can be said of the file. Example: a number that a library does not take, or too little memory.
    Do: report it, with what stands on stderr and the file if you may; export the mesh again, in another format.
    """


def inspected(
    path: Path,
    *,
    shown: str | None = None,
    unit: str | None = None,
    up: str | None = None,
    as_base: bool = False,
    limits: Limits | None = None,
    policy: Policy | None = None,
) -> Inspected:
    """Read one file and say all there is to say; a refusal is a result like any other, and no policy silences it."""
    name = path.as_posix() if shown is None else shown
    policy = policy or Policy()
    try:
        solid = read_solid(path, unit=unit, up=up, limits=limits or Limits())
        facts, report = solid.facts(), solid.inspected()
        if as_base:
            facts, found = _base_facts(solid)
            report = report + Report(found)
    except Refused as refused:
        return Inspected(name, False, {}, _refusal(_named(refused.report, name), policy))
    except Exception as error:  # noqa: BLE001  # a fault of ours: the next file is looked at all the same
        traceback.print_exc()
        failed = inspect_failed.hit(what=f"{type(error).__name__}: {error}", file=name)
        return Inspected(name, False, {}, Report((failed,)))
    return Inspected(name, True, facts, _named(report, name).under(policy).grouped())


def _refusal(report: Report, policy: Policy) -> Report:
    """Why a file cannot be trusted: its errors are heard whatever the policy, the rest as the policy wants to."""
    told = ((f,) if f.severity == Severity.ERROR else Report((f,)).under(policy).findings for f in report)
    return Report(tuple(finding for some in told for finding in some))


def _base_facts(solid: Solid) -> tuple[dict[str, Any], tuple[Finding, ...]]:
    reading = base_of(solid)
    outline = reading.base.outline
    facts = {
        "nearest": reading.nearest,
        "difference_mm": reading.difference_mm,
        "length_mm": outline.length_mm,
        "width_mm": outline.width_mm,
        "thickness_mm": reading.thickness_mm,
        "notches": list(reading.notches),
        "turned_deg": reading.turned_deg,
        "centre": list(reading.centre),
    }
    return facts, reading.findings


def _named(report: Report, name: str) -> Report:
    return Report(tuple(replace(f, file=name) for f in report))


# --- as data ----------------------------------------------------------------------------------------------------------


class FindingForm(Form):
    """One finding."""

    code: str
    severity: str
    message: str
    file: str = ""
    pointer: str = ""
    line: int | None = None
    count: int = 1
    area_mm2: float | None = None
    places: list[tuple[float, float, float]] = Field(default_factory=list)
    numbers: dict[str, float | int | str | bool] = Field(default_factory=dict)


class ReportForm(Form):
    """The findings of one file; valid when none is an error."""

    valid: bool
    counts: dict[str, int]
    findings: list[FindingForm]


class FileForm(Form):
    """One inspected file."""

    file: str
    readable: bool
    facts: dict[str, Any]
    report: ReportForm


class InspectionForm(Form):
    """What `sim3d inspect --json` prints."""

    version: int = 1
    files: list[FileForm]


def inspection_json(seen: Sequence[Inspected]) -> str:
    """Stable JSON text, as docs/schema/inspection.schema.json describes it."""
    files = [
        {"file": one.file, "readable": one.readable, "facts": _rounded(one.facts), "report": one.report.as_dict()}
        for one in seen
    ]
    return to_json({"version": 1, "files": files})


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(v) for v in value]
    return value


# --- as text ----------------------------------------------------------------------------------------------------------


def inspection_text(seen: Sequence[Inspected]) -> str:
    """Facts and findings for people, and one line at the end that says it all."""
    blocks = [(one.file, *_fact_lines(one.facts), *_finding_lines(one)) for one in seen]
    bad = [one.file for one in seen if not one.readable]
    last = f"{len(seen)} file{'s' if len(seen) != 1 else ''}: "
    last += f"{len(bad)} cannot be trusted ({', '.join(bad)})" if bad else "all can be trusted"
    return spoken([*(line for block in blocks for line in (*block, "")), last])


def _fact_lines(facts: dict[str, Any]) -> list[str]:
    silent = ("title", "volume_unknown")  # said only where there is something to say
    return [
        f"  {name.replace('_', ' '):18} {_said(name, value)}"
        for name, value in facts.items()
        if value not in ("", None) or name not in silent
    ]


def _said(name: str, value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        text = f"{value:.2f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    if isinstance(value, dict):
        return ", ".join(f"{v} {k}" for k, v in value.items()) or "none"
    if isinstance(value, (list, tuple)):
        if value and isinstance(value[0], (list, tuple)):
            return " to ".join(_said(name, v) for v in value)
        return (" x " if name.startswith("extents") else ", ").join(_said(name, v) for v in value) or "none"
    return str(value)


def _line(finding: Finding) -> str:
    return "" if finding.line is None else f"line {finding.line}: "


def _finding_lines(one: Inspected) -> list[str]:
    return [
        f"  {f.severity.word} {f.code}: {_line(f)}{f.message}"
        + (f"; worst at {', '.join(f'({p.x:.1f}, {p.y:.1f}, {p.z:.1f})' for p in f.places[:3])}" if f.places else "")
        for f in one.report
    ]
