"""Compiled loops on disk: shared by copies of the same sources, whole or not used, and never trusted to strangers."""

from __future__ import annotations

import errno
import importlib
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import pytest

from sim3d import compiled
from sim3d.compiled import shelf
from sim3d.space import Floats

PACKAGE = Path(compiled.__file__).parents[1]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="homes and permissions of POSIX")
COPIED = """
import numpy as np
from sim3d import compiled as c
target = np.zeros(3)
c.copied(np.arange(3.0), target)
print(*target, sum(c.copied.stats.cache_hits.values()), sum(c.copied.stats.cache_misses.values()), c.KEPT_IN)
"""
LARGE = """
from sim3d import compiled as c
from sim3d.compiled import shelf
shelf.LARGE = 0
@c.compiled
def doubled(value):
    return 2.0 * value
@c.compiled
def next_but_one(value):
    return doubled(value) + 1.0
"""
CALLED = (
    LARGE
    + """
print(next_but_one(3.0), *(sum(s.values()) for f in (next_but_one, doubled) for s in f.stats[1:]), c.KEPT_IN)
"""
)
HOLDS = """
import sys
import numpy as np
from sim3d import compiled as c
from sim3d.compiled import shelf
kept = c.copied._cache.save_overload
def save(sig, data):
    print("compiled", flush=True)
    sys.stdin.readline()
    kept(sig, data)
c.copied._cache.save_overload = save
c.copied(np.arange(3.0), np.zeros(3))
"""
AGAIN = LARGE + "print(c.compiled(doubled.py_func)(1.0))"
PLACE = "import sim3d.compiled as c; print(c.KEPT_IN)"


def said(code: str, **env: str) -> list[str]:
    whole = {k: v for k, v in os.environ.items() if k not in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR")} | env
    return subprocess.check_output([sys.executable, "-c", code], env=whole, text=True, cwd="/").split()


@POSIX
def test_copies_of_the_same_sources_share_what_is_compiled_and_a_torn_file_is_not_run(tmp_path: Path) -> None:
    for copy in ("one", "two"):
        shutil.copytree(PACKAGE / "compiled", tmp_path / copy / "sim3d" / "compiled")
        (tmp_path / copy / "sim3d" / "__init__.py").write_text("")
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    first = said(COPIED, PYTHONPATH=str(tmp_path / "one"), **cache)
    assert first[:5] == ["0.0", "1.0", "2.0", "0", "1"]
    assert Path(first[5]).is_relative_to(tmp_path)
    assert said(COPIED, PYTHONPATH=str(tmp_path / "two"), **cache) == [*first[:3], "1", "0", first[5]]
    (file,) = Path(first[5]).iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    assert said(COPIED, PYTHONPATH=str(tmp_path / "two"), **cache) == first
    assert said(COPIED, PYTHONPATH=str(tmp_path / "one"), **cache)[3:5] == ["1", "0"]
    checked = said(COPIED, PYTHONPATH=str(tmp_path / "one"), NUMBA_BOUNDSCHECK="1", **cache)
    assert checked[3:5] == ["0", "1"]
    assert checked[5] != first[5]
    source = tmp_path / "two" / "sim3d" / "compiled" / "shelf.py"
    source.write_text(source.read_text() + "\n# another version\n")
    other = said(COPIED, PYTHONPATH=str(tmp_path / "two"), **cache)
    assert other[3:5] == ["0", "1"]
    assert other[5] != first[5]


@POSIX
@pytest.mark.parametrize("end", ["it is there", "who compiled it is gone", "nothing comes any more"])
def test_one_process_compiles_and_others_wait_for_it(tmp_path: Path, end: str) -> None:
    where = {"PYTHONPATH": str(PACKAGE.parent), "XDG_CACHE_HOME": str(tmp_path)}
    own = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | where
    heard: dict[str, Any] = {"env": own, "text": True, "cwd": "/", "stdout": subprocess.PIPE}
    patience = f"import sim3d.compiled.shelf as s; s.PATIENCE_S = {0.5 if end.startswith('nothing') else 60.0}\n"
    told = "import logging; logging.basicConfig(level='INFO')\n"
    with subprocess.Popen([sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, **heard) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "compiled\n"
        waits = [sys.executable, "-c", told + patience + COPIED]
        with subprocess.Popen(waits, stderr=subprocess.PIPE, **heard) as second:
            assert second.stderr is not None
            assert "loops are being compiled" in second.stderr.readline()
            if end == "it is there":
                assert first.communicate("go on\n") == ("", None)
            elif end == "who compiled it is gone":
                first.kill()
            said = second.communicate()[0].split()
        first.kill()
    assert said[:3] == ["0.0", "1.0", "2.0"]
    assert said[3:5] == (["1", "0"] if end == "it is there" else ["0", "1"])


@POSIX
def test_what_makes_compiling_quicker_leaves_the_code_as_it_was(tmp_path: Path) -> None:
    made = []
    for copy, how in (("quick", "made_quicker()\n"), ("plain", "# left as it is\n")):
        shutil.copytree(PACKAGE / "compiled", tmp_path / copy / "sim3d" / "compiled")
        (tmp_path / copy / "sim3d" / "__init__.py").write_text("")
        source = tmp_path / copy / "sim3d" / "compiled" / "__init__.py"
        assert source.read_text().count("\nmade_quicker()\n") == 1
        source.write_text(source.read_text().replace("\nmade_quicker()\n", "\n" + how))
        where = {"PYTHONPATH": str(tmp_path / copy), "XDG_CACHE_HOME": str(tmp_path / copy)}
        place = said(COPIED, **where)[5]
        (file,) = Path(place).iterdir()
        read = shelf._read(file)
        assert read is not None
        made.append((file.parent.name, read[1].code, read[1].bitcode))
    quick, plain = made
    assert quick[0] != plain[0]
    assert quick[1:] == plain[1:]


def test_settings_are_equal_where_all_of_their_values_are() -> None:
    flags: Any = importlib.import_module("numba.core.compiler").Flags
    asked = [{}, {"nrt": True}, {"nrt": False}, {"nrt": True, "release_gil": True}, {"release_gil": False, "nrt": True}]
    some = []
    for values in asked:
        some.append(flags())
        for name, value in values.items():
            setattr(some[-1], name, value)
    for one in some:
        for other in some:
            assert (one == other) == (one.values() == other.values())
            assert one != other or hash(one) == hash(other)
    assert some[0] == some[2] != some[1] == some[4]


@POSIX
def test_a_large_loop_is_called_where_it_is_and_compiled_again_where_it_is_not(tmp_path: Path) -> None:
    where = {"PYTHONPATH": str(PACKAGE.parent), "XDG_CACHE_HOME": str(tmp_path)}
    hits_and_misses = {"compiled": ["7.0", "0", "1", "0", "1"], "both there": ["7.0", "1", "0", "0", "0"]}
    *first, place = said(CALLED, **where)
    assert first == hits_and_misses["compiled"]
    assert said(CALLED, **where)[:5] == hits_and_misses["both there"]
    (large,), (caller,) = Path(place).glob("*.doubled-*"), Path(place).glob("*.next_but_one-*")
    read, large_read = shelf._read(caller), shelf._read(large)
    assert read is not None
    assert large_read is not None
    assert read[1].called == ((large.name, large_read[1].apart),)
    assert large_read[1].apart not in read[1].defined
    whole = large.read_bytes()
    large.write_bytes(whole[: len(whole) // 2])
    assert said(CALLED, **where)[:5] == hits_and_misses["compiled"]
    assert large.read_bytes() == whole  # the same name in every process, and the same bytes
    large.unlink()
    assert said(CALLED, **where)[:5] == hits_and_misses["compiled"]
    assert said(CALLED, **where)[:5] == hits_and_misses["both there"]
    large.unlink()
    assert said(AGAIN, **where) == ["2.0"]  # made twice in one process: the second has another name
    assert said(CALLED, **where)[:5] == ["7.0", "0", "1", "1", "0"]
    assert said(CALLED, **where)[:5] == hits_and_misses["both there"]


def test_a_full_disk_is_said_and_costs_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    loop = compiled.lean(compiled.exchanged.py_func)  # type: ignore[attr-defined]
    monkeypatch.setattr(loop, "_cache", shelf.Loops(loop.py_func, tmp_path))

    def full(file: Path, held: bytes) -> int:
        file.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    one, other = np.zeros(2), np.ones(2)
    with caplog.at_level(logging.INFO, "sim3d"):
        loop(one, other)
    assert one.tolist() == [1, 1]
    assert f"cannot keep a compiled loop in {tmp_path}: No space left on device" in caplog.messages
    assert not list(tmp_path.iterdir())


@POSIX
def test_loops_compile_without_a_home(tmp_path: Path) -> None:
    for home in ("/dev/null/none", "/nonexistent/none"):
        told = {"HOME": home, "XDG_CACHE_HOME": "/dev/null/none", "TMPDIR": str(tmp_path)}
        place = Path(said(PLACE, **told, PYTHONPATH=str(PACKAGE.parent))[0])
        assert place.is_relative_to(tmp_path)
        assert place.stat().st_mode & 0o777 == place.parent.stat().st_mode & 0o777 == 0o700


@POSIX
def test_a_cache_that_is_said_from_where_one_is_depends_on_that_and_is_not_taken(tmp_path: Path) -> None:
    (place,) = said(PLACE, HOME=str(tmp_path), XDG_CACHE_HOME="cache", PYTHONPATH=str(PACKAGE.parent))
    assert Path(place).parent == tmp_path / ".cache" / "sim3d"


def test_a_folder_of_somebody_else_is_not_trusted_with_loops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "_home", lambda: Path("/dev/null/none"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mine = shelf._place()
    assert mine is not None
    assert mine.is_relative_to(tmp_path)
    if sys.platform == "win32":
        return
    mine.parent.chmod(0o777)  # anybody could put loops there
    assert shelf._place() is None
    mine.parent.chmod(0o700)
    mine.rename(mine.with_name("elsewhere"))
    mine.symlink_to(mine.with_name("elsewhere"))
    assert shelf._place() is None
    monkeypatch.setattr("tempfile.tempdir", "/dev/null/none")
    assert shelf._place() is None  # and then every process compiles for itself


def test_a_loop_that_holds_its_surroundings_is_refused() -> None:
    held = 3.0

    def scaled(value: float) -> float:
        return held * value

    with pytest.raises(TypeError, match="holds values of its surroundings"):
        shelf.Loops(scaled, Path())


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") == "1", reason="nothing is compiled")
def test_a_constant_that_is_handed_over_makes_no_version_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "KEPT_IN", None)

    @compiled.compiled
    def scaled(value: float, times: int, back: bool) -> float:
        return -times * value if back else times * value

    @compiled.compiled
    def both(value: float) -> float:
        return scaled(value, 2, True) + scaled(value, 3, False)

    assert both(1.5) == 1.5
    assert len(scaled.signatures) == 1  # type: ignore[attr-defined]


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") == "1", reason="nothing is compiled")
def test_a_large_loop_is_called_where_it_is_without_a_folder_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "KEPT_IN", None)
    monkeypatch.setattr(shelf, "LARGE", 0)
    before = set(shelf.READY)
    by = 2.0

    @compiled.compiled
    def more(value: float) -> float:
        return by * value

    @compiled.compiled
    def most(value: float) -> float:
        return more(value) + 1.0

    assert most(3.0) == 7.0
    (name,) = {n for n in set(shelf.READY) - before if "more" in n}
    (loop,) = most.overloads.values()  # type: ignore[attr-defined]
    (called,) = [f for f in loop.library._final_module.functions if f.name == name]
    assert called.is_declaration


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") == "1", reason="nothing is compiled")
def test_how_long_loops_are_compiled_is_summed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "KEPT_IN", None)

    @compiled.compiled
    def first(value: float) -> float:
        return value

    assert first(1.0) == 1.0  # the first in a process reads half of numba before it is compiled
    before = compiled.compiling_s()

    @compiled.compiled
    def one(value: float) -> float:
        return value + 1.0

    @compiled.compiled
    def two(value: float) -> float:
        return one(one(value))

    begun = monotonic()
    assert two(1.0) == 3.0
    taken, took = compiled.compiling_s() - before, monotonic() - begun
    assert 0.5 * took < taken <= took  # the inner one is not counted twice
    assert two(2.0) == 4.0
    assert compiled.compiling_s() - before == taken


class Weights(NamedTuple):
    """A named tuple in a named tuple, as the loops have them."""

    heavy: Floats
    many: int


class Load(NamedTuple):
    light: Floats
    weights: Weights


@compiled.compiled
def weighed(load: Load) -> float:
    return float(load.light.sum() + load.weights.many * load.weights.heavy.sum())


@compiled.compiled
def borrowed(load: Load) -> float:
    load = compiled.lent(load)
    for _ in range(3):
        load.light[0] += 1.0  # what is lent is what it was, not a copy
    return weighed(load)


@compiled.compiled
def borrowed_twice(load: Load) -> tuple[float, Weights]:
    load = compiled.lent(compiled.lent(load))
    back = compiled.unlent(compiled.unlent(load))
    return borrowed(load) + borrowed(back), Weights(back.weights.heavy.copy(), back.weights.many)


def test_a_tuple_that_is_lent_is_the_same_for_whoever_it_is_handed_to() -> None:
    load = Load(np.array([1.0, 2.0]), Weights(np.array([3.0, 4.0]), 5))
    assert weighed(load) == 38.0
    assert borrowed(load) == 41.0
    assert load.light[0] == 4.0
    assert sys.getrefcount(load.light) == sys.getrefcount(load.weights.heavy)
    both, back = borrowed_twice(load)
    assert both == 44.0 + 47.0
    assert (back.heavy.tolist(), back.many) == ([3.0, 4.0], 5)
    assert load.light[0] == 10.0
    assert sys.getrefcount(load.light) == sys.getrefcount(load.weights.heavy)


def test_no_library_of_linear_algebra_is_looked_for_before_a_loop_needs_one() -> None:
    code = """
import sys
import numba
import numpy as np
from sim3d.plane import parted_mm
square = np.array([[0.0, 0.0], [2, 0], [2, 2], [0, 2]])
parted_mm(square, square + 1.5)
print("scipy.linalg" in sys.modules)
print(numba.njit(lambda a, b: (a @ b).sum())(np.eye(2), np.ones((2, 2))), "scipy.linalg" in sys.modules)
"""
    assert said(code) == ["False", "4.0", "True"]


@pytest.mark.parametrize(
    ("file", "line", "counts"),
    [
        ("statics/rest.py", "NUDGE_DEG = 5.0", True),  # it compiles nothing, but loops hold its numbers
        ("space.py", "TOUCH_MM = 2e-4", True),
        ("plane/outline.py", "ON_OUTLINE_MM = 1e-9", True),  # a package may hand on what its files have
        ("statics/rest.py", '"""`rest()`', False),
        ("report/codes.py", "from __future__", False),
    ],
)
def test_loops_that_hold_another_number_are_others(file: str, line: str, counts: bool, tmp_path: Path) -> None:
    copy = tmp_path / "sim3d"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = shelf._sources_digest(copy)
    assert before == shelf._sources_digest()
    text = (copy / file).read_text()
    assert text.count(line) == 1
    (copy / file).write_text(text.replace(line, line.replace("= ", "= 3 * ") if counts else line + " "))
    assert (shelf._sources_digest(copy) != before) == counts
