"""A validation as SARIF 2.1.0: rules with their help, results with stable paths and fingerprints, none twice.

A mesh has no lines, so a result points at the line of the manifest that names the piece, else at the mesh itself.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from sim3d import __version__
from sim3d.finding import CODES, Finding, Severity
from sim3d.form import to_json
from sim3d.pack import Validation
from sim3d.report.codes import explained

SCHEMA = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json"
MOST = 25_000  # results of one run that GitHub takes
LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note", Severity.HINT: "note"}


def sarif(validation: Validation) -> str:
    """Stable SARIF text."""
    found = placed(validation)
    kept = found[:MOST]
    codes = sorted({f.code for f, _, _ in kept})
    results = [_result(f, file, line, codes.index(f.code)) for f, file, line in kept]
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "sim3d", "version": __version__, "rules": [_rule(code) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not validation.interrupted, **_left_off(len(found) - len(kept))}],
        "results": results,
    }
    return to_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def placed(validation: Validation) -> list[tuple[Finding, str, int | None]]:
    """Every finding, worst first, with the file and line it is shown at."""
    out: list[tuple[Finding, str, int | None]] = []
    for f in validation.report:
        out.append((f, f.file or validation.manifest or ".", f.line))
    for p in validation.pieces:
        at = (validation.manifest, p.line) if validation.manifest and p.line is not None else (p.file, None)
        out += [(f, *at) for f in p.report]
    before = f"{validation.at}/" if validation.at else ""
    return sorted(((f, before + file, line) for f, file, line in out), key=lambda one: one[0].severity)


def _left_off(many: int) -> dict[str, Any]:
    if not many:
        return {}
    text = f"{many} results more than {MOST} were left off; the JSON report has them all"
    return {"toolExecutionNotifications": [{"level": "warning", "message": {"text": text}}]}


def _rule(code: str) -> dict[str, Any]:
    check = CODES[code]
    first, _, rest = explained(check).partition("\n\n")
    what, _, help_text = rest.partition("\n\n")
    return {
        "id": code,
        "name": first.partition(" ")[0].title().replace("_", ""),
        "shortDescription": {"text": what.strip()},
        "help": {"text": help_text.strip()},
        "defaultConfiguration": {"level": LEVEL[check.severity]},
    }


def _said(text: str) -> str:
    """Text in which a viewer finds no link and no place to put something in."""
    return re.sub(r"\{(\d+)\}", r"{{\1}}", text.replace("](", "] ("))


def _result(finding: Finding, file: str, line: int | None, rule: int) -> dict[str, Any]:
    where: dict[str, Any] = {"artifactLocation": {"uri": quote(file)}}
    if line is not None:
        where["region"] = {"startLine": line}
    about = f"{finding.file}: " if finding.file and not file.endswith(finding.file) else ""
    properties = {k: v for k, v in finding.as_dict().items() if k in ("count", "area_mm2", "places", "numbers")}
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": LEVEL[finding.severity],
        "message": {"text": _said(about + finding.message)},
        "locations": [{"physicalLocation": where}],
        "partialFingerprints": {"sim3d/v1": finding.fingerprint()},
        "properties": properties,
    }
