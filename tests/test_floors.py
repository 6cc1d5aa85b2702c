"""The house stands: imports go down, each stranger has one door, every file has a floor. Imports nothing of ours."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.house import HOUSE

# The plan of the house: a module imports from lower floors only; a folder is one module, whose files import each other.
FLOORS = {
    "asked": 0,
    "compiled": 0,
    "finding": 0,
    "keep": 0,
    "names": 0,
    "space": 0,
    "stopping": 0,
    "certificate": 1,
    "form": 1,
    "plane": 1,
    "solid": 1,
    "spread": 1,
    "expect": 2,
    "mini": 2,
    "table": 3,
    "engine": 4,
    "ground": 4,
    "settle": 5,
    "statics": 5,
    "overlap": 6,
    "stand": 7,
    "check": 8,
    "atlas": 8,
    "rules": 9,
    "question": 8,
    "pack": 10,
    "scenario": 10,
    "forge": 10,
    "view": 11,
    "report": 12,
    "cli": 13,
    "__init__": 14,
    "__main__": 14,
}

# Each third-party library, and the one module that may import it. numpy is the common tongue.
DOORS = {
    "dask": "spread",
    "distributed": "spread",
    "jinja2": "report",
    "lxml": "solid",
    "manifold3d": "solid",
    "networkx": None,
    "numba": "compiled",
    "pybullet": "engine",
    "pydantic": "form",
    "rapier3d": "engine",
    "rich": "cli",
    "scipy": "solid",
    "shapely": "plane",
    "trimesh": "solid",
    "typer": "cli",
}
COMMON = {"numpy"}


def room_of(path: Path, house: Path) -> str:
    relative = path.relative_to(house)
    return relative.parts[0].removesuffix(".py")


def imports_of(path: Path, house: Path) -> list[tuple[str, int]]:
    """Every module a file imports, wherever in the file, also through import_module with a literal."""
    package = ("sim3d", *path.relative_to(house).parts[:-1])
    found: list[tuple[str, int]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join((*package[: len(package) - node.level + 1], *([base] if base else [])))
            if base == "sim3d":
                found += [(f"sim3d.{alias.name}", node.lineno) for alias in node.names]
            else:
                found.append((base, node.lineno))
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in ("import_module", "__import__") and node.args and isinstance(node.args[0], ast.Constant):
                found.append((str(node.args[0].value), node.lineno))
    return found


def broken_rules(house: Path) -> list[str]:
    wrong = []
    for path in sorted(house.rglob("*.py")):
        room, where = room_of(path, house), path.relative_to(house.parent).as_posix()
        if room not in FLOORS:
            wrong.append(f"{where}: {room} has no floor")
            continue
        for module, line in imports_of(path, house):
            top, *rest = module.split(".")
            if top == "sim3d":
                other = rest[0] if rest else "__init__"
                if other == "__version__":
                    continue
                if other not in FLOORS:
                    wrong.append(f"{where}:{line}: {other} has no floor")
                elif other != room and FLOORS[other] >= FLOORS[room]:
                    wrong.append(f"{where}:{line}: {room} (floor {FLOORS[room]}) imports {other} ({FLOORS[other]})")
            elif top in DOORS:
                if DOORS[top] != room:
                    wrong.append(f"{where}:{line}: {top} enters through {DOORS[top]}, not {room}")
            elif top not in COMMON and top not in sys.stdlib_module_names:
                wrong.append(f"{where}:{line}: {top} has no door")
    return wrong


def test_the_house_stands() -> None:
    assert len([*HOUSE.rglob("*.py")]) > 100
    assert broken_rules(HOUSE) == []


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("space.py", "from sim3d.table import Table\n", "space (floor 0) imports table"),
        ("space.py", "from .table import Table\n", "space (floor 0) imports table"),
        ("solid/stl.py", "from ..mini import Mini\n", "solid (floor 1) imports mini"),
        ("space.py", "def f():\n    from sim3d import table\n", "space (floor 0) imports table"),
        ("mini.py", "def f():\n    import trimesh\n", "trimesh enters through solid, not mini"),
        ("mini.py", "import importlib\nm = importlib.import_module('trimesh.creation')\n", "trimesh enters through"),
        ("mini.py", "import requests\n", "requests has no door"),
        ("attic.py", "", "attic has no floor"),
        ("stand.py", "from sim3d.rules.legion import judge\n", "stand (floor 7) imports rules"),
    ],
)
def test_a_planted_fault_is_caught(tmp_path: Path, file: str, text: str, complaint: str) -> None:
    planted = tmp_path / "sim3d" / file
    planted.parent.mkdir(parents=True)
    planted.write_text(text, encoding="utf-8")
    assert any(complaint in wrong for wrong in broken_rules(tmp_path / "sim3d"))


# --- within a room ----------------------------------------------------------------------------------------------------


def loaded_with(house: Path) -> dict[str, set[str]]:
    """The files that each file reads as it is loaded itself, by the names of their modules."""
    names = {
        path: ".".join(path.relative_to(house.parent).with_suffix("").parts) for path in sorted(house.rglob("*.py"))
    }
    files = {name.removesuffix(".__init__"): path for path, name in names.items()}
    out: dict[str, set[str]] = {}
    for name, path in files.items():
        froms = [n for n in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(n, ast.ImportFrom)]
        pairs = [(str(node.module), f"{node.module}.{alias.name}") for node in froms for alias in node.names]
        read = {whole if whole in files else module for module, whole in pairs}
        out[name] = {other for other in read if other in files and other != name}
    return out


def test_no_file_waits_for_itself() -> None:
    loaded = loaded_with(HOUSE)
    assert "sim3d.rules.legion.offers" in loaded["sim3d.rules.legion.choosing"]
    TopologicalSorter(loaded).prepare()  # a CycleError names those that go round


def test_files_that_go_round_are_told(tmp_path: Path) -> None:
    room = tmp_path / "sim3d" / "room"
    room.mkdir(parents=True)
    for name, other in (("one", "two"), ("two", "three"), ("three", "one")):
        (room / f"{name}.py").write_text(f"from sim3d.room.{other} import thing\n", encoding="utf-8")
    with pytest.raises(CycleError, match="cycle"):
        TopologicalSorter(loaded_with(tmp_path / "sim3d")).prepare()
    (room / "three.py").write_text("if TYPE_CHECKING:\n    from sim3d.room.one import thing\n", encoding="utf-8")
    TopologicalSorter(loaded_with(tmp_path / "sim3d")).prepare()


# --- a proof shares nothing with the solver ---------------------------------------------------------------------------

SOLVER = ("engine", "ground", "settle", "stand", "statics")  # where verdicts come from
VALUES = {"certificate", "check", "mini", "plane", "space", "table"}  # what a proof may look at


def test_the_checker_shares_no_code_with_the_solver() -> None:
    # a name that only the type checker reads is no code
    rooms = set()
    for path in sorted((HOUSE / "check").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        typing_only = {
            line
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        }
        for module, line in imports_of(path, HOUSE):
            top, *rest = module.split(".")
            if line not in typing_only and top == "sim3d":
                rooms.add(rest[0])
            elif line not in typing_only:
                assert top in COMMON or top in sys.stdlib_module_names, f"{path.name}:{line} imports {module}"
    assert rooms <= VALUES, f"the checker imports {', '.join(sorted(rooms - VALUES))}"


def test_nor_does_anything_it_loads() -> None:
    code = "import sys, sim3d.check; print([m for m in sys.modules if m.split('.')[:1] == ['sim3d']])"
    loaded = ast.literal_eval(subprocess.check_output([sys.executable, "-c", code], text=True))
    assert "sim3d.check.proofs" in loaded
    assert [m for m in loaded if m.split(".")[1:2] and m.split(".")[1] in SOLVER] == []


def made_in_lean_loops(source: str) -> list[str]:
    """What loops compiled without counts may not do: an array's own methods and numpy's functions make arrays inside.

    numba compiles such a call only where its parts lie in the cache already, so no run with a full one would tell.
    """
    wrong = []
    for node in ast.parse(source).body:
        marks = {d.id for d in getattr(node, "decorator_list", []) if isinstance(d, ast.Name)}
        for call in ast.walk(node) if "lean" in marks else ():
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                named = ast.unparse(call.func)
                wrong += [] if named.startswith("math.") else [f"{named} in line {call.lineno}"]
            if (
                isinstance(call, ast.Subscript)
                and isinstance(call.ctx, ast.Store)
                and isinstance(call.slice, ast.Slice)
            ):
                wrong.append(f"{ast.unparse(call)} assigned in line {call.lineno}")
    return wrong


def test_lean_loops_make_no_arrays() -> None:
    lean = [p for p in HOUSE.rglob("*.py") if "@lean" in p.read_text(encoding="utf-8") and p.parent.name != "compiled"]
    assert len(lean) > 10
    assert {p.name: said for p in lean if (said := made_in_lean_loops(p.read_text(encoding="utf-8")))} == {}


@pytest.mark.parametrize("body", ["return a.min()", "a[:2] = b", "return np.sqrt(a)"])
def test_a_lean_loop_that_makes_arrays_is_told(body: str) -> None:
    assert made_in_lean_loops(f"@lean\ndef f(a, b):\n    {body}\n")
    assert not made_in_lean_loops(f"@compiled\ndef f(a, b):\n    {body}\n")


LENDS = ("lent", "uncounted")  # how a loop hands on what is not counted


def lent_of_its_own(source: str) -> list[str]:
    """What loops hand on uncounted that they were not given: nobody holds it, and it may be gone when it is read."""
    wrong = []
    if not any(f"{word}(" in source for word in LENDS):
        return wrong
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef):
            continue
        given = {a.arg for a in node.args.args}
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in LENDS:
                named = {n.id for a in call.args for n in ast.walk(a) if isinstance(n, ast.Name)}
                plain = not any(isinstance(n, ast.Call) for a in call.args for n in ast.walk(a))
                made = {
                    n.id
                    for n in ast.walk(node)
                    if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.lineno < call.lineno
                }
                if not plain or not named <= given - made:
                    wrong.append(f"{ast.unparse(call)} in line {call.lineno}")
    return wrong


def test_loops_lend_what_they_were_given() -> None:
    files = [p for p in HOUSE.rglob("*.py") if p.parent.name != "compiled"]
    sources = {str(p.relative_to(HOUSE)): p.read_text(encoding="utf-8") for p in files}
    assert sum("lent(" in source for source in sources.values()) >= 4
    assert {name: said for name, source in sources.items() if (said := lent_of_its_own(source))} == {}


@pytest.mark.parametrize("body", ["b = made()\n    b = lent(b)", "b = lent(made(a))", "a = made()\n    b = lent(a)"])
def test_a_loop_that_lends_what_it_made_is_told(body: str) -> None:
    assert lent_of_its_own(f"def f(a):\n    {body}\n    return g(b)\n")
    assert not lent_of_its_own("def f(a):\n    b = lent(a)\n    return g(b)\n")
