"""Every code of the house: found by loading each module that declares one; explained; written to docs/findings.md."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from sim3d.finding import CODES, DOC_PARTS, Check, numbered

DECLARING = (
    "form",
    "mini",
    "solid",
    "table",
    "stand",
    "rules.legion",
    "rules.hexes.saved",
    "pack",
    "report.inspection",
)  # the modules that declare codes, from the ground up


def every_code() -> Mapping[str, Check]:
    """All codes, sorted by name."""
    for module in DECLARING:
        importlib.import_module(f"sim3d.{module}")
    return dict(sorted(CODES.items()))


def explained(check: Check) -> str:
    """What a code means, why it matters, an example, what to do: plain text."""
    what, *rest = " ".join(check.doc.split()).split(DOC_PARTS[0], 1)
    lines = [f"{check.code} ({check.severity.word})", "", what.strip(), ""]
    told = DOC_PARTS[0] + (rest[0] if rest else "")
    for part, following in zip(DOC_PARTS, (*DOC_PARTS[1:], None), strict=True):
        _, _, after = told.partition(part)
        text = after.partition(following)[0] if following else after
        lines.append(f"{part} {text.strip()}")
    return "\n".join(lines) + "\n"


def findings_page() -> str:
    """The text of docs/findings.md."""
    out = [
        "# Findings",
        "",
        "Every code that sim3d can report, by name. `sim3d explain CODE` prints the same. This page is generated:",
        "`make docs` writes it, and a test compares it with the code.",
        "",
    ]
    for check in every_code().values():
        first, _, body = explained(check).partition("\n\n")
        out += [
            f"## {first}",
            "",
            f"Says: “{numbered(check.template, 2)}”",
            "",
            *body.replace("\n\n", "\n").strip().splitlines(),
        ]
        out.append("")
    text = "\n".join(out).rstrip() + "\n"
    for part in DOC_PARTS:
        text = text.replace(f"\n{part} ", f"\n- **{part}** ")
    return text
