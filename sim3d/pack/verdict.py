"""What came of a validation, as values: a verdict for each piece and one for the pack, with figures and findings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sim3d.finding import CODES, Finding, Place, Report, Severity
from sim3d.form import Form

VALID, FAULTY, BROKEN, UNDECIDED = "valid", "with warnings", "not valid", "undecided"


@dataclass(frozen=True, slots=True)
class Figures:
    """How one base gets along with a piece: mm² it can stand on above the table, and the shares of it."""

    base: str
    standable_mm2: float
    precarious_share: float  # of all where it rests
    unreachable_share: float  # of what is standable
    undecided_share: float
    levels: tuple[tuple[float, float], ...]  # height, standable mm²
    audit: Mapping[str, int] = field(default_factory=dict)  # asked, agreed, in its band, disagreed


@dataclass(frozen=True, slots=True)
class Judged:
    """One piece: its facts, its figures for each base, what was found, and whether all of it was looked at."""

    name: str
    file: str
    facts: Mapping[str, Any]
    figures: tuple[Figures, ...]
    report: Report
    whole: bool = True  # nothing of it was left unlooked at
    line: int | None = None  # of its table in the manifest
    pointer: str = ""

    @property
    def verdict(self) -> str:
        """One word: doubt is never passed off as valid."""
        if any(f.severity == Severity.ERROR and not f.code.startswith("WORK_") for f in self.report):
            return BROKEN
        if not self.whole:
            return UNDECIDED
        return FAULTY if self.report.at_least(Severity.WARNING) else VALID


@dataclass(frozen=True, slots=True)
class Validation:
    """A whole pack or table; `about` holds what is said of it, `assumed` what nobody said."""

    name: str
    kind: str  # "pack" or "table"
    manifest: str  # its file's name, as reports point to it; may be empty
    pieces: tuple[Judged, ...]
    report: Report  # about the pack as a whole
    bases: tuple[str, ...] = ()
    interrupted: bool = False
    at: str = ""  # its folder as somebody wrote it, where that can be shown to others: for paths in a repository

    @property
    def all(self) -> Report:
        """Every finding, those of the whole first."""
        return Report(tuple(f for part in (self.report, *(p.report for p in self.pieces)) for f in part))

    @property
    def verdict(self) -> str:
        """The worst of its own and its pieces'."""
        own = Judged("", "", {}, (), self.report, not self.interrupted).verdict
        words = [own, *(p.verdict for p in self.pieces)]
        return next(w for w in (BROKEN, UNDECIDED, FAULTY, VALID) if w in words)


# --- as plain data, for the store and between processes ---------------------------------------------------------------


def finding_data(finding: Finding) -> dict[str, Any]:
    """A finding with nothing left out, for `finding_of`."""
    return {
        "code": finding.code,
        "severity": finding.severity.word,
        "message": finding.message,
        "pointer": finding.pointer,
        "line": finding.line,
        "count": finding.count,
        "area_mm2": finding.area_mm2,
        "places": [[p.x, p.y, p.z, p.size] for p in finding.places],
        "numbers": dict(finding.numbers),
    }


def finding_of(data: Mapping[str, Any], *, file: str) -> Finding:
    """The finding that `finding_data` wrote, about this file."""
    return Finding(
        code=data["code"],
        severity=Severity.of(data["severity"]),
        message=data["message"],
        file=file,
        pointer=data["pointer"],
        line=data["line"],
        count=data["count"],
        area_mm2=data["area_mm2"],
        places=tuple(Place(*p) for p in data["places"]),
        numbers=tuple(data["numbers"].items()),
    )


def figures_of(data: Mapping[str, Any]) -> Figures:
    """Figures from plain data."""
    levels = tuple((float(z), float(area)) for z, area in data["levels"])
    return Figures(**{**data, "levels": levels})


class FindingKept(Form):
    """What `finding_data` writes."""

    code: str
    severity: Literal["error", "warning", "info", "hint"]
    message: str
    pointer: str
    line: int | None
    count: int
    area_mm2: float | None
    places: tuple[tuple[float, float, float, float], ...]
    numbers: dict[str, float | int | str | bool]


class FiguresKept(Form):
    """`Figures` as plain data."""

    base: str
    standable_mm2: float
    precarious_share: float
    unreachable_share: float
    undecided_share: float
    levels: tuple[tuple[float, float], ...]
    audit: dict[str, int]


class AnswerKept(Form):
    """What a worker says of a piece."""

    findings: tuple[FindingKept, ...]
    readable: bool = True
    facts: dict[str, str | int | float | bool | tuple[float, ...] | None] = {}  # noqa: RUF012 - a form copies it
    figures: FiguresKept | None = None


def is_answer(data: Any) -> bool:
    """Whether data from a store is an answer that a worker could have given: reports are made of it."""
    try:
        kept = AnswerKept.model_validate_json(json.dumps(data, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return False
    return all(found.code in CODES for found in kept.findings)


def validation_kept(validation: Validation) -> dict[str, Any]:
    """A table's validation, which has no figures, as plain data for `validation_of`."""

    def told(report: Report) -> list[dict[str, Any]]:
        return [finding_data(f) | {"file": f.file} for f in report]

    pieces = [
        {"name": p.name, "file": p.file, "facts": dict(p.facts), "report": told(p.report)} for p in validation.pieces
    ]
    return {"name": validation.name, "bases": validation.bases, "report": told(validation.report), "pieces": pieces}


def validation_of(data: Mapping[str, Any]) -> Validation:
    """The validation of a table that `validation_kept` wrote."""
    pieces = tuple(Judged(p["name"], p["file"], p["facts"], (), report_of(p["report"])) for p in data["pieces"])
    return Validation(data["name"], "table", data["name"], pieces, report_of(data["report"]), tuple(data["bases"]))


def report_of(found: list[dict[str, Any]]) -> Report:
    """Findings that were written with their files."""
    return Report(tuple(finding_of(f, file=f["file"]) for f in found))
