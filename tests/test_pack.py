"""Manifests, verdicts, what is heard and what is not; a first manifest; the store."""

from __future__ import annotations

import json
import math
import os
import shlex
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim3d import spread as spreading
from sim3d.finding import Finding, Policy, Refused, Severity, meant_by
from sim3d.form import schema_text
from sim3d.mini import Mini
from sim3d.pack import BROKEN, FAULTY, UNDECIDED, VALID, How, PackForm, Store, heard, read_pack, validate
from sim3d.pack.first import first_manifest
from sim3d.pack.floors import floors_of
from sim3d.pack.judging import FAILED, FORM, STANDING, Question, _Dear, work_not_done
from sim3d.pack.store import NAME, question, usual_folder
from sim3d.pack.verdict import Judged
from sim3d.report.sarif import sarif
from sim3d.report.validating import Asked, validated
from sim3d.solid import Solid
from sim3d.solid.boolean import box, union
from sim3d.solid.write import write_mesh
from sim3d.spread import Done, Failure, Task
from tests.codes import codes_of, fires, silent
from tests.packs import HEAD, crate, pack_of, shapes_of, together, written


def refused(folder, manifest, **meshes):
    with pytest.raises(Refused) as no:
        pack_of(folder, manifest, **meshes)
    return no.value


# --- the manifest -----------------------------------------------------------------------------------------------------


def test_a_folder_without_a_manifest_says_what_is_assumed(tmp_path):
    bare = pack_of(tmp_path / "bare", None, crate=crate())
    assert fires("MANIFEST_MISSING", bare.findings)
    assert "bases 27" in bare.findings.findings[0].message
    assert silent("MANIFEST_MISSING", pack_of(tmp_path / "with", crate=crate()).findings)
    (tmp_path / "bare" / "pack.toml.txt").write_text("[pack]")  # as programs save it that hide endings
    assert "pack.toml.txt" in read_pack(tmp_path / "bare").findings.findings[0].message


def test_an_empty_folder_is_no_pack(tmp_path):
    assert fires("PACK_EMPTY", pack_of(tmp_path / "empty", None).findings)
    assert silent("PACK_EMPTY", pack_of(tmp_path / "one", None, crate=crate()).findings)
    assert shapes_of(pack_of(tmp_path / "empty", None)).verdict == BROKEN


def test_meshes_that_no_piece_names_are_not_said_to_be_missing(tmp_path):
    nothing = pack_of(tmp_path / "named", HEAD + '[piece.gone]\nfile = "gone.stl"\n', crate=crate()).findings
    assert [f.message for f in nothing if f.code == "PACK_EMPTY"] == ["no piece of the manifest has a file"]
    bare = pack_of(tmp_path / "bare", HEAD).findings
    assert [f.message for f in bare if f.code == "PACK_EMPTY"] == ["no mesh is in the folder"]


def test_pieces_take_defaults_then_globs_then_their_own(tmp_path):
    text = HEAD + (
        '[defaults]\nmaterial = "pla"\nmass_g = 10\n'
        '[piece."wall-*"]\nmass_g = 20\nscalable = true\n'
        '[piece.gate]\nfile = "wall-gate.stl"\nmass_g = 30\n'
        '[piece.tower]\nfile = "tower.stl"\n'
    )
    pack = pack_of(tmp_path, text, **{"wall-gate": crate(), "wall-long": crate(), "tower": crate()})
    said = {m.name: dict(m.said) for m in pack.members}
    assert said == {
        "gate": {"material": "pla", "mass_g": 30, "scalable": True},
        "tower": {"material": "pla", "mass_g": 10},
        "wall-long": {"material": "pla", "mass_g": 20, "scalable": True},
    }
    assert {m.name: m.line for m in pack.members} == {"gate": 12, "tower": 15, "wall-long": 9}


def test_files_and_pieces_that_do_not_meet(tmp_path):
    def found(text, **meshes):
        return pack_of(tmp_path / str(len(list(tmp_path.iterdir()))), HEAD + text, **meshes).findings

    missing = found('[piece.a]\nfile = "b.stl"\n', a=crate())
    assert fires("MANIFEST_FILE_MISSING", missing)
    assert missing.findings[0].line == 6
    assert fires("MANIFEST_FILE_MISSING", found('[piece."tower-*"]\n', a=crate()))
    for crossed in ("[piece.a]\nfile = 'walls\\a.stl'\n", "[piece.'walls\\*.stl']\n"):
        told = found(crossed, a=crate()).findings[0]
        assert told.code == "MANIFEST_FILE_MISSING"
        assert "which is not there; folders are parted by /: 'walls/" in told.message
    for name, near in (("A.STL", "case count"), ("a", "with its ending"), ("ab.stl", "not there")):
        assert near in found(f'[piece."{name}"]\n', a=crate()).findings[0].message
    assert silent("MANIFEST_FILE_MISSING", found('[piece.a]\nfile = "a.stl"\n', a=crate()))
    assert fires("MANIFEST_FILE_UNUSED", found('[piece.a]\nfile = "a.stl"\n', a=crate(), b=crate()))
    assert silent("MANIFEST_FILE_UNUSED", found('[piece."?.stl"]\n', a=crate(), b=crate()))
    assert silent("MANIFEST_FILE_UNUSED", found("", a=crate(), b=crate()))
    told = found(
        '[defaults]\nclass = { troper = "open" }\n[piece.a]\nfile = "a.stl"\nclass = { hexes = "swmap" }\n', a=crate()
    )
    assert fires("MANIFEST_CLASS_UNKNOWN", told)
    assert {f.pointer: f.line for f in told if f.code == "MANIFEST_CLASS_UNKNOWN"} == {
        "/defaults/class/troper": 7,
        "/piece/a/class/hexes": 10,
    }
    classes = (
        '[piece.a]\nfile = "a.stl"\nclass = { all = "difficult, no end", trooper = "impassable", hexes = "swamp" }\n'
    )
    assert silent("MANIFEST_CLASS_UNKNOWN", found(classes, a=crate()))
    for glob in ("a.stl", "*.stl", "pack.toml"):
        assert silent(
            "MANIFEST_IGNORES_NOTHING", found(f'[checks]\nper_file = {{ "{glob}" = ["MESH_OPEN"] }}\n', a=crate())
        )
    for glob in ("a.slt", "A.stl", "old/*"):
        nothing = found(f'[checks]\nper_file = {{ "{glob}" = ["MESH_OPEN"] }}\n', a=crate())
        assert fires("MANIFEST_IGNORES_NOTHING", nothing)
        assert nothing.findings[0].line == 7
    assert fires("MANIFEST_FILE_TWICE", found('[piece.a]\nfile = "a.stl"\n[piece.b]\nfile = "a.stl"\n', a=crate()))
    assert silent("MANIFEST_FILE_TWICE", found('[piece.a]\nfile = "a.stl"\n[piece."*"]\n', a=crate()))
    assert fires("MANIFEST_OUTSIDE", found('[piece.a]\nfile = "../a.stl"\n', a=crate()))
    assert silent("MANIFEST_OUTSIDE", found('[piece.a]\nfile = "./a.stl"\n', a=crate()))
    for way, where in (
        ("sub/../a.stl", "a way with '..' in it; write 'a.stl'"),
        ("sub/../../a.stl", "outside of the pack's folder"),
        ("..", "outside of the pack's folder"),
    ):
        told = found(f'[piece.a]\nfile = "{way}"\n', a=crate()).findings[0]
        assert told.message == f"piece 'a' names {way!r}, {where}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[use]\nbases = ["28"]\n', 7),
        ("[use]\nheight = 1\n", None),
        ('[defaults]\nmaterial = "chese"\n', 7),
        ('[checks]\nignore = ["MESH_OPNE"]\n', 7),
        ('[checks]\nseverity = { MESH_OPNE = "hint" }\n', 7),
        ('[checks.per_file]\n"*.stl" = ["MESH_OPNE"]\n', 7),
        ('[piece.a]\nfile = "a.stl"\nexpect = { room = ["27", "x"] }\n', 8),
    ],
)
def test_a_name_that_means_nothing_is_refused_with_its_line(tmp_path, text, line):
    no = refused(tmp_path, HEAD + text, a=crate())
    assert fires("MANIFEST_UNKNOWN_NAME", no)
    if line is not None:
        assert no.report.findings[0].line == line


def test_names_that_mean_something_are_not(tmp_path):
    text = '[use]\nbases = ["28.5", "round33"]\n[defaults]\nmaterial = "resin"\n[checks]\nignore = ["MESH_OPEN"]\n'
    assert silent("MANIFEST_UNKNOWN_NAME", pack_of(tmp_path, HEAD + text, a=crate()).findings)


def test_a_manifest_is_strict(tmp_path):
    assert codes_of(refused(tmp_path, HEAD + "[piece.a]\nfiel = 'a.stl'\n")) == ("FORM_UNKNOWN_KEY",)
    assert codes_of(refused(tmp_path, '[pack]\nid = "A B"\nname = "x"\n')) == ("FORM_BAD_VALUE",)
    assert codes_of(refused(tmp_path, "[use]\n")) == ("FORM_MISSING_KEY",)
    assert '"footprint_mm"' in schema_text(PackForm, title="t")


def test_a_first_manifest_reads_back_and_says_what_the_meshes_show(tmp_path):
    folder = written(tmp_path / "My Pack!", None, stairs=box((0, 0, 0), (60, 40, 30)))
    (folder / "junk.stl").write_bytes(b"x")
    text, left = first_manifest(folder)
    (folder / "pack.toml").write_text(text, encoding="utf-8")
    pack = read_pack(folder)
    assert (pack.head.id, pack.head.units) == ("my-pack", "mm")
    said = {m.name: m.said for m in pack.members}
    assert said["stairs"] == {"footprint_mm": [60, 40], "height_mm": 30, "levels_mm": [30]}
    assert len(left) == 1
    assert left[0] == "junk.stl: error STL_TRUNCATED: cut off: 1 byte, even an empty binary STL has 84"
    found = shapes_of(pack)
    assert [p.verdict for p in found.pieces] == [BROKEN, VALID]


def test_a_first_manifest_tells_what_keeps_a_mesh_from_being_read(tmp_path):
    """What was told first came first: of this one that something was skipped, and not that there is no triangle."""
    folder = written(tmp_path / "pack", None)
    (folder / "edge.obj").write_text("v 0 0 0\nv 1 0 0\nf 1 2\n")
    text, left = first_manifest(folder)
    assert left == ("edge.obj: error MESH_EMPTY: no triangle in the file",)
    assert "# units are not said: no file could be read,\n" in text


def tread(k: int, deep: float):
    """One of a flight's steps, 10 mm higher than the one before; 100 mm wide, down to the ground."""
    return box((k * deep, 0, 0), ((k + 1) * deep, 100, 10 * (k + 1)))


@pytest.mark.parametrize(
    ("what", "parts", "levels"),
    [
        # 25 mm are narrower than a base of 27 by more than the plan's pitch of 0.5; 28 are wider by more.
        ("treads of 25 mm and a landing", [*(tread(k, 25) for k in range(3)), box((75, 0, 0), (135, 100, 40))], [40]),
        ("treads of 28 mm", [tread(k, 28) for k in range(3)], [10, 20, 30]),
        ("planks with joints of 2 mm", [box((12 * k, 0, 0), (12 * k + 10, 60, 22)) for k in range(5)], [22]),
        ("beams with gaps of 6 mm", [box((16 * k, 0, 0), (16 * k + 10, 60, 22)) for k in range(5)], []),
        # A base lies on the flags, 0.8 mm over their joints; two rivets of 2 mm make no floor of their height.
        (
            "flags with joints of 0.8 mm, and rivets",
            [
                box((0, 0, 0), (60, 60, 21.2)),
                *(box((16 * k, 16 * j, 0), (16 * k + 12, 16 * j + 12, 22)) for k in range(4) for j in range(4)),
                *(box((5 + 16 * k, 5, 0), (7 + 16 * k, 7, 22.9)) for k in range(2)),
            ],
            [22],
        ),
        ("posts", [box((40 * k, 40 * j, 0), (40 * k + 20, 40 * j + 20, 30)) for k in range(5) for j in range(5)], []),
        # A mini on 27 mm is 40.5 mm high unless somebody says otherwise.
        ("a floor 42 mm under a roof", [box((0, 0, 0), (60, 60, 10)), box((0, 0, 52), (60, 60, 60))], [10, 60]),
        ("a floor 39 mm under a roof", [box((0, 0, 0), (60, 60, 10)), box((0, 0, 49), (60, 60, 60))], [60]),
        ("a floor with a post in its middle", [box((0, 0, 0), (50, 50, 10)), box((22, 22, 9), (28, 28, 30))], []),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_a_level_is_a_floor_on_which_the_smallest_base_has_room(what, parts, levels):
    vertices, faces = union(parts)
    for triangles in (faces, faces[:, ::-1]):  # inside out its floors are the same
        assert [z for z, _ in floors_of(Solid.of(vertices, triangles), Mini(base="27"))] == levels, what


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ((0.04, 0.041, 0.0449), {"footprint_mm": [0.04, 0.041], "height_mm": 0.045}),
        ((50, 40, 0.04), {"footprint_mm": [50, 40], "height_mm": 0.04}),
        ((1.04, 1.06, 2), {"footprint_mm": [1.0, 1.1], "height_mm": 2}),
        ((100_001, 20, 10), {"height_mm": 10}),
    ],
)
def test_a_first_manifest_says_no_size_that_no_manifest_may_have(tmp_path, size, said):
    middle = np.array(size) / 2
    folder = written(tmp_path / "pack", None)
    write_mesh(folder / "piece.stl", *box(-middle, middle))
    text, _ = first_manifest(folder)
    (folder / "pack.toml").write_text(text, encoding="utf-8")
    (member,) = read_pack(folder).members
    assert {key: value for key, value in member.said.items() if key != "levels_mm"} == said


def test_a_first_manifest_does_not_guess_a_unit(tmp_path):
    text, _ = first_manifest(written(tmp_path, None, crumb=crate(2.5, 2), fine=crate()))
    assert "units = " not in text
    assert "in mm the sizes are not plausible of crumb.stl;" in text  # and not of the other
    read_pack(tmp_path)


def test_units_and_axes_of_a_pack_are_for_files_that_state_none(tmp_path):
    text = '[pack]\nid = "t"\nname = "T"\nunits = "cm"\nup = "y"\n[piece.b]\nfile = "b.stl"\nunits = "mm"\nup = "z"\n'
    folder = written(tmp_path, text + '[piece."*"]\n', a=box((0, 0, 0), (6, 4, 3)), b=crate())
    write_mesh(folder / "c.glb", *crate())
    facts = {p.name: p.facts["extents_mm"] for p in shapes_of(read_pack(folder)).pieces}
    assert facts == {"b": [60, 60, 30], "a": [60, 30, 40], "c": [60, 60, 30]}


# --- verdicts ---------------------------------------------------------------------------------------------------------


def test_one_word_for_each_piece_and_for_the_pack(tmp_path):
    open_box = crate()[0], crate()[1][:-2]
    pack = pack_of(tmp_path, good=crate(), opened=open_box)
    seen = heard(shapes_of(pack), pack.policy)
    assert {p.name: p.verdict for p in seen.pieces} == {"good": VALID, "opened": FAULTY}
    assert seen.verdict == FAULTY
    (tmp_path / "junk.stl").write_bytes(b"x")
    assert shapes_of(read_pack(tmp_path)).verdict == BROKEN


def test_doubt_is_never_passed_off_as_valid(tmp_path):
    pack = pack_of(tmp_path, good=crate())
    (piece,) = shapes_of(pack).pieces
    assert piece.verdict == VALID
    assert replace(piece, whole=False).verdict == UNDECIDED
    assert replace(shapes_of(pack), interrupted=True).verdict == UNDECIDED
    doubtful = Judged("a", "a.stl", {}, (), piece.report + type(piece.report)((work_not_done.hit(what="x"),)), False)
    assert doubtful.verdict == UNDECIDED
    silenced = replace(shapes_of(pack), pieces=(doubtful,))
    assert fires("WORK_NOT_DONE", heard(silenced, Policy(ignore=("WORK_NOT_DONE",))).all)


def test_why_a_piece_cannot_be_read_is_heard_whatever_is_ignored(tmp_path):
    folder = written(tmp_path)
    (folder / "junk.stl").write_bytes(b"")
    pack = read_pack(folder)
    seen = heard(shapes_of(pack), Policy(ignore=("FILE_EMPTY",), severity={"FILE_EMPTY": Severity.HINT}))
    assert seen.verdict == BROKEN


def test_every_way_a_look_can_fail_is_a_finding_with_a_command(tmp_path, monkeypatch):
    pack = pack_of(tmp_path / "pack", good=crate())
    codes = {"crashed": "WORK_CRASHED", "timed-out": "WORK_TIMED_OUT", "no-memory": "WORK_NO_MEMORY"}
    codes["raised"] = "WORK_FAILED"
    assert set(FAILED) == set(codes)
    for kind, code in codes.items():

        def failing(tasks, kind=kind, **_):
            yield from (Done(t.key, failure=Failure(kind, "because")) for t in tasks)

        monkeypatch.setattr("sim3d.pack.judging.spread", failing)
        seen = validate(pack, how=How(standing=False))
        assert codes_of(seen.all) == (code,)
        assert seen.verdict == UNDECIDED
        assert "sim3d validate pack --piece good --workers 0" in seen.all.findings[0].message
    monkeypatch.undo()
    whole = shapes_of(pack).all
    assert fires("WORK_CRASHED", [FAILED["crashed"].hit(what="a", why="b", command="c")])
    assert fires("WORK_TIMED_OUT", [FAILED["timed-out"].hit(what="a", why="b", command="c")])
    assert fires("WORK_NO_MEMORY", [FAILED["no-memory"].hit(what="a", why="b", command="c")])
    assert fires("WORK_FAILED", [FAILED["raised"].hit(what="a", why="b", command="c")])
    assert silent("WORK_CRASHED", whole)
    assert silent("WORK_TIMED_OUT", whole)
    assert silent("WORK_NO_MEMORY", whole)
    assert silent("WORK_FAILED", whole)
    assert silent("WORK_NOT_DONE", whole)


def test_an_interrupt_leaves_a_whole_report_that_says_what_is_missing(tmp_path, monkeypatch):
    pack = pack_of(tmp_path, a=crate(), b=crate(50), c=crate(40))

    def stopped(tasks, **how):
        for n, done in enumerate(spreading.spread(tasks, **how)):
            if n == 1:
                raise KeyboardInterrupt
            yield done

    monkeypatch.setattr("sim3d.pack.judging.spread", stopped)
    seen = shapes_of(pack)
    assert seen.interrupted
    assert [p.verdict for p in seen.pieces] == [VALID, UNDECIDED, UNDECIDED]


# --- the store --------------------------------------------------------------------------------------------------------


def test_an_unchanged_pack_is_answered_from_the_store(tmp_path, monkeypatch):
    pack = pack_of(tmp_path / "pack", a=crate(), b=crate(50))
    said = []
    first = validate(pack, how=How(workers=0, standing=False), store=Store(tmp_path / "kept", said.append))

    def never(tasks, **_):
        yield from (pytest.fail(f"asked again: {t.call}") for t in tasks)

    monkeypatch.setattr("sim3d.pack.judging.spread", never)
    again = validate(pack, how=How(workers=0, standing=False), store=Store(tmp_path / "kept", said.append))
    assert (again, said) == (first, [])


def test_what_changed_is_asked_again():
    keys = {
        question("m:f", {"a": 1}, {"x": "1"}, "v"),
        question("m:f", {"a": 2}, {"x": "1"}, "v"),
        question("m:f", {"a": 1}, {"x": "2"}, "v"),
        question("m:f", {"a": 1}, {"y": "1"}, "v"),
        question("m:g", {"a": 1}, {"x": "1"}, "v"),
        question("m:f", {"a": 1}, {"x": "1"}, "w"),
    }
    assert len(keys) == 6


def test_a_broken_store_is_said_and_begun_afresh(tmp_path):
    said = []
    (tmp_path / NAME).write_bytes(b"no database " * 100)
    store = Store(tmp_path, said.append)
    store.put("k", {"v": 1})
    assert store.get("k") == {"v": 1}
    store.close()
    assert len(said) == 1
    assert "put aside" in said[0]
    assert (tmp_path / "answers.broken").read_bytes().startswith(b"no database")


def test_a_store_broken_where_its_tables_are_described_is_begun_afresh(tmp_path):
    said = []
    store = Store(tmp_path, said.append)
    store.put("k", 1)
    store.close()
    whole = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(whole.replace(b"CREATE TABLE", b"CREATE \xff\xffBLE"))  # what is said of it quotes it
    store = Store(tmp_path, said.append)
    store.put("l", 2)
    assert store.get("l") == 2
    store.close()
    assert len(said) == 1
    assert "put aside" in said[0]


def test_an_answer_that_the_disk_changed_is_none(tmp_path):
    """A single bit made 27.5 of 27.1: plain JSON all the same, and another report."""
    said = []
    store = Store(tmp_path, said.append)
    for key in "kl":
        store.put(key, {"standable_mm2": 27.125})
    store.close()
    whole = (tmp_path / NAME).read_bytes()
    assert whole.count(b"27.125") == 2
    (tmp_path / NAME).write_bytes(whole.replace(b"27.125", b"27.525", 1))
    store = Store(tmp_path, said.append)
    kept = [store.get(key) for key in "kl"]
    store.close()
    assert sorted(map(str, kept)) == ["None", "{'standable_mm2': 27.125}"]
    assert len(said) == 1
    assert "an answer in it is none that sim3d gave" in said[0]


def test_a_store_that_breaks_midway_is_said_and_left(tmp_path):
    said = []
    store = Store(tmp_path, said.append)
    other = sqlite3.connect(tmp_path / NAME)
    other.execute("DROP TABLE answers2")
    other.commit()
    other.close()
    store.put("k", 1)
    assert store.get("k") is None
    assert len(said) == 1
    assert "goes on without" in said[0]


def test_a_full_disk_is_said_and_the_run_goes_on(tmp_path):
    said = []
    store = Store(tmp_path, said.append)
    pages = store._open.execute("PRAGMA page_count").fetchone()[0]
    store._open.execute(f"PRAGMA max_page_count = {pages + 1}")
    store.put("k", "x" * 100_000)
    assert len(said) == 1
    assert "full" in said[0]
    store.put("l", 1)
    assert store.get("l") is None
    assert len(said) == 1


def test_a_place_where_nothing_can_be_kept_is_said(tmp_path):
    (tmp_path / "file").write_text("in the way")
    said = []
    store = Store(tmp_path / "file" / "deeper", said.append)
    store.put("k", 1)
    assert store.get("k") is None
    assert len(said) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows says where caches are in another way")
@pytest.mark.parametrize(("said", "taken"), [("/c", "/c/sim3d"), ("c", "/h/.cache/sim3d"), ("", "/h/.cache/sim3d")])
def test_answers_are_kept_where_caches_are(said, taken, monkeypatch):
    monkeypatch.setenv("HOME", "/h")
    monkeypatch.setenv("XDG_CACHE_HOME", said)
    assert usual_folder() == Path(taken)


def test_two_runs_share_a_store(tmp_path):
    one, two = (Store(tmp_path, pytest.fail) for _ in range(2))
    for k in range(50):
        (one if k % 2 else two).put(str(k), k)
    assert [one.get(str(k)) for k in range(50)] == list(range(50))
    assert json.dumps(two.get("7")) == "7"


def test_parts_of_two_files_do_not_mix(tmp_path):
    pack = pack_of(tmp_path, a=together(crate(), box((-5, -5, 31), (5, 5, 40))), b=crate())
    seen = shapes_of(pack)
    assert [codes_of(p.report) for p in seen.pieces][1] == ()
    assert "PART_IN_THE_AIR" in codes_of(seen.pieces[0].report)
    assert {f.file for f in seen.pieces[0].report} == {"a.stl"}


# --- globs, and files whose names look like some ----------------------------------------------------------------------


def owners(pack):
    return {m.file: m.said.get("role", "") for m in pack.members}


@pytest.mark.parametrize(
    ("glob", "files"),
    [
        ("**/*", ["a.stl", "b[1].stl", "old/a.stl", "old/far/a.stl"]),
        ("**/a.stl", ["a.stl", "old/a.stl", "old/far/a.stl"]),
        ("old/**/a.stl", ["old/a.stl", "old/far/a.stl"]),
        ("old/*", ["old/a.stl", "old/far/a.stl"]),
        ("[ab].stl", ["a.stl"]),
        ("b[[]1].stl", ["b[1].stl"]),
        ("b[1].stl", ["b[1].stl"]),
        ("?.stl", ["a.stl"]),
    ],
)
def test_what_a_glob_means(tmp_path, glob, files):
    (tmp_path / "old" / "far").mkdir(parents=True)
    for folder in ("old", "old/far"):
        write_mesh(tmp_path / folder / "a.stl", *crate())
    manifest = HEAD + f'[piece."{glob}"]\nrole = "scatter"\n'
    pack = pack_of(tmp_path, manifest, **{"a": crate(), "b[1]": crate()})
    assert sorted(file for file, role in owners(pack).items() if role == "scatter") == files
    quiet = Policy(per_file={glob: ("MESH_OPEN",)})
    heard_of = [f for f in ("a.stl", "b[1].stl", "old/a.stl", "old/far/a.stl") if not quiet.keeps(open_in(f))]
    assert heard_of == files


def open_in(file):
    return Finding("MESH_OPEN", Severity.WARNING, "", file=file)


def test_many_folders_in_a_glob_take_no_time(tmp_path):
    glob = "**/a" * 80 + "/*.stl"
    assert not meant_by(glob)("a/" * 200 + "b.obj")


@pytest.mark.parametrize("name", ["tower [old]", "is it?", "a*b", "C:ruin", "16:9 board", "back\\slash", "[x]"])
@pytest.mark.skipif(os.name == "nt", reason="no such names there")
def test_a_file_may_have_any_name_that_can_be_shown(tmp_path, name):
    folder = written(tmp_path / "pack", None, **{name: crate(), "a": crate()})
    text, _ = first_manifest(folder)
    (folder / "pack.toml").write_text(text, encoding="utf-8")
    pack = read_pack(folder)
    assert pack.findings.codes == ()
    assert sorted(m.file for m in pack.members) == sorted(["a.stl", f"{name}.stl"])
    assert codes_of(pack_of(tmp_path / "x", HEAD + '[piece.a]\nfile = "C:/a.stl"\n').findings)[0] == "MANIFEST_OUTSIDE"


# --- one pack, however it is named ------------------------------------------------------------------------------------


def test_findings_point_into_the_pack_however_it_was_named(tmp_path, monkeypatch):
    manifest = HEAD + '[piece.gone]\nfile = "gone.stl"\n[piece.out]\nfile = "../a.stl"\n'
    folder = written(tmp_path / "p2", manifest, a=crate())
    monkeypatch.chdir(tmp_path)
    seen = [shapes_of(read_pack(name)) for name in ("p2", "p2/pack.toml", folder)]
    monkeypatch.chdir(folder)
    seen.append(shapes_of(read_pack(".")))
    first = seen[0].report
    assert {f.file for f in first} == {"pack.toml", "a.stl"}
    assert all(one.report.fingerprints() == first.fingerprints() for one in seen)
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results(seen[0])}
    assert uris == {"p2/pack.toml", "p2/a.stl"}
    assert {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results(seen[2])} == {
        "pack.toml",
        "a.stl",
    }


def results(seen):
    return json.loads(sarif(seen))["runs"][0]["results"]


def test_a_command_to_see_a_failure_again_is_what_a_shell_takes(tmp_path, monkeypatch):
    def failing(tasks, **_):
        yield from (Done(t.key, failure=Failure("crashed", "because")) for t in tasks)

    monkeypatch.setattr("sim3d.pack.judging.spread", failing)
    pack = written(tmp_path / "t 2 $(x)", None, **{"it's $HOME": crate()})
    asked = Asked(How(workers=0, standing=False), keep=False, bases=("27",), pitch=2.5)
    told = validated(pack, asked, said=print).validation.all.findings[-1].message
    words = shlex.split(told.partition("to see it again: ")[2])
    assert words[:5] == ["sim3d", "validate", "t 2 $(x)", "--piece", "it's $HOME"]
    assert words[5:] == ["--base", "27", "--pitch", "2.5", "--workers", "0", "--no-store"]


@pytest.mark.parametrize(("key", "value"), [("id", "A b"), ("version", "one")])
def test_how_a_name_is_spelled_is_told_in_words(tmp_path, key, value):
    head = HEAD.replace('id = "test"\n', "") if key == "id" else HEAD
    no = refused(tmp_path / "pack", f'{head}{key} = "{value}"\n')
    assert fires("FORM_BAD_VALUE", no)
    assert "^" not in str(no)
    assert "must be " in str(no)


@pytest.mark.parametrize(
    ("answers", "mm2"),
    [
        ({}, 0.0),
        ({"f": Failure("raised", "a bug")}, 0.0),
        ({"f": {"facts": {}, "findings": []}}, 0.0),
        ({"f": {"facts": {"extents_mm": "abc"}}}, 0.0),
        ({"f": {"facts": {"extents_mm": [20.0, 30.0, 5.0]}}}, 600.0),
    ],
)
def test_how_dear_a_look_is_is_known_with_the_shape(answers: dict[str, Any], mm2: float) -> None:
    shape, look = Task("f", FORM), Task("s", STANDING)
    dear = _Dear([Question(0, "its shape", 1, shape), Question(0, "where a base 27 stands", 1, look)], answers)
    assert dear.cost(shape) == math.inf
    assert dear.cost(look) == mm2
