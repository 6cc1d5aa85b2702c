"""One machine for every "no" in the house: what is wrong, where, how bad, with numbers.

A check is a docstring, a message template and a few lines. It yields one `Hit` per defect it sees; silence is a pass.

>>> @check("DOC_TOO_TALL", Severity.WARNING, "{height_mm:.1f} mm tall, at most {limit_mm:.0f} fit")
... def too_tall(height_mm):
...     '''Something is taller than the shelf.
...
...     Why: it would not fit. Example: a 300 mm tower. Do: cut it in two.
...     '''
...     if height_mm > 250:
...         yield Hit(height_mm=height_mm, limit_mm=250)
>>> run((too_tall,), 251.0, file="tower.stl").findings[0].message
'251.0 mm tall, at most 250 fit'
>>> del CODES["DOC_TOO_TALL"]
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache
from itertools import product
from typing import Any

WORST_SHOWN = 5  # places a grouped finding keeps: enough to find the defect, few enough to read
MOST_DIGITS = 6  # decimals of a number in a message: less is rounding
Number = float | int | str | bool


class Severity(IntEnum):
    """How bad, worst first: an error cannot be trusted, a warning needs a look, info is a fact, a hint is advice.

    >>> Severity.ERROR < Severity.HINT, Severity.WARNING.word
    (True, 'warning')
    """

    ERROR = 0
    WARNING = 1
    INFO = 2
    HINT = 3

    @property
    def word(self) -> str:
        """The lower-case name used in files and on the command line."""
        return self.name.lower()

    @staticmethod
    def of(word: str) -> Severity:
        """From its word.

        >>> Severity.of("warning")
        <Severity.WARNING: 1>
        """
        try:
            return Severity[word.upper()]
        except KeyError:
            raise ValueError(f"{word!r} is not a severity; use error, warning, info or hint") from None


_UNPRINTED = frozenset(("Cc", "Cs", "Zl", "Zp"))  # controls, halves of characters, separators of lines
_TURNING = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))  # they reorder what follows


def unprintable(char: str) -> bool:
    """Whether a character does something to a terminal or to the text around it instead of being shown."""
    return unicodedata.category(char) in _UNPRINTED or unicodedata.bidirectional(char) in _TURNING


def plain(text: str) -> str:
    """Text from a file on one line that shows what it holds: no escapes of a terminal, nothing that turns its order.

    >>> plain("ruin\\n\\x1b[2J 😀 חורבה")
    'ruin??[2J 😀 חורבה'
    """
    return text if text.isprintable() else "".join("?" if unprintable(char) else char for char in text)


def told_apart(one: float, other: float, digits: int = 1) -> tuple[str, str]:
    """Two numbers with so many decimals, or as many more as it takes to tell them apart, up to `MOST_DIGITS`.

    >>> told_apart(152.41, 152.4), told_apart(153.0, 152.4), told_apart(0.3, 0.3)
    (('152.41', '152.40'), ('153.0', '152.4'), ('0.3', '0.3'))
    """
    for more in range(digits, MOST_DIGITS + 1):
        told = f"{one:.{more}f}", f"{other:.{more}f}"
        if told[0] != told[1]:
            return told
    return f"{one:.{digits}f}", f"{other:.{digits}f}"


def counted(number: int, one: str, more: str = "") -> str:
    """So many of something in words.

    >>> counted(1, "wound"), counted(2, "wound"), counted(0, "hex", "hexes")
    ('1 wound', '2 wounds', '0 hexes')
    """
    return f"{number} {one if number == 1 else more or one + 's'}"


_CHOICE = re.compile(r"\[([^|\]]*)\|([^|\]]*)\]")  # in a template: for one, and for any other number


def numbered(template: str, number: Number) -> str:
    """A template with the words for one, or for any other number, of those in brackets that have both.

    >>> numbered("{count} [edge is|edges are] open", 1), numbered("{count} [edge is|edges are] open", 2)
    ('{count} edge is open', '{count} edges are open')
    """
    return _CHOICE.sub(r"\1" if number == 1 else r"\2", template)


APART = "\u2060"  # word joiner: unseen, and no space
_COMMAND = re.compile(r"(?m)^(\s*):(?=:)|#(?=#)")  # how a line talks to the program that runs a build


def unheard(text: str) -> str:
    """Text that gives no orders to a build that prints it: GitHub hears "::", others hear "##" and a word."""
    return _COMMAND.sub(lambda found: found[0] + APART, text)


def spoken(lines: Iterable[str]) -> str:
    """Lines as a terminal or a build may have them: each on one line, nothing in them that is obeyed.

    >>> spoken(["ruin\\n::error::.stl"])
    'ruin?::error::.stl\\n'
    """
    return unheard("\n".join(map(plain, lines)) + "\n")


@dataclass(frozen=True, slots=True)
class Place:
    """A point in mm where a defect can be looked at, and how much of it is there (`size`: the worst place has most)."""

    x: float
    y: float
    z: float
    size: float = 0.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect, or many equal ones grouped: code, severity, where, message, numbers.

    >>> str(Finding("MESH_OPEN", Severity.WARNING, "3 edges are open", file="roof.stl"))
    'roof.stl: warning MESH_OPEN: 3 edges are open'
    """

    code: str
    severity: Severity
    message: str
    file: str = ""  # the file or piece it is in, as the user wrote it
    pointer: str = ""  # JSON pointer into that file, "/piece/0/at"
    line: int | None = None
    count: int = 1
    area_mm2: float | None = None
    places: tuple[Place, ...] = ()
    numbers: tuple[tuple[str, Number], ...] = ()

    def __post_init__(self) -> None:
        for key in ("message", "file", "pointer"):  # they hold words of strangers, and end on terminals
            object.__setattr__(self, key, plain(getattr(self, key)))

    def fingerprint(self) -> str:
        """The same for the same defect in the same file, whatever its count or numbers: what a baseline keeps."""
        return hashlib.sha256("\0".join((self.code, self.file, self.pointer)).encode()).hexdigest()[:16]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON; empty fields are left out."""
        out: dict[str, Any] = {"code": self.code, "severity": self.severity.word, "message": self.message}
        if self.file:
            out["file"] = self.file
        if self.pointer:
            out["pointer"] = self.pointer
        if self.line is not None:
            out["line"] = self.line
        out["count"] = self.count
        if self.area_mm2 is not None:
            out["area_mm2"] = round(self.area_mm2, 3)
        if self.places:
            out["places"] = [[round(v, 4) for v in (p.x, p.y, p.z)] for p in self.places]
        if self.numbers:
            out["numbers"] = {k: round(v, 6) if isinstance(v, float) else v for k, v in self.numbers}
        return out

    def __str__(self) -> str:
        where = self.file + (f":{self.line}" if self.line is not None else "")
        where += f" {self.pointer}" if self.pointer else ""
        return f"{where + ': ' if where else ''}{self.severity.word} {self.code}: {self.message}"


class Hit:
    """What a check yields: the numbers its message needs, and where it was seen."""

    __slots__ = ("area_mm2", "count", "line", "numbers", "places", "pointer")

    def __init__(
        self,
        *,
        places: Iterable[Place] = (),
        count: int = 1,
        area_mm2: float | None = None,
        pointer: str = "",
        line: int | None = None,
        **numbers: Number,
    ) -> None:
        self.numbers = numbers
        self.places = tuple(places)
        self.count = count
        self.area_mm2 = area_mm2
        self.pointer = pointer
        self.line = line


@dataclass(frozen=True, slots=True)
class Check:
    """A registered code: its severity, its message template, what it means, and the function that looks for it."""

    code: str
    severity: Severity
    template: str  # "{count} [edge|edges]": the first word for a count of one
    doc: str
    look: Callable[..., Iterable[Hit] | None]

    def __call__(self, *subject: Any, file: str = "", **context: Any) -> tuple[Finding, ...]:
        """Every finding of this check on the subject; empty means nothing wrong."""
        return tuple(self._finding(hit, file) for hit in self.look(*subject, **context) or ())

    def hit(self, *, file: str = "", **told: Any) -> Finding:
        """The finding itself, where the defect is met while reading and there is nothing left to look at."""
        return self._finding(Hit(**told), file)

    def _finding(self, hit: Hit, file: str) -> Finding:
        values = {"count": hit.count, **hit.numbers}
        if hit.area_mm2 is not None:
            values["area_mm2"] = hit.area_mm2
        return Finding(
            code=self.code,
            severity=self.severity,
            message=numbered(self.template, values["count"]).format(**values),
            file=file,
            pointer=hit.pointer,
            line=hit.line,
            count=hit.count,
            area_mm2=hit.area_mm2,
            places=_worst(hit.places),
            numbers=tuple(hit.numbers.items()),
        )


CODES: dict[str, Check] = {}  # every code of the modules loaded so far, in the order they were declared
_CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
LEFT_OUT = """It is not explained here.

Why: Python was told to leave explanations out (-OO, PYTHONOPTIMIZE=2). Example: none.
Do: run it without that.
"""
DOC_PARTS = ("Why:", "Example:", "Do:")


def check(code: str, severity: Severity, template: str) -> Callable[[Callable[..., Iterable[Hit] | None]], Check]:
    """Register a code; the docstring's first line says what it is, then `Why:`, `Example:` and `Do:`."""
    if not _CODE.fullmatch(code):
        raise ValueError(f"{code!r}: a code is upper-case words that name the defect, LIKE_THIS")
    if code in CODES:
        raise ValueError(f"{code} is declared twice")

    def register(look: Callable[..., Iterable[Hit] | None]) -> Check:
        doc = (look.__doc__ or (LEFT_OUT if sys.flags.optimize > 1 else "")).strip()
        missing = [part for part in DOC_PARTS if part not in doc]
        if missing:
            raise ValueError(f"{code}: its docstring lacks {', '.join(missing)}")
        CODES[code] = made = Check(code, severity, template, doc, look)
        return made

    return register


def _worst(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(sorted(places, key=lambda p: (-p.size, p.x, p.y, p.z))[:WORST_SHOWN])


ANY_FOLDERS = "**/"
MOST_FOLDERS = 4  # of these in one glob may each stand for no folder; all more are held against each other's folders


def is_glob(text: str) -> bool:
    """Whether it could mean several files."""
    return any(c in text for c in "*?[")


@lru_cache(maxsize=1000)
def meant_by(glob: str) -> Callable[[str], bool]:
    """Whether the glob means a file, its path from the pack's folder with slashes.

    `*` is anything, folders too, `?` one character, `[ab]` one of these, `**/` folders or none; and a file of exactly
    that name is meant, whatever characters are in it.

    >>> [meant_by("**/*.stl")(file) for file in ("a.stl", "old/a.stl", "a.obj")]
    [True, True, False]
    >>> meant_by("ruin[1].stl")("ruin[1].stl")
    True
    """
    parts = glob.split(ANY_FOLDERS, MOST_FOLDERS)
    spelled = {
        "".join(part + folders for part, folders in zip(parts, (*chosen, ""), strict=True))
        for chosen in product((ANY_FOLDERS, ""), repeat=len(parts) - 1)
    }
    patterns = [re.compile(fnmatch.translate(one)) for one in sorted(spelled)]
    return lambda file: file == glob or any(pattern.match(file) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Policy:
    """What a user wants to hear: ignored codes, only these codes, per-file ignores (globs), severities, a baseline.

    >>> old = Policy(per_file={"old/*": ("MESH_OPEN",)})
    >>> [old.keeps(Finding("MESH_OPEN", Severity.WARNING, "", file=f)) for f in ("old/a.stl", "new/a.stl")]
    [False, True]
    """

    ignore: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    per_file: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    severity: Mapping[str, Severity] = field(default_factory=dict)
    baseline: frozenset[str] = frozenset()

    def unknown_codes(self) -> tuple[str, ...]:
        """Codes named here that no check declares: a typo would silently ignore nothing."""
        named = [*self.ignore, *self.only, *self.severity, *(c for codes in self.per_file.values() for c in codes)]
        return tuple(dict.fromkeys(c for c in named if c not in CODES))

    def keeps(self, finding: Finding) -> bool:
        """Whether this finding is to be heard at all."""
        if finding.code in self.ignore or (self.only and finding.code not in self.only):
            return False
        for glob, codes in self.per_file.items():
            if finding.code in codes and meant_by(glob)(finding.file):
                return False
        return finding.fingerprint() not in self.baseline


@dataclass(frozen=True, slots=True)
class Report:
    """Findings in the order they were found; `ok` when none is an error.

    >>> heard = Report((Finding("MESH_OPEN", Severity.WARNING, "open"), Finding("FILE_EMPTY", Severity.ERROR, "empty")))
    >>> heard.ok, heard.codes, len(heard.at_least(Severity.ERROR))
    (False, ('MESH_OPEN', 'FILE_EMPTY'), 1)
    """

    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """No error among them."""
        return all(f.severity != Severity.ERROR for f in self.findings)

    @property
    def codes(self) -> tuple[str, ...]:
        """Each code once, in order of first appearance."""
        return tuple(dict.fromkeys(f.code for f in self.findings))

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __add__(self, other: Report) -> Report:
        return Report(self.findings + other.findings)

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """The findings as bad as this or worse."""
        return tuple(f for f in self.findings if f.severity <= severity)

    def under(self, policy: Policy) -> Report:
        """The same report as the policy wants to hear it."""
        kept = (f for f in self.findings if policy.keeps(f))
        return Report(tuple(replace(f, severity=policy.severity.get(f.code, f.severity)) for f in kept))

    def grouped(self) -> Report:
        """Equal findings (code, file, severity) as one, with count, area and the worst places; nothing is dropped."""
        groups: dict[tuple[str, str, Severity], list[Finding]] = {}
        for f in self.findings:
            groups.setdefault((f.code, f.file, f.severity), []).append(f)
        return Report(tuple(_merged(same) for same in groups.values()))

    def fingerprints(self) -> frozenset[str]:
        """What a baseline file keeps."""
        return frozenset(f.fingerprint() for f in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the one-word verdict, counts per severity, findings."""
        counts = {s.word: sum(f.severity == s for f in self.findings) for s in Severity}
        return {"valid": self.ok, "counts": counts, "findings": [f.as_dict() for f in self.findings]}


def _merged(same: list[Finding]) -> Finding:
    if len(same) == 1:
        return same[0]
    areas = [f.area_mm2 for f in same if f.area_mm2 is not None]
    first = same[0]
    return replace(
        first,
        message=f"{first.message} (and {len(same) - 1} more like it)",
        count=sum(f.count for f in same),
        area_mm2=sum(areas) if areas else None,
        places=_worst(p for f in same for p in f.places),
    )


def run(checks: Iterable[Check], *subject: Any, file: str = "", **context: Any) -> Report:
    """Every check on the subject, every finding at once; an empty report is yes."""
    return Report(tuple(f for c in checks for f in c(*subject, file=file, **context)))


class Refused(ValueError):
    """Input that cannot be trusted; `report` holds every fault at once."""

    def __init__(self, *findings: Finding) -> None:
        self.report = Report(findings)
        super().__init__("\n".join(str(f) for f in findings))


def write_baseline(report: Report) -> str:
    """The text of a baseline file: known findings, so that only new ones are heard."""
    return json.dumps({"version": 1, "known": sorted(report.fingerprints())}, indent=1) + "\n"


def read_baseline(text: str) -> frozenset[str]:
    """The fingerprints in a baseline file's text; anything else is a `ValueError`."""
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"not a baseline file: {error}") from None
    known = data.get("known") if isinstance(data, dict) and data.get("version") == 1 else None
    if not isinstance(known, list) or not all(isinstance(k, str) for k in known):
        raise ValueError('not a baseline file: it needs "version": 1 and a list "known"')
    return frozenset(known)
