"""Answers kept on disk by what they depend on: the same question is never computed twice, a killed run goes on.

Plain text in SQLite; two runs at once share it. Whatever is wrong with the file, the work goes on without it, aloud.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

NAME = "answers.sqlite"
WAIT_SECONDS = 30.0  # for another run that writes
DAMAGED = "the file is damaged"
FORM = 2  # of what is kept; another number is another table


def usual_folder() -> Path:
    """Where answers are kept when nobody says where: the user's own cache."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "sim3d"
    caches = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (caches if caches.is_absolute() else Path.home() / ".cache") / "sim3d"


def question(call: str, told: Mapping[str, Any], contents: Mapping[str, str], code: str) -> str:
    """The name of a question: its call, what it was told, what its files contain, and the code that answers."""
    asked = json.dumps([call, told, dict(contents), code], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(asked.encode()).hexdigest()


def seal(key: str, text: str) -> str:
    """What is kept beside an answer's text: where a disk changes either, the two no longer fit."""
    return hashlib.sha256(f"{key} {text}".encode()).hexdigest()


class Store:
    """Answers by their question. `said` hears, once, why the store is of no use."""

    def __init__(self, folder: Path | None, said: Callable[[str], None]) -> None:
        self._said = said
        self._path = None if folder is None else folder / NAME
        self._open: sqlite3.Connection | None = None
        self._doubted = False  # an answer in it was none: said once
        if self._path is not None:
            try:
                self._open = _opened(self._path)
            except sqlite3.DatabaseError as error:
                self._open = self._afresh(error)
            except OSError as error:
                said(f"answers cannot be kept in {self._path.parent}: {error.strerror or error}")

    def get(self, key: str, fits: Callable[[Any], bool] = lambda _: True) -> Any:
        """The answer, or None; one that does not fit is said, and is none."""
        if self._open is None:
            return None
        wanted = f"SELECT answer, seal FROM answers{FORM} WHERE question = ?"
        try:
            with _worded():
                row = self._open.execute(wanted, (key,)).fetchone()
        except sqlite3.DatabaseError as error:
            self._given_up(error)
            return None
        if row is None:
            return None
        try:
            answer = json.loads(row[0]) if row[1] == seal(key, row[0]) else None
        except (TypeError, ValueError, RecursionError):  # somebody else wrote there
            answer = None
        if answer is not None and fits(answer):
            return answer
        if not self._doubted:
            self._said(f"{self._path}: an answer in it is none that sim3d gave; what it was of is looked at again")
        self._doubted = True
        return None

    def put(self, key: str, answer: Any) -> None:
        """Keep an answer, at once: a run killed a moment later has it."""
        if self._open is None:
            return
        try:
            with _worded(), self._open:
                text = json.dumps(answer)
                told = (key, text, seal(key, text))
                self._open.execute(f"INSERT OR REPLACE INTO answers{FORM} VALUES (?, ?, ?)", told)
        except sqlite3.DatabaseError as error:
            self._given_up(error)

    def close(self) -> None:
        """Let go of the file."""
        if self._open is not None:
            with suppress(sqlite3.DatabaseError):  # what was kept is kept already
                self._open.close()
            self._open = None

    def _given_up(self, error: Exception) -> None:
        self._said(f"{self._path}: {error}; this run goes on without keeping its answers")
        self.close()

    def _afresh(self, error: Exception) -> sqlite3.Connection | None:
        """A broken store is put aside and a new one begun."""
        assert self._path is not None
        if isinstance(error, sqlite3.OperationalError):  # no disk space, no permission, locked: nothing is broken
            self._said(f"{self._path}: {error}; this run goes on without keeping its answers")
            return None
        aside = self._path.with_suffix(".broken")
        self._said(f"{self._path}: {error}; it is put aside as {aside.name} and a new one begun")
        try:
            self._path.replace(aside)
            return _opened(self._path)
        except (OSError, sqlite3.DatabaseError) as again:
            self._said(f"answers cannot be kept: {again}")
            return None


@contextmanager
def _worded() -> Iterator[None]:
    """What is said of a damaged file quotes it, and need not be text."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError(DAMAGED) from error


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # what somebody validates is nobody else's to read
    opened = sqlite3.connect(path, timeout=WAIT_SECONDS)
    try:
        with _worded(), opened:
            opened.execute(
                f"CREATE TABLE IF NOT EXISTS answers{FORM} (question TEXT PRIMARY KEY, answer TEXT NOT NULL,"
                " seal TEXT NOT NULL)"
            )
            if opened.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise sqlite3.DatabaseError(DAMAGED)
    except BaseException:
        opened.close()
        raise
    return opened
