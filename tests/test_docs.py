"""The docs keep their word: every example runs as it is written, every link leads somewhere, every picture is shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim3d.rules.hexes.forms import CellForm, HexesForm, HexStepForm, HexUnitForm, WallForm
from sim3d.rules.hexes.grid import WAYS
from sim3d.rules.hexes.move import KINDS as HEX_MOVES
from sim3d.rules.legion.actions import KINDS as ACTIONS
from sim3d.rules.legion.actions import NO_ACTION, OTHER_ACTIONS
from sim3d.rules.legion.asked import MoveStepForm, UnitForm
from sim3d.rules.legion.unit import TYPES, known_keywords
from sim3d.stand import NUMBERS, WORDS
from tests.pages import ROOT, blocks, dead_links, followed, laid_out, pages, same, steps_of, unknown_options

GENERATED = {"api.md", "findings.md", "rulebook.md", "rulebook-hexes.md"}  # from code; their examples run as doctests
PAGES = [p for p in pages() if p.name not in GENERATED]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_page_followed_word_by_word(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    wrong = followed(page, tmp_path)
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("page", pages(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    assert dead_links(page) == []


def test_every_page_and_picture_can_be_reached_from_the_index() -> None:
    docs = ROOT / "docs"
    seen: set[Path] = set()
    open_ones = [docs / "README.md"]
    while open_ones:
        page = open_ones.pop()
        seen.add(page)
        for part in page.read_text(encoding="utf-8").split("](")[1:]:
            there = (page.parent / part.partition(")")[0].partition("#")[0]).resolve()
            if there.is_file() and there not in seen:
                seen.add(there)
                open_ones += [there] if there.suffix == ".md" else []
    wanted = {p for pattern in ("*.md", "*.png", "*.gif") for p in docs.rglob(pattern)}
    assert sorted(p.name for p in wanted - seen) == []


def test_every_word_and_number_of_a_verdict_is_explained() -> None:
    text = (ROOT / "docs" / "verdict.md").read_text(encoding="utf-8")
    assert [word for word in (*WORDS, *NUMBERS) if f"`{word}`" not in text] == []


def test_whoever_writes_a_game_finds_every_key_word_and_direction_on_one_page() -> None:
    text = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    words = [k.replace(" N", " 1") for k in known_keywords()] + [
        *TYPES,
        *ACTIONS,
        *NO_ACTION,
        *OTHER_ACTIONS,
        *HEX_MOVES,
    ]
    forms = (UnitForm, MoveStepForm, HexesForm, CellForm, WallForm, HexUnitForm, HexStepForm)
    keys = [key for form in forms for key in form.model_fields if key not in ("about", "expect")]
    in_tables = ("edition", "options", "columns", "rows", "origin", "cell", "wall", "unit", "first")  # of the board
    assert [w for w in words if f"`{w}`" not in text] == []
    assert [k for k in keys if not re.search(rf"`{k}`|^{k} = |`{k} = ", text, re.M) and k not in in_tables] == []
    row = " | ".join(f"`[{q}, {r}]`" for q, r in WAYS)
    assert f"| the next hex | {row} |" in text


def test_every_benchmark_is_told() -> None:
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert [p.name for p in sorted((ROOT / "benchmarks").glob("*.py")) if f"`{p.name}`" not in text] == []


@pytest.mark.parametrize("page", pages(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_every_verb_and_option_that_is_named_exists(page: Path) -> None:
    assert unknown_options(page) == []


# --- the reader of the docs itself ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```python\n1 / 0\n```\n", "page.md:1: ZeroDivisionError"),
        ("```console\n$ sim3d explain NO_SUCH_CODE\n```\n", "exit code 2"),
        ("```console\n$ sim3d explain MESH_OPEN\nMESH_SHUT ...\n```\n", "instead of"),
        ("```console\n$ echo one | cat\ntwo\n```\n", "instead of"),
        ("```sh\nrm -r /\n```\n", "nobody runs 'rm -r /'"),
        ("```\nwhat is this\n```\n", "a block of kind ''"),
    ],
)
def test_what_does_not_hold_is_noticed(text: str, complaint: str, tmp_path: Path) -> None:
    laid_out(tmp_path)
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    (wrong,) = followed(tmp_path / "page.md", tmp_path)
    assert complaint in wrong


def test_a_page_is_read_as_it_is_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Two words, `code`\n[a](#two-words-code) [b](#no) [c](no.md)\n\nSave `a.toml`:\n```toml\nx = 1\n```\n"
    )
    assert dead_links(page) == ["page.md: #no", "page.md: no.md"]
    (block,) = blocks(page)
    assert (block.kind, block.text, block.before) == ("toml", "x = 1\n", "Save `a.toml`:")
    assert followed(page, tmp_path) == []
    assert (tmp_path / "a.toml").read_text() == "x = 1\n"
    assert steps_of("$ a \\\n  b\none\n$ c\n") == [("a b", "one\n"), ("c", "")]
    assert same("tilt ... deg\n", "tilt   0.00   deg\n")
    assert not same("tilt 1 deg\n", "tilt 0.00 deg\n")


def test_a_verb_or_option_of_nowhere_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Two\n`sim3d stnd` `sim3d stand --mesh x --lvl 3` `sim3d run A -o b`\n```sh\nsim3d --vers\n```\n")
    assert unknown_options(page) == ["sim3d stnd", "sim3d stand --lvl", "sim3d run -o", "sim3d --vers"]
