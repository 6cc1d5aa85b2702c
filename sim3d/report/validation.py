"""What `sim3d validate` says, as text with a table and as data with a schema; no times, no paths of this machine."""

from __future__ import annotations

from typing import Any

from sim3d.finding import Finding, Severity, counted, unheard
from sim3d.form import Field, Form, to_json
from sim3d.pack import Figures, Judged, Validation
from sim3d.report.inspection import FindingForm

SHOWN = 200  # findings that a text lists; the data has them all
MM2_DIGITS, SHARE_DIGITS = 1, 4


# --- as data ----------------------------------------------------------------------------------------------------------


class LevelForm(Form):
    """A height to stand on."""

    height_mm: float
    area_mm2: float


class FiguresForm(Form):
    """How one base gets along with a piece; shares are of what is standable above the table."""

    base: str
    standable_mm2: float
    precarious_share: float
    unreachable_share: float
    undecided_share: float
    levels: list[LevelForm]
    audit: dict[str, int] = Field(default_factory=dict, description="placements an engine was asked about; its answers")


class PieceForm(Form):
    """One piece and its verdict: valid, with warnings, not valid, undecided."""

    name: str
    file: str
    verdict: str
    facts: dict[str, Any]
    figures: list[FiguresForm]
    findings: list[FindingForm]


class ValidationForm(Form):
    """What `sim3d validate --format json` prints."""

    version: int = 1
    name: str
    kind: str
    verdict: str
    bases: list[str]
    interrupted: bool
    counts: dict[str, int]
    findings: list[FindingForm]
    pieces: list[PieceForm]


def figures_data(figures: Figures) -> dict[str, Any]:
    """The figures of one base as plain data."""
    return {
        "base": figures.base,
        "standable_mm2": round(figures.standable_mm2, MM2_DIGITS),
        "precarious_share": round(figures.precarious_share, SHARE_DIGITS),
        "unreachable_share": round(figures.unreachable_share, SHARE_DIGITS),
        "undecided_share": round(figures.undecided_share, SHARE_DIGITS),
        "levels": [{"height_mm": round(z, 1), "area_mm2": round(area, MM2_DIGITS)} for z, area in figures.levels],
        "audit": dict(figures.audit),
    }


def counts_of(validation: Validation) -> dict[str, int]:
    """How many pieces and findings of each severity."""
    every = validation.all
    told = {"pieces": len(validation.pieces)}
    return told | {s.word: sum(f.severity == s for f in every) for s in Severity}


def validation_data(validation: Validation) -> dict[str, Any]:
    """Plain data, as docs/schema/validation.schema.json describes it."""
    pieces = [
        {
            "name": p.name,
            "file": p.file,
            "verdict": p.verdict,
            "facts": dict(p.facts),
            "figures": [figures_data(f) for f in p.figures],
            "findings": [f.as_dict() for f in p.report],
        }
        for p in validation.pieces
    ]
    return {
        "version": 1,
        "name": validation.name,
        "kind": validation.kind,
        "verdict": validation.verdict,
        "bases": list(validation.bases),
        "interrupted": validation.interrupted,
        "counts": counts_of(validation),
        "findings": [f.as_dict() for f in validation.report],
        "pieces": pieces,
    }


def validation_json(validation: Validation) -> str:
    """Stable JSON text."""
    return to_json(validation_data(validation))


# --- as text ----------------------------------------------------------------------------------------------------------


def validation_text(validation: Validation) -> str:
    """Findings by piece, a table of figures, one line for each piece, and one last line that says it all."""
    lines: list[str] = []
    left = SHOWN
    for title, findings in blocks(validation):
        if findings:
            shown, left = findings[:left], max(0, left - len(findings))
            lines += [title, *(f"  {line}" for f in shown for line in finding_lines(f))]
            if len(shown) < len(findings):
                lines.append(f"  … and {len(findings) - len(shown)} more")
            lines.append("")
    table = figures_rows(validation)
    if len(table) > 1:
        lines += [*columns(table), ""]
    wide = max((len(p.name) for p in validation.pieces), default=0)
    lines += [f"{p.name:{wide}}  {piece_line(p)}" for p in validation.pieces]
    return unheard("\n".join([*lines, "", last_line(validation)]) + "\n")


def blocks(validation: Validation) -> list[tuple[str, tuple[Finding, ...]]]:
    """What was found, of the whole and of each piece, under a title."""
    of_pieces = [(f"{p.name} ({p.file})" if p.file else p.name, p.report.findings) for p in validation.pieces]
    return [(validation.manifest or validation.name, validation.report.findings), *of_pieces]


def finding_lines(finding: Finding) -> list[str]:
    """One finding: severity, code, message, and where to look."""
    where = f"line {finding.line}: " if finding.line is not None else ""
    lines = [f"{finding.severity.word} {finding.code}: {where}{finding.message}"]
    if finding.places:
        told = ", ".join(f"({p.x:.1f}, {p.y:.1f}, {p.z:.1f})" for p in finding.places[:3])
        lines.append(f"    look at {told}")
    return lines


def figures_rows(validation: Validation) -> list[tuple[str, ...]]:
    """A head and a row for each piece and base."""
    rows: list[tuple[str, ...]] = [
        ("piece", "base", "standable", "precarious", "unreachable", "undecided", "levels, mm")
    ]
    for p in validation.pieces:
        for f in p.figures:
            shares = (f.precarious_share, f.unreachable_share, f.undecided_share)
            told = (f"{share:.1%}" for share in shares)
            levels = ", ".join(f"{z:.0f}" for z, _ in f.levels) or "none"
            rows.append((p.name, f.base, f"{f.standable_mm2 / 100:.1f} cm²", *told, levels))
    return rows


def columns(rows: list[tuple[str, ...]]) -> list[str]:
    """Rows as lines with columns: words to the left, numbers to the right."""
    wide = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    right = {2, 3, 4, 5}
    padded = [[c.rjust(wide[k]) if k in right else c.ljust(wide[k]) for k, c in enumerate(row)] for row in rows]
    return ["  ".join(row).rstrip() for row in padded]


def piece_line(piece: Judged) -> str:
    """A piece's verdict in a line: the word, and what speaks against it."""
    against = [s for s in (Severity.ERROR, Severity.WARNING) if any(f.severity == s for f in piece.report)]
    told = [counted(sum(f.severity == s for f in piece.report), s.word) for s in against]
    codes = dict.fromkeys(f.code for f in piece.report if f.severity <= Severity.WARNING)
    return piece.verdict + (f" ({', '.join(told)}: {', '.join(codes)})" if told else "")


def last_line(validation: Validation) -> str:
    """The one line that says it all."""
    n = counts_of(validation)
    words = [p.verdict for p in validation.pieces]
    told = [f"{words.count(word)} {word}" for word in dict.fromkeys(words)]
    stopped = "; interrupted, not all of it was looked at" if validation.interrupted else ""
    found = ", ".join(counted(n[kind], kind) for kind in ("error", "warning", "info", "hint"))
    return (
        f"{validation.name}: {validation.verdict} · {counted(n['pieces'], 'piece')}: {', '.join(told) or 'none'} · "
        f"{found}{stopped}"
    )
