"""What a step of a scenario expects, and how what came out compares; nothing is rounded into holding."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any

from sim3d.form import Field, Form

ALIKE = 0.8  # of two spellings, as difflib counts: MV14 and MV15 are not alike, HX6a and HX06a are
Wrong = Callable[[str, str], None]  # told of a key and of what is wrong with it


class NumberForm(Form):
    """What is expected of a number: near one, give or take; or over, or under."""

    near: float | None = None
    within: Annotated[float, Field(gt=0)] | None = Field(default=None, description="how far from near, at most")
    over: float | None = None
    under: float | None = None


@dataclass(frozen=True, slots=True)
class Expected:
    """One expectation: words (`answer`, `on`, `why`) or the limits of a number."""

    key: str
    words: tuple[str, ...] = ()
    near: float | None = None
    within: float | None = None
    over: float | None = None
    under: float | None = None
    bare: bool = False  # the word stands in a file without quotes: true, 2

    def __str__(self) -> str:
        """As a player would say it.

        >>> str(Expected("margin_mm", near=1.0, within=0.05)), str(Expected("answer", ("stable", "precarious")))
        ('1 ± 0.05', 'stable or precarious')
        """
        if self.words:
            return (" or " if self.key == "answer" else " and ").join(self.words)
        parts = [] if self.near is None else [f"{self.near:g} ± {self.within:g}"]
        parts += [] if self.over is None else [f"over {self.over:g}"]
        parts += [] if self.under is None else [f"under {self.under:g}"]
        return ", ".join(parts)

    def holds(self, number: float) -> bool:
        """Whether a number is as expected; a limit is neither over nor under itself."""
        return (
            (self.near is None or abs(number - self.near) <= (self.within or 0.0))
            and (self.over is None or number > self.over)
            and (self.under is None or number < self.under)
        )

    def beyond(self, number: float) -> float:
        """How far a number is on the wrong side; 0 where it holds.

        >>> Expected("tip_deg", over=5.0).beyond(4.0)
        1.0
        """
        off = [0.0]
        if self.near is not None:
            off.append(abs(number - self.near) - (self.within or 0.0))
        if self.over is not None:
            off.append(self.over - number)
        if self.under is not None:
            off.append(number - self.under)
        return max(off)


def numbers_expected(limits: Mapping[str, NumberForm | None], wrong: Wrong) -> Iterator[Expected]:
    """The expectations of numbers; what contradicts itself is told to `wrong`."""
    for key, form in limits.items():
        if form is None:
            continue
        if (form.near is None) != (form.within is None):
            wrong(key, "near and within go together")
        if form.near is None and form.over is None and form.under is None:
            wrong(key, "say near and within, or over, or under")
        if form.over is not None and form.under is not None and form.over >= form.under:
            wrong(key, f"nothing is over {form.over:g} and under {form.under:g}")
        yield Expected(key, (), form.near, form.within, form.over, form.under)


def unknown_words(words: Iterable[str], there: Collection[str], *, what: str, else_see: str) -> Iterator[str]:
    """Why each word can never come out: nothing is called so; with those that are spelled nearly so.

    >>> list(unknown_words(["MV14", "mv15"], ["MV14", "MV15"], what="rule", else_see="docs/rulebook.md"))
    ["no rule is called 'mv15'; did you mean 'MV15'?"]
    """
    for word in dict.fromkeys(words):
        if word not in there:
            near = [one for one in there if one.lower() == word.lower()] or get_close_matches(word, there, 1, ALIKE)
            hint = f"did you mean {near[0]!r}?" if near else else_see
            yield f"no {what} is called {word!r}; {hint}"


@dataclass(frozen=True, slots=True)
class Judged:
    """One expectation and what came out: `held` None where it could not be judged; `beyond` says by how much not."""

    expected: Expected
    got: float | str | tuple[str, ...] | None
    held: bool | None
    beyond: float | None = None

    def __str__(self) -> str:
        """What was expected and what came out, in one line."""
        got = "nothing" if self.got in (None, (), "") else _said(self.got)
        off = f" ({self.beyond:.4g} beyond)" if self.beyond and not self.held else ""
        return f"{self.expected.key}: expected {self.expected}, came out {got}{off}"


def _said(got: Any) -> str:
    if isinstance(got, float):
        return f"{got:.6g}"
    return ", ".join(got) if isinstance(got, tuple) else str(got)
