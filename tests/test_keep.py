"""Files are written whole or not at all: what a full disk, a link, a device or somebody else's folder makes of them."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import sim3d.keep
from sim3d.keep import keep, keep_text
from tests.house import HOUSE

FULL = """
import resource, sys
sys.dont_write_bytecode = True  # a translation cut off at the bound would be read by everybody after it
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
sys.argv[0] = "sim3d"
from sim3d.cli import main
main()
"""  # a disk that takes four kilobytes of a file


@pytest.mark.skipif(sys.platform == "win32", reason="the system bounds no files")
@pytest.mark.parametrize("before", [None, b"an older page"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, before: bytes | None) -> None:
    out = tmp_path / "out"
    out.mkdir()
    if before is not None:
        (out / "crate.html").write_bytes(before)
    crate = Path(__file__).parent.parent / "meshes" / "gallery" / "crate.stl"
    line = [sys.executable, "-c", FULL, "show", str(crate), "--html", "out/crate.html", "--base", "none"]
    run = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 2, run.stderr
    assert run.stderr == f"sim3d: cannot write out/crate.html: {os.strerror(errno.EFBIG)}\n"
    assert {p.name: p.read_bytes() for p in out.iterdir()} == ({} if before is None else {"crate.html": before})


def test_a_file_keeps_its_rights_and_a_new_one_gets_the_usual_ones(tmp_path: Path) -> None:
    old, new, plain = tmp_path / "old", tmp_path / "new", tmp_path / "plain"
    old.write_text("before")
    old.chmod(0o640)
    keep_text(old, "after\n")
    keep(new, b"new")
    plain.touch()
    assert old.read_bytes() == b"after\n"
    assert stat.S_IMODE(old.stat().st_mode) == stat.S_IMODE(0o640 if sys.platform != "win32" else old.stat().st_mode)
    assert new.stat().st_mode == plain.stat().st_mode
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new", "old", "plain"]


@pytest.mark.skipif(sys.platform == "win32", reason="links want rights there")
def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/file")
    keep(tmp_path / "link", b"one")  # it leads to nothing yet
    keep(tmp_path / "link", b"two")
    assert (tmp_path / "link").is_symlink()
    assert [(p.name, p.read_bytes()) for p in (tmp_path / "there").iterdir()] == [("file", b"two")]
    keep("/dev/null", b"gone")
    assert Path("/dev/null").is_char_device()


def test_a_file_that_cannot_be_replaced_is_written_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mounted(*_: Any) -> None:  # a single file that a container sees
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(sim3d.keep.os, "replace", mounted)
    file = tmp_path / "file"
    with pytest.raises(OSError, match="busy") as raised:
        keep(file, b"new")
    assert raised.value.filename == str(file)
    assert list(tmp_path.iterdir()) == []
    file.write_bytes(b"before")
    keep(file, b"after")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("file", b"after")]


def test_a_file_that_is_to_be_read_only_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"mine")
    file.chmod(0o444)
    if os.access(file, os.W_OK):
        pytest.skip("root may write everything")
    with pytest.raises(PermissionError):
        keep(file, b"yours")
    assert file.read_bytes() == b"mine"


def test_nothing_else_in_the_house_writes_files() -> None:
    """All but the caches, which have their own way, a worker's folder, the window's pictures, our own generators."""
    may = {"compiled/shelf.py", "keep.py", "spread.py", "engine/pane.py", "engine/glass.py", "report/pages.py"}
    words = (".write_bytes(", ".write_text(", 'open("w', '"wb")', '"w")')
    writes = {
        file
        for path in HOUSE.rglob("*.py")
        if not (file := path.relative_to(HOUSE).as_posix()).startswith("forge/")
        and any(word in path.read_text(encoding="utf-8") for word in words)
    }
    assert writes - may == set()
