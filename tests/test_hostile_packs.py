"""Packs from strangers who mean harm: each gets a verdict and reports that say why; nothing outside is opened.

Each pack lies beside a folder of secrets. What is opened is heard from the interpreter itself, so that a link, a path
or a buffer that leads out is noticed even where nothing of it is shown.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sim3d.finding import Refused, unprintable
from sim3d.forge.bad import glb, gltf, gltf_parts, model_xml, obj, ply, stl, threemf
from sim3d.pack import read_pack
from sim3d.pack.folder import DEEPEST, MOST_MESHES, pack_too_many
from sim3d.pack.pack import MOST_GLOBS
from sim3d.table import Table
from sim3d.view.page import page_of
from sim3d.view.scene import Moment, Scene, Story, Told
from tests.codes import fires, silent
from tests.commands import sim3d
from tests.house import HOUSE
from tests.packs import HEAD, shapes_of
from tests.test_report_validation import SARIF

SECRET = b"solid the secret of the house\nfacet normal 0 0 1\n"
opened: list[str] = []  # while somebody listens


def _listen(event: str, told: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(told[0], str | bytes):
        opened.append(os.path.realpath(os.fsdecode(told[0])))


@pytest.fixture(scope="module", autouse=True)
def _ears() -> None:
    """A hook of the interpreter cannot be taken out again: it is put in once, and only for these tests."""
    sys.addaudithook(_listen)


@dataclass
class Place:
    """Where a pack lies, and what lies beside it."""

    home: Path

    @property
    def pack(self) -> Path:
        """The pack's folder."""
        return self.home / "pack"

    def put(self, name: str, data: bytes | str) -> None:
        """A file of the pack."""
        path = self.pack / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())

    def manifest(self, text: str = "", head: str = HEAD) -> None:
        """Its manifest."""
        self.put("pack.toml", head + text)

    def link(self, name: str, to: str) -> None:
        """A link of the pack."""
        path = self.pack / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(to)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty pack beside a folder of secrets."""
    made = Place(tmp_path / "home")
    made.pack.mkdir(parents=True)
    secrets = made.home / "secrets"
    secrets.mkdir()
    for name in ("secret.stl", "secret.bin", "known.json", "pack.toml"):
        (secrets / name).write_bytes(SECRET)
    return made


# --- the packs: what is in each, and what must be said of it ----------------------------------------------------------

Hostile = Callable[[Place], tuple[str, ...]]
PACKS: dict[str, Hostile] = {}


def hostile(make: Hostile) -> Hostile:
    """One more."""
    PACKS[make.__name__] = make
    return make


@hostile
def paths_that_lead_out(p: Place) -> tuple[str, ...]:
    names = [
        "../secrets/secret.stl",
        "a/../../secrets/secret.stl",
        "/etc/passwd",
        "C:\\\\secret.stl",
        "\\\\\\\\host\\\\x.stl",
    ]
    p.manifest("".join(f'[piece.p{i}]\nfile = "{name}"\n' for i, name in enumerate(names)))
    return ("MANIFEST_OUTSIDE",) * 5 + ("PACK_EMPTY",)


@hostile
def links_that_lead_out(p: Place) -> tuple[str, ...]:
    p.put("good.stl", stl())
    p.link("a.stl", "../secrets/secret.stl")
    p.link("deep/b.stl", str(p.home / "secrets" / "secret.stl"))
    p.link("within.stl", "good.stl")
    return ("PACK_FILE_OUTSIDE", "PACK_FILE_OUTSIDE")


@hostile
def links_that_the_manifest_names(p: Place) -> tuple[str, ...]:
    p.link("a.stl", "../secrets/secret.stl")
    p.link("way", "../secrets")
    p.manifest('[piece.a]\nfile = "a.stl"\n[piece.b]\nfile = "way/secret.stl"\n')
    return ("PACK_FILE_OUTSIDE", "PACK_FILE_OUTSIDE", "MANIFEST_OUTSIDE", "MANIFEST_OUTSIDE", "PACK_EMPTY")


@hostile
def links_to_devices_to_nowhere_and_to_themselves(p: Place) -> tuple[str, ...]:
    p.link("zeros.stl", "/dev/zero")
    p.link("memory.stl", "/proc/self/mem")
    p.link("gone.stl", "gone")
    p.link("loop.stl", "loop.stl")
    return ("PACK_FILE_OUTSIDE", "PACK_FILE_OUTSIDE", "FILE_MISSING", "FILE_UNREADABLE")


@hostile
def zip_bombs(p: Place) -> tuple[str, ...]:
    zeros = threemf(b"\0" * 20_000_000, compression=zipfile.ZIP_DEFLATED)
    assert len(zeros) < 50_000
    p.put("zeros.3mf", zeros)
    laughs = '<!DOCTYPE m [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    p.put("laughs.3mf", threemf(model_xml().replace("<model", laughs + "<model", 1)))
    p.put("many.3mf", threemf(more=[(f"{n}", b"") for n in range(10_001)]))
    return ("ZIP_BOMB", "XML_DOCTYPE", "FILE_MALFORMED")


@hostile
def markup_in_names(p: Place) -> tuple[str, ...]:
    p.put("<img src=x onerror=alert(1)>.stl", b"x")
    p.put("&lt;b&gt;[a](javascript:alert(1)){0}.stl", b"x")
    p.manifest(head='[pack]\nid = "x"\nname = "</script><script>alert(1)</script>"\nunits = "mm"\nup = "z"\n')
    return ("STL_TRUNCATED", "STL_TRUNCATED")


@hostile
def formulas_and_orders_in_names(p: Place) -> tuple[str, ...]:
    names = [
        "=HYPERLINK(1)",
        "@SUM(1)",
        "-1+1|x!A0",
        "+1",
        "::error::x",
        "##vso[task.x]y",
        ":::error::y",
        "@team",
        "%0A",
    ]
    for i in range(len(names)):
        p.put(f"{i}.stl", b"x")
    p.manifest("".join(f'[piece."{name}"]\nfile = "{i}.stl"\n' for i, name in enumerate(names)))
    return ("STL_TRUNCATED",) * len(names)


@hostile
def numbers_beyond_all_bounds(p: Place) -> tuple[str, ...]:
    p.put("huge.obj", obj().replace(b"v 10 10 10", b"v 1e308 1e308 1e308"))
    p.put("more.obj", obj().replace(b"v 10 10 10", b"v 1e999 nan -inf"))
    p.put("tiny.obj", obj().replace(b"10", b"1e-320"))
    return ("MESH_OUTLIER", "MESH_NOT_FINITE", "MESH_EMPTY")


@hostile
def ten_thousand_pieces(p: Place) -> tuple[str, ...]:
    for i in range(10_000):
        (p.pack / f"{i}.stl").touch()
    return ("FILE_EMPTY",) * 10_000


@hostile
def globs_that_never_end(p: Place) -> tuple[str, ...]:
    p.put("a" * 200 + ".stl", stl())
    globs = ["**/**/**/**/**/*", "*a" * 40 + "b", "[" * 90, "[!]", "[z-a]*", "?" * 90, "*.stl"]
    p.manifest("".join(f'[piece."{glob}"]\n' for glob in globs))
    return ("MANIFEST_FILE_MISSING",) * 6


@hostile
def files_that_cannot_be_read(p: Place) -> tuple[str, ...]:
    os.mkfifo(p.pack / "pipe.stl")
    (p.pack / "folder.stl").mkdir()
    p.put("page.stl", "<!DOCTYPE html><html>")
    p.put("empty.stl", b"")
    p.manifest(
        '[piece.a]\nfile = "pipe.stl"\n[piece.b]\nfile = "folder.stl"\n[piece.c]\nfile = "page.stl"\n'
        '[piece.d]\nfile = "empty.stl"\n'
    )
    return ("FILE_NOT_REGULAR", "FILE_NOT_REGULAR", "FILE_WRONG_KIND", "FILE_EMPTY")


@hostile
def names_that_clash(p: Place) -> tuple[str, ...]:
    for name in ("Ruin.stl", "ruin.stl", "RUIN.STL", "caf\u00e9.stl", "cafe\u0301.stl"):
        p.put(name, stl())
    return ("PACK_NAMES_CLASH",) * 3


@hostile
def names_in_every_script(p: Place) -> tuple[str, ...]:
    for name in ("🏰.stl", "👨‍👩‍👧.stl", "חורבה.stl", "خرائب/برج.stl", "遺跡.stl", " .stl", "a" * 250 + ".stl"):
        p.put(name, stl())
    return ()


@hostile
def names_that_cannot_be_shown(p: Place) -> tuple[str, ...]:
    p.put("good.stl", stl())
    for name in (b"not \xff text.stl", b"two\nlines.stl", b"\x1b[2Jgone.stl", "ruin\u202elts.exe.stl".encode()):
        with open(os.fsencode(p.pack) + b"/" + name, "wb") as file:
            file.write(stl())
    return ("PACK_NAME_UNUSABLE",) * 4


@hostile
def folders_that_never_end(p: Place) -> tuple[str, ...]:
    p.put("/".join(["d"] * (DEEPEST + 1)) + "/a.stl", stl())
    p.put("good.stl", stl())
    p.link("way/round", "..")
    return ("PACK_FOLDER_UNREADABLE",)


@hostile
def counts_that_lie(p: Place) -> tuple[str, ...]:
    root, binary = gltf_parts()
    root["accessors"][0]["count"] = 2**31
    p.put("count.glb", glb(root, binary))
    p.put("length.glb", glb()[:8] + b"\xff\xff\xff\x7f" + glb()[12:])
    p.put("faces.ply", ply(faces=2**31, order="little"))
    p.put("count.stl", stl(count=2**32 - 1))
    return ("FILE_MALFORMED", "FILE_TRUNCATED", "FILE_TRUNCATED", "MESH_TOO_MANY_TRIANGLES", "STL_COUNT_WRONG")


@hostile
def buffers_elsewhere(p: Place) -> tuple[str, ...]:
    for i, uri in enumerate(("../secrets/secret.bin", "file:///etc/passwd", "https://example.org/a.bin", "b.bin")):
        p.put(f"{i}.gltf", gltf(*gltf_parts(), uri=uri))
    p.link("b.bin", "../secrets/secret.bin")
    return ("FILE_OUTSIDE",) * 4


@hostile
def json_without_a_bottom(p: Place) -> tuple[str, ...]:
    p.put("deep.gltf", b'{"a":' + b"[" * 100_000)
    p.put("deep.glb", glb(b'{"a":' + b"[" * 100_000))
    return ("FILE_MALFORMED", "FILE_MALFORMED")


# --- packs that are refused as a whole --------------------------------------------------------------------------------


@hostile
def a_manifest_that_is_a_link(p: Place) -> tuple[str, ...]:
    p.put("good.stl", stl())
    p.link("pack.toml", "../secrets/pack.toml")
    return ("refused FORM_UNREADABLE",)


@hostile
def a_manifest_without_a_bottom(p: Place) -> tuple[str, ...]:
    p.manifest("x = " + "[" * 100_000)
    return ("refused FORM_UNREADABLE",)


@hostile
def a_manifest_of_gigabytes(p: Place) -> tuple[str, ...]:
    p.manifest()
    os.truncate(p.pack / "pack.toml", 3_000_000_000)
    return ("refused FORM_UNREADABLE",)


@hostile
def a_manifest_of_a_million_keys(p: Place) -> tuple[str, ...]:
    p.manifest("".join(f"[piece.{i}]\n" for i in range(MOST_MESHES + 1)))
    return ("refused FORM_BAD_VALUE",)


@hostile
def a_manifest_of_globs(p: Place) -> tuple[str, ...]:
    p.manifest("".join(f'[piece."{i}*"]\n' for i in range(MOST_GLOBS + 1)))
    return ("refused MANIFEST_GLOBS",)


@hostile
def names_with_what_cannot_be_typed(p: Place) -> tuple[str, ...]:
    told = [r"a\u0000.stl", r"a\u001b[31m.stl", r"a\u202e.stl", r"a\n::error::b"]
    p.manifest(
        "".join(f'[piece.p{i}]\nfile = "{name}"\n' for i, name in enumerate(told[:3])) + f'[piece."{told[3]}"]\n'
    )
    return ("refused FORM_BAD_VALUE",) * 4


@hostile
def settings_that_reach_out(p: Place) -> tuple[str, ...]:
    p.put("good.stl", stl())
    p.put("pyproject.toml", '[tool.sim3d]\nbaseline = "../secrets/known.json"\n')
    return ("refused FORM_BAD_VALUE",)


@hostile
def settings_without_a_bottom(p: Place) -> tuple[str, ...]:
    p.put("good.stl", stl())
    p.put("pyproject.toml", "x = " + "[" * 100_000)
    return ("refused FORM_UNREADABLE",)


# --- the law ----------------------------------------------------------------------------------------------------------

BESIDE = ("MANIFEST_MISSING", "PRINT_", "PART_", "MESH_INWARD", "PIECE_", "UNIT", "SHAPE_", "MESH_TOO_FLAT")


@pytest.mark.parametrize("name", PACKS)
def test_what_is_said_of_it_and_that_nothing_else_is_touched(place: Place, name: str) -> None:
    expected = PACKS[name](place)
    before = _beside(place)
    opened.clear()
    said = _validated(place)
    touched = [
        path
        for path in opened
        if "/secrets/" in path or path.startswith(("/etc/passwd", "/dev/zero", "/proc/self/mem"))
    ]
    assert touched == []
    assert _beside(place) == before
    if expected and expected[0].startswith("refused"):
        assert said.exit_code == 2, said.output
        codes = re.findall(r"error ([A-Z_]+):", said.stderr)
        assert [f"refused {code}" for code in codes] == list(expected)
        assert not (place.home / "out").exists()
        return
    assert said.exit_code in (0, 1), said.output
    reports = {path.name: path.read_bytes() for path in (place.home / "out").iterdir()}
    told = json.loads(reports["report.json"])
    codes = [
        f["code"] for one in (told, *told["pieces"]) for f in one["findings"] if f["severity"] in ("error", "warning")
    ]
    assert sorted(c for c in codes if not c.startswith(BESIDE)) == sorted(expected)
    assert said.exit_code == (1 if told["counts"]["error"] else 0)
    assert len(told["pieces"]) == told["counts"]["pieces"]
    _reports_hold(reports)


def _beside(place: Place) -> dict[str, bytes]:
    return {str(p.relative_to(place.home)): p.read_bytes() for p in (place.home / "secrets").rglob("*")}


def _validated(place: Place) -> Any:
    words = ["validate", "pack", "--out", "out", "--no-standing", "--no-store", "--workers", "0"]
    return sim3d(*words, cwd=place.home)


def _reports_hold(reports: dict[str, bytes]) -> None:
    """Every report can be read by whom it is for, and gives orders to nobody."""
    texts = {name: data.decode("utf-8") for name, data in reports.items()}
    assert b"secret of the house" not in b"".join(reports.values())
    jsonschema.Draft4Validator(SARIF).validate(json.loads(texts["report.sarif"]))
    ElementTree.fromstring(texts["report.junit.xml"])
    for name in ("report.txt", "report.md", "report.csv", "report.github.txt", "report.json", "report.sarif"):
        assert not [c for c in set(texts[name]) if unprintable(c) and c != "\n"], name
    lines = [*texts["report.txt"].splitlines(), *texts["report.github.txt"].splitlines()]
    orders = [
        line
        for line in lines
        if line.lstrip().startswith("::")
        and not line.startswith(("::error file=", "::warning file=", "::notice file="))
    ]
    assert orders == []
    assert not any("##" in line for line in lines)
    for row in csv.reader(io.StringIO(texts["report.csv"])):
        assert not [cell for cell in row if re.match(r"\s*[=+@]|\s*-(?!\d+(\.\d+)?$)", cell)]
    markdown = texts["report.md"]
    assert not re.search(r"(?<!\\)[<\[]|@\w|://|^#[^ ]", markdown, re.MULTILINE)
    assert _elements(texts["report.html"]) == _own_elements()


def _elements(page: str) -> list[tuple[str, Any]]:
    """Every element of a page with its attributes, but for words that a title or a label shows."""
    found: list[tuple[str, Any]] = []
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, attrs: found.append((tag, attrs))  # type: ignore[method-assign]
    reader.feed(page)
    return found


@cache
def _own_elements() -> list[tuple[str, Any]]:
    """Those of a page about nothing: what stood in a file is never an element."""
    return _elements(page_of(Story("", "", (Moment(Told(0, "", "", True, ""), Scene(Table())),))).decode())


def test_there_are_twenty_of_them() -> None:
    assert len(PACKS) >= 20


RUNS_DATA = {"pickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "multiprocessing", "runpy"}


def test_no_module_of_ours_can_run_what_a_file_says() -> None:
    found = []
    assert HOUSE.is_dir()
    for path in sorted(HOUSE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [f"{path.name}: imports {name}" for name in names if name.partition(".")[0] in RUNS_DATA]
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("eval", "exec", "compile"):
                found.append(f"{path.name}:{node.lineno} runs text")
            if isinstance(node, ast.keyword) and node.arg in ("allow_pickle", "shell"):
                found += [f"{path.name}: {node.arg}"] if ast.unparse(node.value) != "False" else []
    # compiled loops are read from a folder that nobody else can write in, see tests/test_compiled.py; and the window's
    # process and ours speak through a pipe without a name: nobody else can write into it
    assert found == [
        "shelf.py: imports pickle",
        "glass.py: imports multiprocessing",
        "pane.py: imports multiprocessing.connection",
    ]


# --- each code with its near miss -------------------------------------------------------------------------------------


def found_in(place: Place) -> Any:
    return shapes_of(read_pack(place.pack)).all


def test_codes_of_a_folder(place: Place, tmp_path: Path) -> None:
    place.put("good.stl", stl())
    place.link("within.stl", "good.stl")
    place.put("deep/🏰.stl", stl())
    good = found_in(place)
    assert silent("PACK_FILE_OUTSIDE", good)
    assert silent("PACK_FOLDER_UNREADABLE", good)
    assert silent("PACK_NAME_UNUSABLE", good)
    assert silent("PACK_NAMES_CLASH", good)
    assert silent("PACK_TOO_MANY", good)
    place.put("readme.txt", b"about")
    assert silent("PACK_FILES_NOT_READ", found_in(place))
    place.put("deep/Tower.FBX", b"x")
    place.put("towers.zip", b"x")
    (told,) = [f for f in read_pack(place.pack).findings if f.code == "PACK_FILES_NOT_READ"]
    assert fires("PACK_FILES_NOT_READ", [told])
    assert told.message.startswith("2 files look like models and are not looked at: deep/Tower.FBX, towers.zip")
    place.link("out.stl", "../secrets/secret.stl")
    place.put("two\nlines.stl", stl())
    place.put("Good.STL", stl())
    place.put("/".join(["d"] * (DEEPEST + 1)) + "/a.stl", stl())
    bad = found_in(place)
    assert fires("PACK_FILE_OUTSIDE", bad)
    assert fires("PACK_FOLDER_UNREADABLE", bad)
    assert fires("PACK_NAME_UNUSABLE", bad)
    assert fires("PACK_NAMES_CLASH", bad)
    assert fires("PACK_TOO_MANY", pack_too_many(MOST_MESHES + 1, MOST_MESHES))
    assert silent("PACK_TOO_MANY", pack_too_many(MOST_MESHES, MOST_MESHES))


def test_a_hundred_globs_are_read_and_one_more_is_not(place: Place) -> None:
    place.put("good.stl", stl())
    for many in (MOST_GLOBS, MOST_GLOBS + 1):
        place.manifest("".join(f'[piece."{i}*"]\n' for i in range(many)))
        if many <= MOST_GLOBS:
            assert silent("MANIFEST_GLOBS", read_pack(place.pack).findings)
            continue
        with pytest.raises(Refused) as refused:
            read_pack(place.pack)
        assert fires("MANIFEST_GLOBS", refused.value)
