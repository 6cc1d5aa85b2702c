"""docs/rulebook.md: every rule by its id, in our own words, with the checks and scenarios that carry it out."""

from __future__ import annotations

import re
from pathlib import Path

from sim3d.finding import Check
from sim3d.rules.legion import RRG2
from sim3d.rules.legion.book import RULES
from sim3d.rules.legion.judge import EVENTS, clamber_wounds, unit_left_table

_ID = re.compile(r"[A-Z]{2}[0-9]{2}")


def checks_of(rule: str) -> tuple[Check, ...]:
    """The checks that name a rule in the first line of what they say of themselves."""
    every = (*RRG2.checks, *EVENTS, unit_left_table, clamber_wounds)
    return tuple(c for c in every if rule in _ID.findall(c.doc.partition("Why:")[0]))


def scenarios_of(rule: str, home: Path) -> tuple[Path, ...]:
    """The scenario files below a folder that are named after a rule, in order."""
    return tuple(sorted(home.rglob(f"{rule.lower()}-*.toml")))


def rulebook_page(home: Path) -> str:
    """The text of docs/rulebook.md."""
    out = [
        "# Rulebook",
        "",
        f"What sim3d carries out of the game's rules, edition `{RRG2.edition}`, in our own words. A scenario with",
        "`bites` in its name shows the rule speaking, one with `spares` the near miss. This page is generated:",
        "`make docs` writes it, and a test compares it with the code.",
        "",
    ]
    for rule, words in RULES.items():
        out += [f"## {rule}", "", words, ""]
        if checks := checks_of(rule):
            out.append(f"- checks: {', '.join(f'`{c.code}`' for c in checks)}")
        names = [f"`{p.relative_to(home.parent).as_posix()}`" for p in scenarios_of(rule, home)]
        out += [f"- scenarios: {', '.join(names)}", ""]
    out += ["## Numbers", "", "| number | value | unit | source |", "|---|---|---|---|"]
    out += [f"| {n} | {v} | {unit} | {source} |" for n, (v, unit, source) in RRG2.numbers.told().items()]
    out += ["", "## Options", "", "Where the texts are silent or disagree.", ""]
    out += ["| option | default | reason |", "|---|---|---|"]
    out += [f"| {n} | {v} | {reason} |" for n, (v, reason) in RRG2.options.told().items()]
    return "\n".join(out) + "\n"
