"""What `sim3d atlas` says: areas per word, the ground that hangs together, what the engine said."""

from __future__ import annotations

from sim3d.atlas import Atlas
from sim3d.form import to_json_line

MOST_REGIONS = 3  # told of a layer as text


def map_json(made: Atlas) -> str:
    """One line of JSON per map."""
    return to_json_line(made.summary())


def map_text(made: Atlas) -> str:
    """A map in lines."""
    rows, columns = made.shape
    cells = rows * columns
    lines = [f"base {made.base}: {cells:,} cell{'' if cells == 1 else 's'} of {made.pitch_mm:g} mm"]
    for k, layer in enumerate(made.layers):
        name = "set down from above" if layer.level is None else f"set down below {layer.level:g} mm"
        lines.append(f"  {name}" + (f", turned {layer.turn:g}°" if layer.turn else ""))
        total = sum(made.areas(k).values())
        for word, area in made.areas(k).items():
            lines.append(f"    {word:12} {area / 100.0:10.1f} cm²  {100.0 * area / total:5.1f} %")
        regions = made.regions(k)
        for r in regions[:MOST_REGIONS]:
            x, y = r.widest_at
            lines.append(
                f"    stands together on {r.area_mm2 / 100.0:.1f} cm², "
                f"widest at {x:g}, {y:g}: {r.widest_mm:.1f} mm round it"
            )
        if len(regions) > MOST_REGIONS:
            lines.append(f"    and {len(regions) - MOST_REGIONS} smaller places")
    lines.append(f"  {made.audit}")
    for one in made.audit.disagreed:
        turned = f", turned by {one.turn:g}" if one.turn else ""
        under = "" if one.level is None else f", under a cut at {one.level:g}"
        lines.append(f"    at {one.x:g}, {one.y:g}{turned}{under}: {one.word}, but {one.why}")
    return "\n".join(lines) + "\n"
