"""`python -m sim3d.report.pages`: writes what is generated in docs: reference, findings, rulebooks, lists, schemas."""

from __future__ import annotations

import sys
from pathlib import Path

from sim3d.form import schema_text
from sim3d.pack import PackForm
from sim3d.report.codes import findings_page
from sim3d.report.hexbook import hexbook_page
from sim3d.report.inspection import InspectionForm
from sim3d.report.moving import MovingForm
from sim3d.report.reference import api_page
from sim3d.report.rulebook import rulebook_page
from sim3d.report.running import RunningForm
from sim3d.report.shelf import decisions_page, figures_page
from sim3d.report.standing import NoReplyForm, ReplyForm, RequestForm, StandForm
from sim3d.report.validation import ValidationForm
from sim3d.rules.hexes.saved import FieldForm
from sim3d.scenario import ScenarioForm
from sim3d.table import TableForm


def generated(root: Path) -> dict[str, str]:
    """Each generated file by its path in the repository, which is at `root`, and the text it must hold."""
    return {
        "docs/api.md": api_page(),
        "docs/decisions/README.md": decisions_page(root),
        "docs/figures.md": figures_page(root),
        "docs/findings.md": findings_page(),
        "docs/rulebook-hexes.md": hexbook_page(root / "scenarios" / "hexes"),
        "docs/rulebook.md": rulebook_page(root / "scenarios" / "legion"),
        "docs/schema/hex-field.schema.json": schema_text(
            FieldForm, title="what sim3d bake --json prints and --out saves"
        ),
        "docs/schema/inspection.schema.json": schema_text(InspectionForm, title="what sim3d inspect --json prints"),
        "docs/schema/move.schema.json": schema_text(MovingForm, title="what sim3d move --json prints"),
        "docs/schema/pack.schema.json": schema_text(PackForm, title="sim3d pack manifest (pack.toml)"),
        "docs/schema/run.schema.json": schema_text(RunningForm, title="what sim3d run --json prints"),
        "docs/schema/scenario.schema.json": schema_text(ScenarioForm, title="sim3d scenario file"),
        "docs/schema/stand-error.schema.json": schema_text(
            NoReplyForm, title="sim3d stand --stdin: no answer, and why"
        ),
        "docs/schema/stand-reply.schema.json": schema_text(ReplyForm, title="sim3d stand --stdin: an answer"),
        "docs/schema/stand-request.schema.json": schema_text(RequestForm, title="sim3d stand --stdin: a question"),
        "docs/schema/stand.schema.json": schema_text(StandForm, title="what sim3d stand --json prints"),
        "docs/schema/table.schema.json": schema_text(TableForm, title="sim3d table file"),
        "docs/schema/validation.schema.json": schema_text(ValidationForm, title="what sim3d validate --json prints"),
    }


def main(root: Path) -> None:
    """Write them all under `root`."""
    for name, text in generated(root).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        sys.stderr.write(f"wrote {name}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
