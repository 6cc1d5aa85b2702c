"""What the command line says, and how it ends: data on stdout, all else on stderr in one line that says what to do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, NamedTuple, NoReturn

import typer

if TYPE_CHECKING:
    from sim3d.finding import Refused
    from sim3d.mini import Base
    from sim3d.table import Table

YES, NO, MISUSE = 0, 1, 2
EVERY_S = 20.0  # so often long work says how far it is where no bar is seen


def fail(message: str) -> NoReturn:
    """Say what is wrong and what to do, in one line, and end: misuse."""
    aside(message)
    raise typer.Exit(MISUSE)


def refuse(refused: Refused) -> NoReturn:
    """Say every finding of a file that cannot be read, and end: misuse."""
    for finding in refused.report:
        note(str(finding))
    raise typer.Exit(MISUSE)


def aside(text: str) -> None:
    """Something worth knowing that is no data."""
    note(f"sim3d: {text}")


def note(text: str) -> None:
    """One line on stderr, whatever names and words of strangers are in it."""
    from sim3d.finding import spoken

    typer.echo(spoken([text]), nl=False, err=True)


def tell(text: str) -> None:
    """A report for people, on stdout: its lines as they are, and nothing in them that a terminal or a build obeys."""
    from sim3d.finding import spoken

    typer.echo(spoken(text.removesuffix("\n").split("\n")), nl=False)


def doubt(about: Table | Base) -> None:
    """Say what is doubtful about the meshes of a table or a base, each once: a verdict on a crumb is about a crumb."""
    from sim3d.report.doubting import doubts_of

    for finding in doubts_of(about):
        if (text := str(finding)) not in _Aside.said:
            _Aside.said.add(text)
            note(text)


class _Aside(logging.Handler):
    """What the house tells while it works, as something worth knowing; once, however many processes tell it."""

    said: ClassVar[set[str]] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """One record, one line."""
        if (text := record.getMessage()) not in self.said:
            self.said.add(text)
            aside(text)


def listen() -> None:
    """From now on say what the house tells while it works."""
    told = logging.getLogger("sim3d")
    told.setLevel(logging.INFO)
    if not told.handlers:
        told.addHandler(_Aside())


def room_for(path: Path) -> None:
    """Refuse a place where nothing can be written, before anybody waits for what is to be written there."""
    import os

    if path == Path("-"):
        fail("cannot write -: it names no file; the output is /dev/stdout")
    if path.is_dir():
        fail(f"cannot write {path}: it is a folder")
    folder = path.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        fail(f"cannot write {path}: {folder} is not a folder")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        fail(f"cannot write {path}: that is not allowed here")


def a_picture(png: Path | None) -> None:
    """Refuse a name by which nobody could open a picture."""
    if png is not None and png.suffix.lower() != ".png":
        fail(f"--png {png}: a picture is a PNG; let its name end in .png")


def room_in(folder: Path) -> None:
    """Refuse a folder in which nothing can be written, before anybody waits for what is to be written there."""
    if folder.exists() and not folder.is_dir():
        fail(f"cannot write into {folder}: it is not a folder")
    room_for(folder / "report.json")


def named(text: str) -> Path:
    """A path that somebody named: no text at all would mean the folder they happen to be in."""
    if not text:
        fail("the name of a file or folder is empty; for the folder you are in say .")
    return Path(text)


def write(path: Path, data: bytes) -> None:
    """A file somebody asked for, its folder too; said on stderr."""
    if not kept(path, data):
        raise typer.Exit(MISUSE)


def kept(path: Path, data: bytes) -> bool:
    """Write a file somebody asked for, its folder too, and say so on stderr, or why it cannot be; whether it is."""
    from sim3d.keep import keep

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        keep(path, data)
    except OSError as error:
        aside(f"cannot write {path}: {error.strerror}")
        return False
    note(f"wrote {path}")
    return True


class Bar(NamedTuple):
    """What moves a progress bar: a step, or how far it is of how much."""

    step: Callable[[], None]
    upto: Callable[[int, int], None]

    def __call__(self) -> None:
        """A step."""
        self.step()


class _Lines:
    """Progress where nobody sees a bar, in a file or a log: now and then a line."""

    def __init__(self, what: str, total: int) -> None:
        from sim3d.compiled import compiling_s

        self.what, self.total, self.done = what, total, 0
        self.begun = self.said = monotonic()
        self.compiling_s, self.before = compiling_s, compiling_s()

    def step(self) -> None:
        self.upto(self.done + 1, self.total)

    def upto(self, done: int, of: int) -> None:
        self.done, self.total = done, of
        now = monotonic()
        if now - self.said >= EVERY_S and 0 < done < of:
            self.said = now
            worked = now - self.begun - (self.compiling_s() - self.before)  # compiling is done but once
            left = max(worked, 0.0) * (of - done) / done
            soon = f"{left:.0f} s" if left < 100 else f"{left / 60:.0f} min"
            aside(f"{self.what}: {done:,} of {of:,}, about {soon} left")


@contextmanager
def progress(what: str, total: int) -> Iterator[Bar]:
    """A bar on stderr for work that takes more than a moment; where that is no terminal, a line now and then."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        lines = _Lines(what, total)
        yield Bar(lines.step, lines.upto)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield Bar(lambda: bar.advance(task), lambda done, of: bar.update(task, completed=done, total=of))
