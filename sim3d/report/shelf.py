"""Pages made from what lies in the repository: the list of decisions, and the figures that somebody measured."""

from __future__ import annotations

from pathlib import Path

DECISIONS = "docs/decisions"
RESULTS = "benchmarks/results"


def decisions_page(root: Path) -> str:
    """docs/decisions/README.md: every decision by its number and heading."""
    lines = [
        "# Decisions",
        "",
        "Why things are as they are, one page for each choice that somebody could have made otherwise. A page says",
        "what was asked, what was chosen and what was measured on the way. Written by `make docs` from the headings.",
        "",
        "| | |",
        "|---|---|",
    ]
    for path in sorted((root / DECISIONS).glob("[0-9]*.md")):
        number, _, title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").partition(" · ")
        lines.append(f"| {number} | [{title}]({path.name}) |")
    return "\n".join(lines) + "\n"


def figures_page(root: Path) -> str:
    """docs/figures.md: what the benchmarks printed, word by word, from the results that were committed."""
    lines = [
        "# Figures",
        "",
        "What the benchmarks printed on a named machine on a named day, word by word: the files of",
        f"`{RESULTS}`, written here by `make docs`. [Benchmarks](benchmarks.md) says how to read them.",
    ]
    found = sorted((root / RESULTS).glob("*.txt"))
    for path in found:
        lines += ["", f"## {path.stem}", "", "```text", path.read_text(encoding="utf-8").rstrip(), "```"]
    if not found:
        lines += ["", "No result has been committed yet."]
    return "\n".join(lines) + "\n"
