"""What people install: wheel and sdist built from here, the wheel in an empty environment without pybullet, used there.

`SIM3D_WHEEL=suite python -m pytest tests/test_wheel.py` also runs, in that environment, every test that needs no
Bullet and no window: minutes, so by hand and by the nightly run. Otherwise loops are not compiled there (numba is told
so): the same code, interpreted, in seconds instead of minutes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from typing import Any

import pytest

from tests.chromium import needed

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
INTERPRETED = {"NUMBA_DISABLE_JIT": "1"}


def said(*words: str | Path, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """A command's end, with nothing of this environment around it."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "NUMBA"))}
    command = [str(word) for word in words]
    return subprocess.run(command, cwd=cwd, env=kept | env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the built files, the sdist unpacked, and an environment with the wheel but without pybullet."""
    folder = tmp_path_factory.mktemp("wheel")
    try:
        import hatchling  # noqa: F401 - the extra `dev` brings it
    except ImportError:
        needed("hatchling", False)
    built = said(sys.executable, "-m", "hatchling", "build", "-d", folder / "dist", cwd=ROOT)
    assert built.returncode == 0, built.stderr
    (wheel,), (sdist,) = ([*(folder / "dist").glob(ending)] for ending in ("*.whl", "*.tar.gz"))
    with tarfile.open(sdist) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # which Python before 3.11.4 does not have
        archive.extractall(folder)
    (folder / sdist.name.removesuffix(".tar.gz")).rename(folder / "source")
    venv.create(folder / "env", with_pip=True)
    pip = [folder / "env" / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
    installed = said(*pip, "install", "--no-compile", "-c", ROOT / "constraints.txt", wheel, cwd=folder)
    if installed.returncode and "No matching distribution" in installed.stderr + installed.stdout:
        needed(f"a package index ({installed.stderr.strip().splitlines()[-1]})", False)
    assert installed.returncode == 0, installed.stderr
    said(*pip, "uninstall", "--yes", "pybullet", cwd=folder)
    return folder


def sim3d(home: Path, *words: str | Path, code: int = 0) -> Any:
    """The installed command, in the sources that the sdist brought; its data, or its text."""
    env = INTERPRETED | {"XDG_CACHE_HOME": str(home / "cache")}
    done = said(home / "env" / "bin" / "sim3d", *words, cwd=home / "source" / "meshes", **env)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout) if "--json" in words else done.stdout


def test_the_wheel_is_what_is_used_and_no_pybullet_is_there(home: Path) -> None:
    code = "import importlib.util as u, sim3d; print(sim3d.__file__, u.find_spec('pybullet'))"
    done = said(home / "env" / "bin" / "python", "-c", code, cwd=home)
    assert done.stdout.startswith(str(home / "env")), done.stderr
    assert done.stdout.endswith(" None\n")


def test_both_witnesses_answer_with_rapier(home: Path) -> None:
    asked = ["stand", "--mesh", "gallery/crate.stl", "--base", "27", "--com", "15", "--json", "--at"]
    answer = sim3d(home, *asked, "39,0", code=1)
    assert (answer["answer"], answer["decided_by"]) == ("precarious", ["statics", "settle"])
    assert answer["margin_mm"] == pytest.approx(1.0)
    done = said(home / "env" / "bin" / "sim3d", *asked, "0,0", "--engine", "bullet", cwd=home / "source" / "meshes")
    assert (done.returncode, done.stdout) == (2, "")
    assert "bullet is not installed here" in done.stderr


def test_a_map_a_pack_and_scenarios(home: Path) -> None:
    told = sim3d(home, "atlas", "gallery/crate.stl", "--pitch", "5", "--area", "30,0,50,0", "--audit", "2", "--json")
    assert told["audit"]["asked"] == 2
    pack = home / "source" / "meshes" / "mine"
    pack.mkdir()
    shutil.copy(pack.parent / "gallery" / "crate.stl", pack)
    made = sim3d(home, "validate", "mine", "--no-standing", "--no-store", "--json")
    assert [p["verdict"] for p in made["pieces"]] == ["valid"]
    assert "steps in 1 file held" in sim3d(home, "run", "../scenarios/stand/ledge.toml", "--engine", "rapier")


@pytest.mark.skipif(os.environ.get("SIM3D_WHEEL") != "suite", reason="minutes: SIM3D_WHEEL=suite asks for it")
def test_all_that_needs_no_bullet_and_no_window_passes_there(home: Path) -> None:
    python = home / "env" / "bin" / "python"
    tools = ["pytest", "pytest-xdist", "hypothesis", "jsonschema", "junitparser", "dask", "distributed"]
    got = said(python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", *tools, cwd=home)
    assert got.returncode == 0, got.stderr
    source = home / "source"
    shutil.rmtree(source / "sim3d")  # what is tested is what was installed
    words = ["-q", "-n", "2", "-m", "not slow", "-p", "no:cacheprovider", "--deselect", "tests/test_house.py", "tests"]
    done = said(python, "-m", "pytest", *words, cwd=source)
    assert done.returncode == 0, done.stdout[-5000:]
    print(done.stdout.splitlines()[-1])
