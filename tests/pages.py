"""The examples of the docs: fenced blocks as somebody who follows a page would type them, in order, in one folder.

`console`: lines after `$ ` are run, what follows is what they print, `...` stands for anything. `python`: run in one
session a page. `toml` under a line that ends in "`name.toml`:" is written to that name. `sh` is for what takes minutes,
the network or a screen: it is not run, only `SELDOM` may stand there, and its options must exist. `text` is shown.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer

from sim3d.cli import app
from tests.commands import sim3d
from tests.house import HOUSE

ROOT = Path(__file__).parent.parent
KINDS = {"console", "python", "toml", "sh", "text"}
SELDOM = ("make ", "git clone ", "cd ", "python3 -m venv ", ". .venv/", "pip install ", "python benchmarks/", "sim3d ")
SHELL = re.compile(r"[|<>;&$]")
SAVED = re.compile(r"`([\w-]+\.toml)`:$")
MATCH = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its kind, its text, the line it begins at, the last line of prose before it."""

    kind: str
    text: str
    line: int
    before: str


def pages() -> list[Path]:
    """The README and every page of docs; what is generated from code and files is held fresh elsewhere."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    before, kind, start, held = "", None, 0, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```") and kind is None:
            kind, start, held = line[3:].strip(), number, []
        elif line.startswith("```"):
            yield Block(kind, "\n".join(held) + "\n", start, before)
            kind = None
        elif kind is not None:
            held.append(line)
        elif line.strip():
            before = line.strip()
    assert kind is None, f"{page.name}:{start}: a fence that does not end"


def steps_of(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it is said to print."""
    steps: list[tuple[str, str]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], ""))
        elif steps and steps[-1][0].endswith("\\"):
            steps[-1] = (steps[-1][0][:-1] + line.strip(), "")
        else:
            assert steps, f"a console block begins with a command, not {line!r}"
            steps[-1] = (steps[-1][0], steps[-1][1] + line + "\n")
    return steps


def ran(command: str, folder: Path) -> tuple[int, str]:
    """A command's exit code and everything it prints; `sim3d` alone runs in this process, which is sooner."""
    words = shlex.split(command, comments=True)
    if words[0] == "sim3d" and not SHELL.search(command):
        done = sim3d(*words[1:])
        return done.exit_code, done.output
    env = dict(os.environ, PYTHONPATH=str(ROOT), PATH=f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
    whole = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return whole.returncode, whole.stdout


def laid_out(folder: Path) -> None:
    """A checkout as a reader has it: the sample meshes and scenarios, and `sim3d` on the path."""
    for name in ("meshes", "scenarios", "benchmarks"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "bin").mkdir()
    command = folder / "bin" / "sim3d"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sim3d "$@"\n', encoding="utf-8")
    command.chmod(0o755)


def followed(page: Path, folder: Path) -> list[str]:
    """Everything that did not go as a page says, with its line; read in a folder that was `laid_out`."""
    wrong: list[str] = []
    session: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        if block.kind not in KINDS:
            wrong.append(f"{where}: a block of kind {block.kind!r}; there are {', '.join(sorted(KINDS))}")
        elif block.kind == "console":
            for command, said in steps_of(block.text):
                code, heard = ran(command, folder)
                if code > 1 and not said.startswith("sim3d: "):  # 0 and 1 are answers, 2 is misuse
                    wrong.append(f"{where}: $ {command}\nexit code {code}\n{heard}")
                elif said and not same(said, heard):
                    wrong.append(f"{where}: $ {command}\nsays\n{heard}instead of\n{said}")
        elif block.kind == "python":
            wrong += _python(block, where, session)
        elif block.kind == "toml" and (name := SAVED.search(block.before)):
            (folder / name[1]).write_text(block.text, encoding="utf-8")
        elif block.kind == "sh":
            unknown = [line for line in block.text.splitlines() if line and not line.startswith(SELDOM)]
            wrong += [f"{where}: nobody runs {line!r}; make it a console block" for line in unknown]
    return wrong


AFAR = re.compile(r"^sim3d: .*: [\d,]+ of [\d,]+, about .* left\n", re.MULTILINE)


def same(said: str, heard: str) -> bool:
    """Whether a command printed what a page says; `...` is anything, runs of blanks are one.

    How far long work is, is not looked at: a reader's terminal shows a bar, a slow machine a line every now and then.
    """
    return doctest.OutputChecker().check_output(said, AFAR.sub("", heard), MATCH)


def _python(block: Block, where: str, session: dict[str, object]) -> list[str]:
    padding = "\n" * block.line  # so that a traceback names the page's own line
    try:
        exec(compile(padding + block.text, where.partition(":")[0], "exec", dont_inherit=True), session)
    except Exception as error:  # noqa: BLE001 - whatever an example of ours raises is what a reader meets
        return [f"{where}: {type(error).__name__}: {error}"]
    return []


# --- options ----------------------------------------------------------------------------------------------------------

SPOKEN = re.compile(r"`(sim3d [^`\n]*)`")


def unknown_options(page: Path) -> list[str]:
    """Verbs and options that a page names, in its text or in what nobody runs, and the command line does not have."""
    command = typer.main.get_command(app)
    said = SPOKEN.findall(page.read_text(encoding="utf-8"))
    said += [line for b in blocks(page) if b.kind == "sh" for line in b.text.splitlines() if line.startswith("sim3d ")]
    wrong = []
    for line in said:
        words = re.split(r"\s+#|[|><]", line)[0].replace("…", " ").split()[1:]
        verb = command.commands.get(words[0]) if words and words[0][0].isalpha() else command
        if verb is None:
            wrong.append(f"sim3d {words[0]}")
            continue
        known = {name for option in verb.params for name in option.opts} | {"--help", "-h"}
        name = "sim3d" if verb is command else f"sim3d {words[0]}"
        wrong += [f"{name} {word}" for word in words if word.startswith("-") and word[1:2] != "" and word not in known]
    return wrong


# --- links ------------------------------------------------------------------------------------------------------------

LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    found: dict[str, int] = {}
    names = set()
    fenced = False
    for line in page.read_text(encoding="utf-8").splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            words = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            n = found.get(words, 0)
            found[words] = n + 1
            names.add(f"{words}-{n}" if n else words)
    return names


def dead_links(page: Path) -> list[str]:
    """Links of a page to files or headings that are not there."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8"))
    wrong = []
    for target in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if there.is_relative_to(ROOT / "sim3d"):  # where a wheel is tested the sources are elsewhere
            there = HOUSE / there.relative_to(ROOT / "sim3d")
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            wrong.append(f"{page.name}: {target}")
    return wrong
