"""What the page is made of: the library by its recipe, and files of ours that others can read, by others' tools."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sim3d.atlas import atlas
from sim3d.mini import Mini
from sim3d.report.showing import Shown, glb_of
from sim3d.solid import read_solid
from sim3d.solid.write import encode
from sim3d.table import Table
from sim3d.view.page import SCRIPTS
from sim3d.view.standing_map import draped
from tests.chromium import needed
from tests.house import HOUSE

ROOT = Path(__file__).parent.parent
WEB = HOUSE / "view" / "web"
RECIPE = ("package.json", "build.mjs", "three.entry.mjs")  # in the order in which build.mjs signs them
NODE = Path(os.environ.get("SIM3D_NODE", "/nowhere"))  # where the gate installed the recipe's and the tests' packages

JUDGE = """
const { createRequire } = require("node:module");
const { readFileSync } = require("node:fs");
const validator = createRequire(process.argv[1] + "/package.json")("gltf-validator");
Promise.all(process.argv.slice(2).map((file) => validator.validateBytes(new Uint8Array(readFileSync(file)))))
  .then((reports) => console.log(JSON.stringify(reports.map((report) => report.issues))));
"""


def test_the_library_is_what_its_recipe_makes_and_brings_its_licence() -> None:
    text = (WEB / "three.bundle.js").read_text(encoding="utf-8")
    head = text.partition("*/")[0]
    signed = hashlib.sha256(b"".join((WEB / name).read_bytes() for name in RECIPE)).hexdigest()
    assert f"recipe {signed}" in head, "three.bundle.js is stale; `npm install && npm run build` there makes it"
    package = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    versions = {**package["dependencies"], **package["devDependencies"]}
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions.values())
    assert f"three.js {versions['three']}" in head
    assert "The MIT License" in head
    assert not list(WEB.glob("*lock*"))


def test_no_script_looks_outside() -> None:
    for name in SCRIPTS:
        text = (WEB / name).read_text(encoding="utf-8")
        for word in ("fetch(", "XMLHttpRequest", "import(", "innerHTML", "eval(", "http://", "https://"):
            assert word not in text, f"{name} says {word}"


def test_the_library_is_built_again_to_the_same_bytes() -> None:
    needed("esbuild (SIM3D_NODE)", (NODE / "node_modules" / "esbuild").is_dir())
    subprocess.run(["node", "build.mjs"], cwd=NODE, check=True, capture_output=True)
    assert (NODE / "three.bundle.js").read_bytes() == (WEB / "three.bundle.js").read_bytes()


def test_glb_files_pass_the_validator_of_the_format(tmp_path: Path) -> None:
    needed("gltf-validator (SIM3D_NODE)", (NODE / "node_modules" / "gltf-validator").is_dir())
    crate = read_solid(ROOT / "meshes" / "gallery" / "crate.stl", unit="mm")
    files = {
        "board.glb": glb_of(Shown.read(ROOT / "scenarios" / "board.toml")),
        "minis.glb": glb_of(Shown.read(ROOT / "scenarios" / "stand" / "crowd.toml")),
        "map.glb": draped(atlas(Table.of(crate), Mini("27"), pitch=10.0)),
        "plain.glb": encode(".glb", crate.vertices, crate.faces),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    program = shutil.which("node")
    assert program is not None
    done = subprocess.run(
        [program, "-e", JUDGE, str(NODE), *(str(tmp_path / name) for name in files)],
        capture_output=True,
        text=True,
        check=True,
    )
    for name, issues in zip(files, json.loads(done.stdout), strict=True):
        assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), f"{name}: {issues['messages'][:3]}"


def test_what_is_needed_is_skipped_here_and_fails_at_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIM3D_NEEDS", raising=False)
    with pytest.raises(pytest.skip.Exception, match="a unicorn is not installed"):
        needed("a unicorn", False)
    monkeypatch.setenv("SIM3D_NEEDS", "all")
    with pytest.raises(pytest.fail.Exception, match="has to be"):
        needed("a unicorn", False)
    needed("a horse", True)
