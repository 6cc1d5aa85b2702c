"""A validation for other programs and for people elsewhere: JUnit, Markdown, GitHub annotations, CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from xml.etree import ElementTree

from sim3d.finding import APART, Finding, Severity, unheard
from sim3d.pack import UNDECIDED, Validation
from sim3d.report.running import xml_text
from sim3d.report.sarif import placed, sarif
from sim3d.report.validation import (
    figures_rows,
    last_line,
    piece_line,
    validation_json,
    validation_text,
)

GITHUB_MOST = 10  # annotations of a kind that GitHub shows of one step
MARKDOWN_MOST = 200  # findings that a page lists
FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"  # what may begin one, in full width too
NUMBER = re.compile(r"-?\d+(\.\d+)?")
COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice", Severity.HINT: "notice"}


def junit(validation: Validation) -> str:
    """JUnit XML: a case per piece and one for the whole; errors fail it, warnings are its output."""
    root = ElementTree.Element("testsuites", name="sim3d validate")
    cases = [(validation.manifest or validation.name, "pack", validation.report.findings, False)]
    cases += [(p.file, p.name, p.report.findings, p.verdict == UNDECIDED) for p in validation.pieces]
    failed = [
        sum(any(f.severity == Severity.ERROR for f in found) and not unknown for _, _, found, unknown in cases),
        sum(unknown for _, _, _, unknown in cases),
    ]
    told = {"tests": len(cases), "failures": failed[0], "errors": failed[1]}
    suite = ElementTree.SubElement(root, "testsuite", name=xml_text(validation.name))
    for key, count in told.items():
        suite.set(key, str(count))
    for file, name, found, unknown in cases:
        case = ElementTree.SubElement(suite, "testcase", classname=xml_text(file), name=xml_text(name))
        wrong = [f for f in found if f.severity == Severity.ERROR]
        others = [f for f in found if f.severity != Severity.ERROR]
        if wrong:
            text = "\n".join(_said(f) for f in wrong)
            kind = "error" if unknown else "failure"
            ElementTree.SubElement(case, kind, message=xml_text(_said(wrong[0])), type=wrong[0].code).text = xml_text(
                text
            )
        if others:
            ElementTree.SubElement(case, "system-out").text = xml_text("\n".join(_said(f) for f in others))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _said(f: Finding) -> str:
    return f"{f.severity.word} {f.code}: {f.message}"


def markdown(validation: Validation) -> str:
    """A page: the verdict, a table of pieces, the figures, and what was found."""
    lines = [f"# {_cell(validation.name)}", "", _cell(last_line(validation)), "", "| piece | verdict |", "|---|---|"]
    lines += [f"| {_cell(p.name)} | {_cell(piece_line(p))} |" for p in validation.pieces]
    rows = figures_rows(validation)
    if len(rows) > 1:
        lines += [
            "",
            *("| " + " | ".join(_cell(c) for c in row) + " |" for row in rows[:1]),
            "|---|---|--:|--:|--:|--:|---|",
        ]
        lines += ["| " + " | ".join(_cell(c) for c in row) + " |" for row in rows[1:]]
    found = validation.all.findings
    if found:
        lines += ["", "| where | severity | code | what |", "|---|---|---|---|"]
        lines += [
            f"| {_cell(f.file)} | {f.severity.word} | {f.code} | {_cell(f.message)} |" for f in found[:MARKDOWN_MOST]
        ]
        if len(found) > MARKDOWN_MOST:
            lines += ["", f"… and {len(found) - MARKDOWN_MOST} more"]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Text that cannot break out of its cell, become markup or a link, or call somebody by name."""
    for char in "\\|`*_<>[]#~&!":
        text = text.replace(char, f"\\{char}")
    for start in ("@", "://", "www."):  # links that need no markup; a word joiner keeps them apart unseen
        text = text.replace(start, f"{start[0]}{APART}{start[1:]}")
    return " ".join(text.split())


def github(validation: Validation) -> str:
    """Annotations, the worst first, and the verdict as a notice."""
    lines = []
    counts: dict[str, int] = {}
    for finding, file, line in placed(validation):
        command = COMMANDS[finding.severity]
        counts[command] = counts.get(command, 0) + 1
        if counts[command] > GITHUB_MOST:
            continue
        told = {"file": file} | ({"line": str(line)} if line is not None else {}) | {"title": finding.code}
        said = ",".join(f"{key}={_escaped(value, more=':,')}" for key, value in told.items())
        about = f"{finding.file}: " if finding.file and not file.endswith(finding.file) else ""
        lines.append(f"::{command} {said}::{_escaped(about + finding.message)}")
    lines += [f"… and {n - GITHUB_MOST} {command}s more" for command, n in counts.items() if n > GITHUB_MOST]
    return "\n".join([*lines, unheard(last_line(validation))]) + "\n"


def _escaped(text: str, *, more: str = "") -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def as_csv(validation: Validation) -> str:
    """A line per finding, and one per piece without any."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        ("piece", "file", "verdict", "severity", "code", "message", "count", "area_mm2", "x_mm", "y_mm", "z_mm")
    )
    cases = [("", validation.manifest, validation.verdict, validation.report.findings)]
    cases += [(p.name, p.file, p.verdict, p.report.findings) for p in validation.pieces]
    for name, file, verdict, found in cases:
        for f in found:
            at = [f"{v:.3f}" for v in (f.places[0].x, f.places[0].y, f.places[0].z)] if f.places else ["", "", ""]
            area = "" if f.area_mm2 is None else f"{f.area_mm2:.1f}"
            told = (f.severity.word, f.code, f.message, f.count, area, *at)
            rows.writerow([_harmless(str(v)) for v in (name, file, verdict, *told)])
        if name and not found:
            rows.writerow([_harmless(v) for v in (name, file, verdict)] + [""] * 8)
    return out.getvalue()


def _harmless(text: str) -> str:
    """Text that a spreadsheet does not take for a formula; a number stays one."""
    first = text.strip()[:1]
    return f"'{text}" if first and first in FORMULA and not NUMBER.fullmatch(text) else text


FORMATS: dict[str, tuple[str, Callable[[Validation], str]]] = {
    "text": ("report.txt", validation_text),
    "json": ("report.json", validation_json),
    "sarif": ("report.sarif", sarif),
    "junit": ("report.junit.xml", junit),
    "markdown": ("report.md", markdown),
    "github": ("report.github.txt", github),
    "csv": ("report.csv", as_csv),
}  # each format, the file it is written to, and how
