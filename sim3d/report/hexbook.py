"""docs/rulebook-hexes.md: every clause of the second game, what carries it out, its scenarios, numbers and options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sim3d.finding import Check
from sim3d.rules.hexes import SEED
from sim3d.rules.hexes.book import RULES
from sim3d.rules.hexes.judge import hex_strike_void, hex_trampled
from sim3d.rules.hexes.traits import CLAUSES

_ID = re.compile(r"HX[0-9]{2}[a-d]?")


def checks_of(rule: str) -> tuple[Check, ...]:
    """The checks that name a clause in the first line of what they say of themselves."""
    return tuple(
        c for c in (*SEED.checks, hex_trampled, hex_strike_void) if rule in _ID.findall(c.doc.partition("Why:")[0])
    )


def carried_by(rule: str) -> str:
    """The function that carries a clause out."""
    return "rules.hexes.bake" if rule == "HX13" else f"rules.hexes.traits.{CLAUSES[rule].function}"


def scenarios_of(rule: str, home: Path) -> tuple[Path, ...]:
    """The scenario files named after a clause, in order."""
    return tuple(sorted(home.rglob(f"{rule.lower()}-*.toml")))


def _table(head: str, rows: Iterable[Iterable[Any]]) -> list[str]:
    columns = head.count("|") - 1
    return [head, "|" + "---|" * columns, *("| " + " | ".join(str(v) for v in row) + " |" for row in rows)]


def hexbook_page(home: Path) -> str:
    """The text of docs/rulebook-hexes.md."""
    out = [
        "# Rulebook of the hexes",
        "",
        f"Movement traits on a board of hexes, edition `{SEED.edition}`, in our own words: what sim3d carries out.",
        "A scenario with `bites` in its name shows the clause at work, one with `spares` the near miss; the others",
        "show it on terrain. This page is generated: `make docs` writes it, and a test compares it with the code.",
        "",
        "![A board baked from a bridge, with heights, walls, a zone and how far Mara comes](hexes.png)",
        "",
    ]
    for rule, words in RULES.items():
        out += [f"## {rule}", "", words, "", f"- carried out by `{carried_by(rule)}`"]
        if checks := checks_of(rule):
            out.append(f"- checks: {', '.join(f'`{c.code}`' for c in checks)}")
        names = [f"`{p.relative_to(home.parent).as_posix()}`" for p in scenarios_of(rule, home)]
        out += [f"- scenarios: {', '.join(names)}", ""]
    numbers = ((n, v, unit, source) for n, (v, unit, source) in SEED.numbers.told().items())
    out += ["## Numbers", "", *_table("| number | value | unit | source |", numbers), ""]
    options: Mapping[str, tuple[Any, str]] = SEED.options.told()
    told = ((n, v, reason) for n, (v, reason) in options.items())
    out += ["## Options", "", "Where the texts are silent or disagree.", ""]
    out += [*_table("| option | default | reason |", told), ""]
    terrain = ((n, ", ".join(words) or "nothing") for n, words in SEED.terrain.items())
    out += ["## Terrain", "", "What an author's word for a piece or a hex means.", ""]
    out += _table("| word | to the rules |", terrain)
    return "\n".join(out) + "\n"
