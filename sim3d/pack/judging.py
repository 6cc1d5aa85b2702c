"""`validate()`: every piece of a pack looked at, wherever the work runs; what cannot be looked at is a finding, too."""

from __future__ import annotations

import hashlib
import json
import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sim3d.finding import Finding, Hit, Policy, Refused, Report, Severity, check, plain
from sim3d.form.where import pointer_of
from sim3d.pack.manifest import called
from sim3d.pack.pack import Member, Pack
from sim3d.pack.store import Store, question
from sim3d.pack.tables import CALL as TABLE
from sim3d.pack.target import FOUNDRY_FILE, TARGETS, target_module_file
from sim3d.pack.verdict import (
    Judged,
    Validation,
    figures_of,
    finding_of,
    is_answer,
    report_of,
    validation_of,
)
from sim3d.solid import Limits
from sim3d.solid.guard import neighbour, read_bytes
from sim3d.spread import MEMORY_MB, SECONDS, Failure, Task, code_digest, spread

PACK_SEVERITY = {"MESH_OPEN": Severity.WARNING}  # a mesh to stand on may be open, one to print may not
FORM, STANDING = "sim3d.pack.looking:form", "sim3d.pack.looking:standing"


@dataclass(frozen=True, slots=True)
class How:
    """Where and how hard to look."""

    workers: int = 1
    scheduler: str | None = None
    seconds: float = SECONDS
    memory_mb: int = MEMORY_MB
    audit: int = 0  # placements of each base that an engine is asked about, over the whole pack
    standing: bool = True
    more: tuple[str, ...] = ()  # words of the command line that change what is looked at, for commands in messages
    limits: Limits = field(default_factory=Limits)


@check("WORK_CRASHED", Severity.ERROR, "{what}: {why}; to see it again: {command}")
def work_crashed(what: str, why: str, command: str) -> Iterable[Hit]:
    """The process that looked at the piece died, twice.

    Why: a mesh or a library broke it; the piece could not be judged, and the others were. Example: a signal 11.
    Do: run the command of the message, and tell us what it says.
    """
    yield Hit(what=what, why=why, command=command)


@check("WORK_TIMED_OUT", Severity.ERROR, "{what}: {why}; to see it again: {command}")
def work_timed_out(what: str, why: str, command: str) -> Iterable[Hit]:
    """Looking at the piece took longer than it may.

    Why: it could not be judged, and others waited. Example: a mesh of millions of triangles at a fine pitch.
    Do: decimate the mesh, take a wider pitch, or allow more with `--timeout`.
    """
    yield Hit(what=what, why=why, command=command)


@check("WORK_NO_MEMORY", Severity.ERROR, "{what}: {why}; to see it again: {command}")
def work_no_memory(what: str, why: str, command: str) -> Iterable[Hit]:
    """Looking at the piece took more memory than it may.

    Why: it could not be judged. Example: a sculpted mesh of eight million triangles. Do: decimate the mesh, or allow
    more with `--memory`.
    """
    yield Hit(what=what, why=why, command=command)


@check("WORK_FAILED", Severity.ERROR, "{what}: {why}; to see it again: {command}")
def work_failed(what: str, why: str, command: str) -> Iterable[Hit]:
    """Looking at the piece ended in an error of ours.

    Why: it could not be judged. Example: a bug in sim3d. Do: run the command of the message, and tell us what it says.
    """
    yield Hit(what=what, why=why, command=command)


@check("WORK_NOT_DONE", Severity.ERROR, "{what}: the run was interrupted before; run it again, it goes on from here")
def work_not_done(what: str) -> Iterable[Hit]:
    """The run was stopped before it came to this piece.

    Why: it was not judged, so nothing can be said of it. Example: Ctrl-C, half way. Do: run the same command again.
    """
    yield Hit(what=what)


FAILED = {"crashed": work_crashed, "timed-out": work_timed_out, "no-memory": work_no_memory, "raised": work_failed}


@dataclass(frozen=True, slots=True)
class Question:
    """One look at one piece: `what` names it in messages."""

    piece: int
    what: str
    size: int  # bytes of its files
    task: Task


def validate(
    pack: Pack,
    *,
    how: How | None = None,
    store: Store | None = None,
    only: Callable[[str], bool] | None = None,
    told: Callable[[int, int], None] | None = None,
) -> Validation:
    """Every piece (`only`: those of these names) looked at; `told` hears how many looks are done of how many."""
    how = how or How()
    members = tuple(m for m in pack.members if only is None or only(m.name))
    questions: list[Question] = []
    refused: dict[int, Report] = {}
    for i, member in enumerate(members):
        try:
            questions += _questions(pack, member, i, how, len(members))
        except Refused as no:
            refused[i] = no.report
    answers, interrupted = _answered(questions, how, store or Store(None, lambda _: None), told)
    pieces = [
        _judged(pack, member, how, [(q, answers.get(q.task.key)) for q in questions if q.piece == i], refused.get(i))
        for i, member in enumerate(members)
    ]
    return Validation(
        name=pack.name,
        kind="pack",
        manifest=pack.manifest,
        pieces=tuple(pieces),
        report=pack.findings + _beside(pack),
        bases=called(pack.use.bases) if how.standing else (),
        interrupted=interrupted,
        at=shown_folder(pack.folder),
    )


def validate_table_file(path: Path, *, bases: tuple[str, ...], how: How | None = None, call: str = TABLE) -> Validation:
    """A table file looked at, where the work runs as for a piece of a pack; `Refused` where it cannot be read.

    `call` names what a worker does, for a file that more than a table may stand in.
    """
    how = how or How()
    name = plain(path.name)  # bytes in it that are no text stand in no report
    told = {"path": str(path.absolute()), "shown": path.as_posix(), "name": name, "bases": bases}
    limits: dict[str, Any] = {"seconds": how.seconds, "memory_mb": how.memory_mb}
    (done,) = spread([Task("table", call, told)], workers=min(how.workers, 1), **limits)
    if done.failure is not None:
        command = _command(name, [*how.more, "--workers", "0"])
        failed = FAILED[done.failure.kind].hit(file=name, what="it", why=done.failure.why, command=command)
        return Validation(name, "table", name, (), Report((failed,)), bases, interrupted=True)
    if "refused" in done.value:
        raise Refused(*report_of(done.value["refused"]))
    return replace(validation_of(done.value), at=shown_folder(path.parent))


def _command(name: str, more: Iterable[str]) -> str:
    """A command as a shell takes it, whatever characters are in the names."""
    return shlex.join(["sim3d", "validate", f"./{name}" if name.startswith("-") else name, *more])


def shown_folder(folder: Path) -> str:
    """A folder as reports may show it: as it was written, unless that names a place of this machine."""
    absolute = folder.is_absolute() or ".." in folder.parts
    return "" if absolute or folder == Path() else plain(folder.as_posix())


def _beside(pack: Pack) -> Report:
    """What the folder lacks for a target."""
    there = (pack.folder / FOUNDRY_FILE).is_file()
    if "foundry" not in pack.head.target:
        return Report()
    return Report(target_module_file(there, TARGETS["foundry"], file=pack.manifest))


def _questions(pack: Pack, member: Member, number: int, how: How, many: int) -> Iterator[Question]:
    """The looks at one piece; `Refused` where its file cannot even be opened."""
    files = _files(pack, member, how.limits)
    contents = {name: hashlib.sha256(data).hexdigest() for name, (_, data) in files.items()}
    paths = {name: path for name, (path, _) in files.items()}
    size = sum(len(data) for _, data in files.values())
    told: dict[str, Any] = {
        "name": member.name,
        "file": member.file,
        "said": dict(member.said),
        "head": pack.head.model_dump_json(),
        "use": pack.use.model_dump_json(),
        "print": pack.print.model_dump_json(),
        "limits": {"max_bytes": how.limits.max_bytes, "max_triangles": how.limits.max_triangles},
        "contents": contents,
    }

    def ask(what: str, call: str, more: Mapping[str, Any]) -> Question:
        asked = told | dict(more)
        return Question(number, what, size, Task(question(call, asked, contents, code_digest()), call, asked, paths))

    yield ask("its shape", FORM, {})
    if how.standing:
        trodden = member.said.get("role", "terrain") in ("terrain", "scatter")
        share = how.audit * (number + 1) // many - how.audit * number // many
        for base in called((*(pack.use.bases if trodden else ()), *expected_bases(member.said))):
            yield ask(f"where a base {base} stands", STANDING, {"base": base, "audit": share})


def expected_bases(said: Mapping[str, Any]) -> tuple[str, ...]:
    """The bases that a piece promises something to."""
    expect = said.get("expect", {})
    return (*expect.get("room", ()), *(zone["base"] for zone in expect.get("stand", ())))


def _files(pack: Pack, member: Member, limits: Limits) -> dict[str, tuple[Path, bytes]]:
    """The mesh and what it reads beside itself, by their names from the pack's folder."""
    path = pack.path(member)
    data = read_bytes(path, limits=limits)
    files = {member.file: (path, data)}
    if path.suffix.lower() == ".gltf":
        for uri in _buffer_uris(data):
            try:
                beside = neighbour(path, uri)
                name = beside.relative_to(pack.folder.resolve()).as_posix()
                files[name] = (beside, read_bytes(beside, limits=limits))
            except (Refused, ValueError):
                continue  # reading the mesh refuses it, and says why
    return files


def _buffer_uris(data: bytes) -> Iterator[str]:
    try:
        buffers = json.loads(data).get("buffers", [])
        uris = [buffer.get("uri", "") for buffer in buffers]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return  # reading the mesh says what is wrong with it
    yield from (uri for uri in uris if isinstance(uri, str) and uri and not uri.startswith("data:"))


def _answered(
    questions: Sequence[Question], how: How, store: Store, told: Callable[[int, int], None] | None
) -> tuple[dict[str, Any], bool]:
    """The answer to every question by its key, a `Failure` where there is none; and whether somebody stopped it."""
    answers: dict[str, Any] = {}
    asked: dict[str, Task] = {}
    for q in sorted(questions, key=lambda q: -q.size):  # a large one that comes last would be waited for alone
        known = store.get(q.task.key, is_answer)
        if known is None:
            asked.setdefault(q.task.key, q.task)
        else:
            answers[q.task.key] = known
    dear = _Dear(questions, answers)
    total = len(answers) + len(asked)
    say = told or (lambda done, of: None)
    say(len(answers), total)
    where: dict[str, Any] = {"workers": how.workers, "scheduler": how.scheduler}
    work = spread(list(asked.values()), **where, seconds=how.seconds, memory_mb=how.memory_mb, cost=dear.cost)
    try:
        with closing(work):
            for done in work:
                if done.failure is None:
                    store.put(done.key, done.value)  # a failure is tried again next time
                answers[done.key] = done.value if done.failure is None else done.failure
                say(len(answers), total)
    except KeyboardInterrupt:
        return answers, True
    return answers, False


class _Dear:
    """How dear looks are: shapes first, and soon told; with them the area of each piece, over which a base is set down.

    `answers` are those that are there, by their keys; more come.
    """

    def __init__(self, questions: Sequence[Question], answers: Mapping[str, Any]) -> None:
        self._shapes = {q.piece: q.task.key for q in questions if q.task.call == FORM}
        self._pieces = {q.task.key: q.piece for q in questions}
        self._answers = answers

    def cost(self, task: Task) -> float:
        """Endless for a shape, else mm² of the piece; 0 while they are not known."""
        if task.call == FORM:
            return math.inf
        shape = self._answers.get(self._shapes.get(self._pieces[task.key], ""))
        extents = shape.get("facts", {}).get("extents_mm") if isinstance(shape, Mapping) else None
        if not isinstance(extents, list | tuple) or len(extents) != 3:  # not there yet; a store's may say anything
            return 0.0
        return float(extents[0] * extents[1])


def _judged(pack: Pack, member: Member, how: How, heard: list[tuple[Question, Any]], refused: Report | None) -> Judged:
    findings: list[Finding] = []
    facts: Mapping[str, Any] = {}
    figures = []
    whole = True
    if refused is not None:
        findings += [replace(f, file=member.file) for f in refused]
    for q, answer in heard:
        if answer is None or isinstance(answer, Failure):
            whole = False
            findings.append(_failed(pack, member, q, how, answer))
            continue
        base = q.task.told.get("base")
        found = [finding_of(f, file=member.file) for f in answer["findings"]]
        if base is not None:  # so that a baseline tells bases apart, and promised places
            found = [replace(f, pointer=pointer_of(("base", base)) + f.pointer) for f in found]
        findings += found
        facts = answer.get("facts", facts)
        if answer.get("figures"):
            figures.append(figures_of(answer["figures"]))
    report = Report(tuple(findings))
    return Judged(member.name, member.file, facts, tuple(figures), report, whole, member.line, member.pointer)


def _failed(pack: Pack, member: Member, q: Question, how: How, failure: Failure | None) -> Finding:
    if failure is None:
        return work_not_done.hit(file=member.file, what=q.what)
    more = ["--piece", member.name, *how.more, "--workers", "0", "--no-store"]
    command = _command(pack.folder.resolve().name, more)
    return FAILED[failure.kind].hit(file=member.file, what=q.what, why=failure.why, command=command)


def heard(validation: Validation, policy: Policy) -> Validation:
    """The validation as somebody wants to hear it; why a piece could not be read or judged is heard in any case."""
    policy = replace(policy, severity=PACK_SEVERITY | dict(policy.severity))

    def of(report: Report, *, unread: bool) -> Report:
        kept = (
            (f,) if _always(f, unread=unread) else Report((f,)).under(policy).findings for f in report
        )  # fmt: skip
        return Report(tuple(f for some in kept for f in some))

    pieces = tuple(replace(p, report=of(p.report, unread=not p.facts)) for p in validation.pieces)
    return replace(validation, pieces=pieces, report=of(validation.report, unread=False))


def _always(finding: Finding, *, unread: bool) -> bool:
    return finding.severity == Severity.ERROR and (unread or finding.code.startswith("WORK_"))
