"""What is fuzzed: every door through which a stranger's files and words come in, hostile input for it, and its law.

The law is the same everywhere: an answer, or a refusal in words; never another exception. `test_fuzz.py` tries each
target for a moment, `benchmarks/fuzz.py` for hours, guided by coverage where atheris is installed.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from hypothesis import strategies as st

from sim3d import cli
from sim3d.atlas.value import NUMBERS as COLUMNS
from sim3d.atlas.value import Atlas, Audit, Layer
from sim3d.finding import Refused, read_baseline
from sim3d.forge.bad import cube, glb, gltf, gltf_parts, model_xml, obj, off, ply, stl, stl_ascii, threemf
from sim3d.mini import Base, Mini, read_base
from sim3d.pack import How, Store, read_pack, validate
from sim3d.pack.store import NAME, seal
from sim3d.report.exchange import FORMATS
from sim3d.report.standing import conversation
from sim3d.report.validating import settings_for
from sim3d.scenario import play_scenario, read_scenario
from sim3d.solid import Solid, read_solid
from sim3d.solid.write import write_mesh
from sim3d.stand import stand
from sim3d.table import Table
from tests.hostile import FEW, heard, ply_with_colours
from tests.spoiled import VALUES, bad_bytes, bad_json, bad_text

ROOT = Path(__file__).parent.parent
Made = st.SearchStrategy[Any]
Wrong = list[str]


@dataclass(frozen=True)
class Target:
    """`tries` one input in an empty folder and tells what breaks the law; `made` makes inputs."""

    made: Made
    tries: Callable[[Path, Any], Wrong]
    seeds: tuple[bytes, ...] = ()  # for a fuzzer of plain bytes; `tries` takes those as they are


# --- meshes -----------------------------------------------------------------------------------------------------------


def read(name: str) -> Callable[[Path, bytes], Wrong]:
    """Reading these bytes under this name: a solid with facts to tell, or a refusal."""

    def tries(folder: Path, data: bytes) -> Wrong:
        said = heard(folder, name, data, limits=FEW)
        if not isinstance(said, Solid):
            return worded(said)
        json.dumps(said.facts(), allow_nan=False)
        said.inspected()
        return []

    return tries


def _mesh(name: str, made: Made, *seeds: bytes) -> Target:
    return Target(st.one_of(made, bad_bytes(*seeds)), read(name), seeds)


def _text_mesh(name: str, *seeds: bytes) -> Target:
    return _mesh(name, bad_text(*(s.decode() for s in seeds)).map(lambda t: t.encode("utf-8", "replace")), *seeds)


CORNER = st.sampled_from(
    [0.0, -0.0, 5e-324, 1e-310, 1e-30, 1e-6, 0.1, 1.0, 10.0, 25.4, 1e4, 1e7, 1e30, 1e300, -1.0, -10.0]
)


Soup = tuple[list[list[float]], list[list[int]], float, float]


@st.composite
def soups(draw: Any) -> Soup:
    """A few corners of any size, a few triangles of any of them, and where a mini is put."""
    n = draw(st.integers(3, 8))
    scale = draw(st.sampled_from([1.0, 1.0, 1.0, 1e-3, 10.0]))
    corners = draw(st.lists(st.tuples(CORNER, CORNER, CORNER), min_size=n, max_size=n))
    faces = draw(st.lists(st.tuples(*[st.integers(0, n - 1)] * 3), min_size=1, max_size=12))
    x, y = draw(st.tuples(CORNER, CORNER))
    return [[c * scale for c in corner] for corner in corners], [list(f) for f in faces], x, y


def worded(no: ValueError) -> Wrong:
    """A refusal says why."""
    return [] if str(no) else [f"refused without a word: {no!r}"]


def obj_text(corners: list[list[float]], faces: list[list[int]]) -> str:
    """The mesh as an OBJ, every digit of it."""
    rows = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    return "\n".join(rows) + "\n"


def any_soup(folder: Path, told: Soup) -> Wrong:
    """A mesh of any corners: looked at as a piece of a pack, and a mini put on it."""
    corners, faces, x, y = told
    (folder / "soup.obj").write_text(obj_text(corners, faces), encoding="utf-8")
    validation = validate(read_pack(folder), how=How(workers=0, standing=False))
    wrong = [] if validation.pieces[0].whole else ["not all of it was looked at", *map(str, validation.all)]
    try:
        answer = stand(Table.of(read_solid(folder / "soup.obj")), Mini("27"), at=(x, y), physics="never")
    except ValueError as error:
        return wrong + worded(error)
    json.dumps(answer.as_dict(), allow_nan=False)
    return wrong


def any_base(folder: Path, told: Soup) -> Wrong:
    """The same as a miniature's base."""
    corners, faces, *_ = told
    try:
        (folder / "base.obj").write_text(obj_text(corners, faces), encoding="utf-8")
        Mini(read_base(folder / "base.obj").base)
    except ValueError as error:
        return worded(error)
    return []


# --- files of words ---------------------------------------------------------------------------------------------------

MANIFEST = """[pack]
id = "ruins"
name = "Ruins & towers"
version = "1.2.0"
authors = ["A. Mason"]
licence = "CC-BY-4.0"
units = "mm"
up = "z"
scale = 1.0
target = ["tts", "foundry"]
[use]
bases = ["27", "50"]
height = 40
climb = 152.4
pitch = 1.0
[print]
wall = 0.8
bed = [220, 220, 250]
[checks]
ignore = ["MESH_OPEN"]
severity = { PRINT_WALL_THIN = "hint" }
per_file = { "deep/*.stl" = ["MESH_OPEN"] }
[defaults]
material = "pla"
class = { infantry = "difficult" }
[piece.crate]
file = "crate.stl"
role = "terrain"
footprint_mm = [60, 60]
height_mm = 30
levels_mm = [30]
expect = { room = ["27"], stand = [{ at = [0, 0], base = "27", level = 31 }] }
[piece."dee?/*.stl"]
movable = true
friction = 0.4
"""


def any_manifest(folder: Path, text: str) -> Wrong:
    """A folder with this manifest: a pack that every report can tell, or a refusal."""
    (folder / "deep").mkdir()
    for name in ("crate.stl", "deep/😀.stl"):
        (folder / name).write_bytes(stl())
    (folder / "pack.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        validation = validate(read_pack(folder), how=How(workers=0, standing=False))
        for _, tells in FORMATS.values():
            tells(validation).encode()
    except Refused as error:
        return worded(error)
    return []


def scenario_files() -> list[Path]:
    """Of every sort, small enough to be played at once."""
    names = ["stand/ledge", "stand/notched", "stand/doorway", "hexes/traits/hx02a-bites", "hexes/terrain/hx13-bites"]
    paths = [ROOT / "scenarios" / f"{name}.toml" for name in names]
    small = sorted((ROOT / "scenarios" / "legion").rglob("*.toml"), key=lambda p: (p.stat().st_size, p.name))
    return [*paths, *small[:6]]


@cache
def scenarios() -> tuple[str, ...]:
    """Their texts; their meshes lie by their place beside a test's folder."""
    return tuple(path.read_text(encoding="utf-8") for path in scenario_files())


@st.composite
def bad_scenarios(draw: Any) -> str:
    """Drawn late, so that importing this reads no file."""
    text: str = draw(bad_text(*scenarios()))
    return text


def any_scenario(folder: Path, text: str) -> Wrong:
    """Read and, where that goes well and quickly, played without an engine."""
    home = folder / "a" / "b"
    home.mkdir(parents=True)
    for near in (folder, folder / "a"):
        (near / "meshes").symlink_to(ROOT / "meshes")
    (home / "a.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        scenario = read_scenario(home / "a.toml")
    except Refused as error:
        return worded(error)
    if scenario.plan is not None or len(scenario.steps) > 4:
        return []
    played = play_scenario(scenario, physics="never").played
    return [f"step {number} has no word" for number, step in enumerate(played) if not step.word]


SETTINGS = '[tool.sim3d]\nignore = ["MESH_OPEN"]\nfail_on = "warning"\nmax_warnings = 3\nbaseline = "known.json"\n'
BASELINE = '{"version": 1, "known": ["0123456789abcdef"]}'


def any_settings(folder: Path, text: str) -> Wrong:
    """A project's settings, and a file of known findings."""
    (folder / "pyproject.toml").write_bytes(text.encode("utf-8", "surrogatepass"))
    wrong: Wrong = []
    for reads, told in ((settings_for, folder), (read_baseline, text)):
        try:
            reads(told)
        except ValueError as error:
            wrong += worded(error)
    return wrong


@cache
def saved_map() -> bytes:
    """A standing map as a file has it: two cells, every number."""
    numbers = np.zeros((1, 2, len(COLUMNS)))
    layer = Layer(0.0, None, np.zeros((1, 2), np.uint8), np.zeros((1, 2), np.uint8), numbers)
    return Atlas("27", 1.0, (0, 0), (layer,), Audit(), "").as_npz()


def any_map(folder: Path, data: bytes) -> Wrong:
    """A file that says it is a map: a map that can be told, or a sentence."""
    (folder / "a.npz").write_bytes(data)
    try:
        made = Atlas.load(folder / "a.npz")
    except ValueError as error:
        return worded(error)
    made.as_csv()
    return []


# --- the store --------------------------------------------------------------------------------------------------------


@cache
def kept_answers() -> bytes:
    """A store with an answer in it, as bytes."""
    import tempfile

    with tempfile.TemporaryDirectory() as home:
        store = Store(Path(home), lambda _: None)
        store.put("k", {"readable": True, "facts": {}, "findings": []})
        store.close()
        return (Path(home) / NAME).read_bytes()


@st.composite
def bad_stores(draw: Any) -> bytes:
    """Its bytes, broken; drawn late, so that importing this writes nothing."""
    data: bytes = draw(bad_bytes(kept_answers()))
    return data


def any_store(folder: Path, data: bytes) -> Wrong:
    """A file of any bytes: the work goes on, with or without it."""
    (folder / NAME).write_bytes(data)
    store = Store(folder, lambda _: None)
    store.get("k")
    store.put("l", 1)
    kept = store.get("l")
    store.close()
    return [] if kept in (1, None) else [f"1 was put, {kept!r} is there"]


ANSWER = {"readable": True, "facts": {"format": "stl"}, "figures": None, "findings": []}
FOUND = {"code": "MESH_OPEN", "severity": "error", "message": "m", "pointer": "", "line": None, "count": 1}
FOUND |= {"area_mm2": None, "places": [[0, 0, 0, 0]], "numbers": {"a": 1}}
FIGURES = {"base": "27", "standable_mm2": 1.0, "precarious_share": 0.0, "unreachable_share": 0.0}
FIGURES |= {"undecided_share": 0.0, "levels": [[0.0, 1.0]], "audit": {"asked": 1}}


def _answer() -> Any:
    return json.loads(json.dumps(ANSWER | {"findings": [FOUND], "figures": FIGURES}))


def any_answers(folder: Path, answer: Any) -> Wrong:
    """A store whose every answer is this: reports are made of it or it is asked again."""
    write_mesh(folder / "crate.stl", *cube())
    store = Store(folder / "kept", lambda _: None)
    pack, how = read_pack(folder), How(workers=0, standing=False)
    validate(pack, how=how, store=store)
    store.close()
    with sqlite3.connect(folder / "kept" / NAME) as base:
        text = answer if isinstance(answer, bytes) else json.dumps(answer)
        for (key,) in base.execute("SELECT question FROM answers2").fetchall():
            sealed = seal(key, text) if isinstance(text, str) else ""
            base.execute("UPDATE answers2 SET answer = ?, seal = ? WHERE question = ?", (text, sealed, key))
    base.close()
    store = Store(folder / "kept", lambda _: None)
    validation = validate(pack, how=how, store=store)
    store.close()
    for _, tells in FORMATS.values():
        tells(validation).encode()
    return []


# --- the command line and its conversation ----------------------------------------------------------------------------

FILES: dict[str, Callable[[], bytes]] = {
    "crate.stl": stl,
    "words.obj": obj,
    "junk.stl": lambda: b"x",
    "bomb.3mf": lambda: threemf()[:300],
    "table.toml": lambda: b'[[piece]]\nmesh = "crate.stl"\n[[mini]]\nname = "m"\nbase = "27"\nat = [0, 0]\n',
    "steps.toml": lambda: FILES["table.toml"]() + b'[[step]]\nstand = "m"\nexpect = { answer = "stable" }\n',
    "wrong.toml": lambda: b"[[piece]]\nmesh = 3\n",
    "known.json": lambda: BASELINE.encode(),
    "pack/pack.toml": lambda: MANIFEST.encode(),
    "pack/crate.stl": stl,
}
VERBS = {
    "inspect": "--unit --up --base --ignore --only --fail-on --max-mb --max-triangles --json",
    "stand": "--mesh --unit --up --base --com --height --at --turn --level --friction --engine --physics --json",
    "atlas": "--base --unit --up --com --height --turn --levels --friction --json -o",
    "run": "--engine --physics --junit --record --accept --json",
    "move": "--step --engine --physics --json",
    "bake": "--base --height --com --radius --columns --rows --size --turn --origin --out --reach --json",
    "explain": "--help",
    "show": "--glb --azimuth --elevation --plan",
    "validate": "--format --out --piece --ignore --only --fail-on --max-warnings --baseline --write-baseline --fix"
    " --timeout --memory --store --json",
    "init": "--force",
}
FLAGS = ("--json", "--levels", "--accept", "--plan", "--force", "--help")
ALWAYS = {  # in this process, and nothing that takes a minute
    "stand": ["--physics", "never"],
    "run": ["--physics", "never"],
    "move": ["--physics", "never"],
    "show": ["--glb", "out.glb"],
    "atlas": ["--area", "0,0,3,3", "--audit", "0", "--threads", "1"],
    "bake": ["--radius", "1"],
    "validate": ["--workers", "0", "--no-standing", "--no-store"],
}
SAID = [*FILES, "pack", "nowhere", ".", "m", "27", "50", "round33", "hex40", "mm", "y", "z", "0,0", "1,2,3", "error"]
SAID += ["stable", "json", "sarif", "html", "csv", "MESH_OPEN", "mesh_open", "rapier", "bullet", "never"]
SAID += ["0", "-1", "5"]
SAID += ["1e308", "nan", "inf", "1e-320", "", " ", "\0", "é😀", "\ud800", "--", "-", "--help", "--nonsense", "9" * 30]


@st.composite
def words(draw: Any) -> list[str]:
    """A command line: a verb, files or nonsense, its options with good, odd or no values."""
    verb = draw(st.sampled_from(sorted(VERBS)))
    out = [verb, *draw(st.lists(st.sampled_from(SAID), max_size=2)), *ALWAYS.get(verb, [])]
    for option in draw(st.lists(st.sampled_from(VERBS[verb].split()), max_size=4)):
        flag = option in FLAGS or (verb, option) == ("inspect", "--base")
        out += [option] if flag else [option, draw(st.sampled_from(SAID))]
    return out


def any_words(folder: Path, said: list[str]) -> Wrong:
    """What was typed: exit code 0, 1 or 2, and no traceback."""
    for name, data in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data())
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        mock.patch.object(sys, "argv", ["sim3d", *said]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code: Any = "it did not end itself"
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
    if "--json" in said and "--help" not in said and said[0] in ("inspect", "run", "validate") and out.getvalue():
        json.loads(out.getvalue())
    return [] if code in (0, 1, 2, None) else [f"exit code {code}"]


REQUESTS = (
    '{"id": 1, "mesh": "crate.stl", "base": "27", "com": 15, "at": [0, 0], "physics": "never"}',
    '{"id": "b", "table": "table.toml", "mini": "m", "turn": 30, "friction": 0.5, "level": 12, "physics": "never"}',
    '{"id": null, "mesh": "words.obj", "unit": "cm", "up": "y", "base": "round33", "height": 40, "at": [3, 4]}',
)


def any_request(folder: Path, line: str) -> Wrong:
    """A line of the conversation: an answer in JSON for each, with numbers that are numbers."""
    for name in ("crate.stl", "words.obj", "table.toml"):
        (folder / name).write_bytes(FILES[name]())
    data = line.encode("utf-8", "surrogatepass").replace(b"\n", b" ")
    with contextlib.chdir(folder):
        replies = list(conversation(io.BytesIO(data + b"\n")))
    wrong = [] if len(replies) == bool(data.strip()) else [f"{len(replies)} replies"]
    for reply in replies:
        told = json.loads(reply, parse_constant=lambda word: math.nan)
        if not (told.get("error") or told["answer"]) or "a fault in sim3d" in told.get("error", ""):
            wrong.append(f"no answer: {reply!r}")
    return wrong


def any_base_name(folder: Path, name: str) -> Wrong:
    """A base by its name: a base, or a sentence."""
    try:
        Mini(Base.named(name), height=40)
    except ValueError as error:
        return worded(error)
    return []


def _inner_3mf(folder: Path, text: str) -> Wrong:
    return read("a.3mf")(folder, threemf(text.encode("utf-8", "replace")))


def _inner_glb(folder: Path, root: Any) -> Wrong:
    return read("a.glb")(folder, glb(root, gltf_parts()[1]))


TARGETS: dict[str, Target] = {
    "stl": _mesh("a.stl", bad_bytes(stl()), stl(), stl(header=b"solid but binary")),
    "stl-words": _text_mesh("a.stl", stl_ascii()),
    "obj": _text_mesh("a.obj", obj(), obj() + b"vn 0 0 1\nvt 0 0\nf 1/1/1 2/1/1 3/1/1\nf -1 -2 -3\nl 1 2\n"),
    "off": _text_mesh("a.off", off(), off().replace(b"OFF", b"COFF", 1)),
    "ply-words": _text_mesh("a.ply", ply(), ply_with_colours("ascii")),
    "ply": _mesh(
        "a.ply",
        bad_bytes(ply(order="little"), ply_with_colours("little")),
        ply(order="little"),
        ply(order="big"),
        ply_with_colours("little"),
    ),
    "glb": _mesh("a.glb", bad_bytes(glb()), glb()),
    "glb-values": Target(bad_json(lambda: gltf_parts()[0]), _inner_glb),
    "gltf": _text_mesh("a.gltf", gltf()),
    "3mf": _mesh("a.3mf", bad_bytes(threemf()), threemf(), threemf(compression=8)),
    "3mf-words": Target(bad_text(model_xml()), _inner_3mf),
    "soups": Target(soups(), any_soup),
    "bases": Target(soups(), any_base),
    "base-names": Target(bad_text("27", "60x35", "50n", "ellipse90x52-front", "rect50x25-thick6"), any_base_name),
    "manifests": Target(bad_text(MANIFEST), any_manifest),
    "scenarios": Target(bad_scenarios(), any_scenario),
    "maps": Target(bad_bytes(saved_map()), any_map, (saved_map(),)),
    "settings": Target(bad_text(SETTINGS, BASELINE), any_settings),
    "store": Target(bad_stores(), any_store),
    "answers": Target(st.one_of(bad_json(_answer), VALUES), any_answers),
    "requests": Target(bad_text(*REQUESTS), any_request),
    "command-line": Target(words(), any_words),
}
