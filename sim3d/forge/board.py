"""A board of three by three feet made of the pack: where each piece lies, and the scenario file that says so."""

from __future__ import annotations

from collections.abc import Mapping

from sim3d.forge.item import Item

SIZE_MM = 914.4
ABOUT = "A desert outpost on 3 by 3 feet: two ruins, a landing pad, a bridge with stairs, a hill, houses, towers."

# name, the item it is, x, y, turn in degrees, material
PLACES: tuple[tuple[str, str, float, float, float, str], ...] = (
    ("ruin", "ruin", -296.0, 316.0, 6.0, "resin"),
    ("old-ruin", "ruin", 304.0, -328.0, 188.0, "resin"),
    ("bridge", "bridge", 0.0, 22.0, 20.0, "resin"),
    ("bridge-stairs", "stairs", -197.0, -49.7, 20.0, "resin"),
    ("bridge-ramp", "shuttle-ramp", 191.5, 91.7, 200.0, "pla"),
    ("pad", "landing-pad", -40.0, -278.0, 0.0, "pla"),
    ("hill", "hill", 20.0, 306.0, 8.0, "foam"),
    ("domed-house", "domed-house", 318.0, 312.0, -35.0, "resin"),
    ("small-house", "domed-house", -330.0, -318.0, 70.0, "resin"),
    ("tower", "watch-tower", -370.0, 60.0, 90.0, "mdf"),
    ("far-tower", "watch-tower", 384.0, -38.0, -80.0, "mdf"),
    ("craters", "craters", 240.0, -132.0, 30.0, "foam"),
    ("rocks", "rocks", -190.0, 130.0, 25.0, "resin"),
    ("more-rocks", "rocks", -375.0, -130.0, 100.0, "resin"),
    ("containers", "containers", -30.0, 145.0, -12.0, "pla"),
    ("cargo", "containers", 120.0, -400.0, 8.0, "pla"),
    ("walls", "broken-walls", 372.0, 140.0, 75.0, "resin"),
    ("more-walls", "broken-walls", 56.0, -94.0, 196.0, "resin"),
    ("bags-1", "barricade-bags", 180.0, 245.0, 60.0, "resin"),
    ("bags-2", "barricade-bags", -140.0, 226.0, -70.0, "resin"),
    ("bags-3", "barricade-bags", -215.0, -160.0, 10.0, "resin"),
    ("plates-1", "barricade-plates", 165.0, 185.0, 15.0, "pla"),
    ("plates-2", "barricade-plates", 134.0, -262.0, 62.0, "pla"),
    ("plates-3", "barricade-plates", -300.0, 200.0, 0.0, "pla"),
)


def board_text(items: Mapping[str, Item]) -> str:
    """The scenario file: the table and its pieces."""
    lines = [f'about = "{ABOUT}"', "", "[table]", f"size = [{SIZE_MM}, {SIZE_MM}]  # mm; the origin is the middle"]
    for name, item, x, y, turn, material in PLACES:
        lines += ["", "[[piece]]", f'name = "{name}"', f'mesh = "../meshes/pack/{items[item].file}"']
        lines += [f"at = [{x}, {y}]", f"turn = {turn}", f'material = "{material}"']
    return "\n".join(lines) + "\n"
