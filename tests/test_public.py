"""The public names are frozen, documented, and shown at work; tests/data/public.txt is what a release promised."""

from __future__ import annotations

import difflib
import inspect
import textwrap
from pathlib import Path

import pytest

import sim3d
from sim3d.report.reference import EXAMPLES, api_page, members_of, names, names_text, signature_of
from tests.pages import ROOT, blocks

FROZEN = ROOT / "tests" / "data" / "public.txt"
WRITE = "python -m sim3d.report.reference > tests/data/public.txt"


def test_public_names_and_their_signatures_are_as_they_were() -> None:
    was, now = FROZEN.read_text(encoding="utf-8").splitlines(), names_text().splitlines()
    changed = list(difflib.unified_diff(was, now, "promised", "now", lineterm="", n=1))
    told = "a line that is gone or other breaks programs; if that is meant, or lines are new: " + WRITE
    assert not changed, "\n".join([*changed, told])


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("at: tuple[float, float],", "at: tuple[float, float, float],", 1),
        lambda text: text.replace("    margin_mm: float | None\n", "", 1),
        lambda text: text.replace("class Pose", "class Place", 1),
    ],
)
def test_a_change_would_be_seen(change) -> None:
    assert change(names_text()) != names_text()


def test_every_public_name_is_in_the_list() -> None:
    assert sorted(names()) == sorted(n for n in sim3d.__all__ if n != "__version__")
    begun = {line.removeprefix("class ").partition("(")[0] for line in names_text().splitlines() if line[0].isalpha()}
    assert begun == set(names())


@pytest.mark.parametrize("name", names())
def test_a_public_name_has_words_and_an_example_that_runs(name: str) -> None:
    value = getattr(sim3d, name)
    words = inspect.getdoc(value) or ""
    assert words.partition("\n")[0].endswith((".", "?"))
    assert f"\n## {name}\n" in api_page()
    if ">>> " in words:  # run by pytest as a doctest of its module
        assert name not in EXAMPLES, "one place is enough"
        return
    page, _, part = EXAMPLES[name].partition("#")
    shown = [b.text for b in blocks(ROOT / "docs" / page) if b.kind == "python" and _heading(page, b.line) == part]
    assert any(f"sim3d.{name}" in text for text in shown), f"{EXAMPLES[name]} does not use sim3d.{name}"


def _heading(page: str, line: int) -> str:
    """The heading over a line, as links name it."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()[:line]
    return next(text for text in reversed(lines) if text.startswith("## "))[3:].lower().replace(" ", "-")


def test_every_public_part_of_a_class_has_words_or_is_a_field() -> None:
    silent = []
    for name in names():
        value = getattr(sim3d, name)
        if inspect.isclass(value):
            silent += [f"{name}{m.written}" for m in members_of(value) if "(" in m.written and not m.about]
    assert silent == []


def test_a_long_signature_takes_a_line_for_each_argument() -> None:
    def short(one: int, *rest: str, key: float = 1.0, **more: object) -> None: ...

    def wide(
        a_long_name_for_an_argument: Path, another_name_that_is_as_long: Path, *, and_a_key_that_is_long: str
    ) -> str: ...

    assert signature_of(short, "short") == "short(one: int, *rest: str, key: float = 1.0, **more: object) -> None"
    assert signature_of(wide, "wide") == textwrap.dedent("""\
        wide(
            a_long_name_for_an_argument: Path,
            another_name_that_is_as_long: Path,
            *,
            and_a_key_that_is_long: str,
        ) -> str""")
    assert signature_of(textwrap.wrap, "wrap") == "wrap(text, width=70, **kwargs)"
