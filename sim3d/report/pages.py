"""`python -m sim3d.report.pages`: writes the generated pages: docs/findings.md and the JSON Schemas in docs/schema."""

from __future__ import annotations

import sys
from pathlib import Path

from sim3d.form import schema_text
from sim3d.report.codes import findings_page
from sim3d.report.inspection import InspectionForm
from sim3d.table import TableForm


def generated() -> dict[str, str]:
    """Each generated file by its path in the repository, and the text it must hold."""
    return {
        "docs/findings.md": findings_page(),
        "docs/schema/inspection.schema.json": schema_text(InspectionForm, title="what sim3d inspect --json prints"),
        "docs/schema/table.schema.json": schema_text(TableForm, title="sim3d table file"),
    }


def main(root: Path) -> None:
    """Write them all under `root`."""
    for name, text in generated().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        sys.stderr.write(f"wrote {name}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
