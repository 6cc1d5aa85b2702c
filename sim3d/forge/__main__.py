"""`python -m sim3d.forge`: write the bases, gallery, pack, their READMEs and the sample board; progress on stderr.

`sample()` is the part of it that `sim3d demo` needs, where there is no checkout.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from sim3d.forge import bases, gallery, pack
from sim3d.forge.board import board_text
from sim3d.forge.item import Item, readme
from sim3d.solid.boolean import Mesh

FOLDERS = {"bases": bases.ITEMS, "gallery": gallery.ITEMS, "pack": pack.ITEMS}
TITLES = {
    "bases": "Bases: the catalogue as meshes",
    "gallery": "Gallery: solids for the closed forms",
    "pack": "Sample pack: scenery for minis about 40 mm tall",
}
MADE_BY = "Made by `python -m sim3d.forge`; this table too. Millimetres, z up, standing on z = 0. "
WORDS = {
    "bases": MADE_BY + "Front towards +x, the underside's middle at the origin; arcs are chords straying 0.01 mm.",
    "gallery": MADE_BY + "Each solid is there for a closed form; its number is the one the tests of the laws give it.",
    "pack": MADE_BY
    + "The origin is the middle of the footprint. Every piece is one closed solid, detailed as a print is: panel "
    "lines, uneven planks, chips, rubble. The last column lists heights z one can stand on.",
}
NOTES = {"bases": "thickness, mm", "gallery": "serves", "pack": "levels, mm"}


def main(arguments: list[str] | None = None) -> int:
    """Write everything, or what `--only` names, under `--out`; 0 when done, 2 for a name that is not made here."""
    parser = argparse.ArgumentParser(prog="python -m sim3d.forge", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(), help="the folder that gets meshes/ and scenarios/")
    parser.add_argument("--only", action="append", metavar="NAME", help="a piece's name, or 'board'; may be repeated")
    asked = parser.parse_args(arguments)
    names = {"board", *(item.name for items in FOLDERS.values() for item in items)}
    unknown = [name for name in asked.only or () if name not in names]
    if unknown:
        sys.stderr.write(f"not made here: {', '.join(unknown)}; choose from {', '.join(sorted(names))}\n")
        return 2
    if not asked.only:
        _folder(asked.out, "bases")
        _folder(asked.out, "gallery")
        sample(asked.out)
        return 0
    for folder, items in FOLDERS.items():
        _written(asked.out / "meshes" / folder, tuple(item for item in items if item.name in asked.only))
    if "board" in asked.only:
        _board(asked.out)
    return 0


def sample(out: Path) -> None:
    """The sample pack with its manifest, and the sample board, under a folder."""
    _folder(out, "pack")
    manifest = Path(__file__).with_name("pack.toml")
    (out / "meshes" / "pack" / manifest.name).write_bytes(manifest.read_bytes())
    _board(out)


def _folder(out: Path, name: str) -> None:
    made = _written(out / "meshes" / name, FOLDERS[name])
    text = readme(TITLES[name], WORDS[name], made, note=NOTES[name])
    (out / "meshes" / name / "README.md").write_text(text, encoding="utf-8", newline="\n")


def _board(out: Path) -> None:
    scenarios = out / "scenarios"
    scenarios.mkdir(parents=True, exist_ok=True)
    text = board_text({item.name: item for item in pack.ITEMS})
    (scenarios / "board.toml").write_text(text, encoding="utf-8", newline="\n")
    sys.stderr.write("board.toml\n")


def _written(folder: Path, items: tuple[Item, ...]) -> tuple[tuple[Item, Mesh], ...]:
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for item in items:
        begun = time.perf_counter()
        mesh = item.built()
        content = item.encoded(mesh)
        (folder / item.file).write_bytes(content)
        spent = time.perf_counter() - begun
        sys.stderr.write(f"{item.file:24} {len(mesh[1]):>8} triangles {len(content) / 1e3:>9.1f} kB {spent:6.2f} s\n")
        made.append((item, mesh))
    return tuple(made)


if __name__ == "__main__":
    sys.exit(main())
