"""A story as one HTML file: three-dimensional, offline, with layers, findings and a slider of time.

It opens from disk and loads nothing: its policy forbids it to. Whatever stood in a file is data and text, never markup
or code. Meshes are simplified for display and the page says so; every verdict comes from the full ones.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim3d import __version__
from sim3d.finding import Severity
from sim3d.mini import Mini
from sim3d.settle import NUDGE_DEG
from sim3d.space import Floats
from sim3d.stand import WORDS
from sim3d.view.bulk import Bulk
from sim3d.view.numbers import UNITS, numbers_of
from sim3d.view.picture import BASE, STONE
from sim3d.view.plainer import MOST_FACES, plainer
from sim3d.view.scene import Area, Figure, Map, Marker, Moment, Motion, Scene, Story, colour_of
from sim3d.view.standing_map import BARELY, COLOURS, SURE_DEG
from sim3d.view.tableau import COLOURS as MATERIALS
from sim3d.view.tableau import ground_of

WEB = Path(__file__).parent / "web"
SCRIPTS = ("unpack.js", "camera.js", "terrain.js", "figures.js", "panel.js", "main.js", "story.js")  # in this order
WHY: Mapping[str, str] = {
    "off-table": "Its base would reach over the table's edge.",
    "blocked": "Terrain is in the way of its base or its body.",
    "falls": "There is nothing under its base.",
    "topples": "Nothing carries its centre of mass on one side: it goes over.",
    "slides": "It needs more friction than there is to hold here.",
    "too-steep": "It would hold, but leans {tilt_deg}°, more than 45°.",
    "precarious": "It rests at {height_mm} mm, leaning {tilt_deg}°, but a tilt of {tip_deg}° takes it over: its centre "
    "of mass is {margin_mm} mm inside what carries it.",
    "stable": "It rests at {height_mm} mm, leaning {tilt_deg}°, and takes a tilt of {tip_deg}° to go over.",
    "undecided": "It lies on the limit between two answers: nobody can call it.",
}
MAP_NUMBERS = (
    ("height_mm", "height", " mm"),
    ("tilt_deg", "tilt", "°"),
    ("tip_deg", "tips at", "°"),
    ("margin_mm", "margin", " mm"),
)
HIGH_STEP_MM = 0.02  # of heights on a page
FEW_DIGITS, SPIN_DIGITS = 4, 7


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of text beside the picture."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def page_of(story: Story, *, sheets: Sequence[Sheet] = (), most_faces: int = MOST_FACES) -> bytes:
    """The file; maps and markers are those of the first moment."""
    bulk = Bulk()
    first = story.moments[0].scene
    data = _Page(bulk, story, most_faces).data()
    data["maps"] = [_map_group(bulk, group) for group in _by_base(first.maps)]
    data["findings"] = [_finding(marker) for marker in sorted(first.markers, key=lambda m: Severity.of(m.severity))]
    data["tables"] = [{"caption": s.caption, "head": s.head, "rows": s.rows} for s in sheets]
    return _written(story, data, bulk).encode("utf-8", "replace")  # a file's name may be no text


def _written(story: Story, data: dict[str, Any], bulk: Bulk) -> str:
    script = "(() => {\n'use strict';\n" + "\n".join(_web(name) for name in SCRIPTS) + "})();\n"
    style, library = _web("page.css"), _web("three.bundle.js")
    policy = (
        f"default-src 'none'; script-src {_hash(library)} {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": html.escape(policy),
        "version": html.escape(__version__),
        "title": html.escape(story.file or "sim3d"),
        "about": html.escape(story.about),
        "style": style,
        "data": json_text(data),
        "bulk": bulk.text(),
        "library": library,
        "script": script,
    }
    made = []
    for i, piece in enumerate(_web("page.html").split("{{")):  # what is put in is never looked at again
        name, closed, rest = piece.partition("}}")
        made += [parts[name], rest] if i and closed else [piece]
    return "".join(made)


def json_text(data: Any) -> str:
    """JSON that ends no element of HTML, whatever its strings hold.

    >>> json_text({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _web(name: str) -> str:
    return (WEB / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


class _Page:
    """The data of one page under way: meshes and minis are kept once, whoever shows them."""

    def __init__(self, bulk: Bulk, story: Story, most_faces: int) -> None:
        self.bulk, self.story, self.most = bulk, story, most_faces
        self.meshes: list[dict[str, Any]] = []
        self.minis: list[dict[str, int]] = []
        self.numbers: dict[int, int] = {}
        self.kept: list[Mini] = []  # so that no other mini gets the identity of one that was shown
        self.hexes: list[list[dict[str, Any]]] = []

    def data(self) -> dict[str, Any]:
        """Everything but maps, findings and tables."""
        table = self.story.moments[0].scene.table
        pieces, told = self._pieces()
        corners = [p.vertices() for p in table.pieces]
        bounds = [np.concatenate([c.min(axis=0), c.max(axis=0)]) for c in corners if len(c)]
        moments = [self._moment(m) for m in self.story.moments]
        low, high = self._extent(bounds)
        return {
            "version": 1,
            "meshes": self.meshes,
            "pieces": pieces,
            "minis": self.minis,
            "moments": moments,
            "hexes": self.hexes,
            "low": low,
            "high": high,
            "off_mm": told["off_mm"],
            "notes": self._notes(told),
            "base_colour": BASE,
            "words": [{"word": word, "colour": COLOURS[word]} for word in WORDS],
            "barely": BARELY,
            "nudge_deg": NUDGE_DEG,
            "sure_deg": SURE_DEG,
            "why": WHY,
            "map_numbers": MAP_NUMBERS,
        }

    def _extent(self, bounds: list[Any]) -> tuple[list[float], list[float]]:
        """The box of everything: terrain, minis, the table itself if it has an edge."""
        scene = self.story.moments[0].scene
        points = [b.reshape(2, 3) for b in bounds]
        for figure in (f for m in self.story.moments for f in m.scene.figures):
            x, y, z = figure.pose.place
            r = figure.mini.base.outline.reach_mm()
            points.append(np.array([[x - r, y - r, z], [x + r, y + r, z + figure.mini.height_mm]]))
        points += [
            np.array([(*c, h.height_mm or 0.0) for c in h.corners])
            for m in self.story.moments[:1]
            for h in m.scene.hexes
        ]
        ground = ground_of(scene)
        points += [ground.vertices] if ground is not None else []
        every = np.concatenate(points) if points else np.array([[-50.0, -50, 0], [50, 50, 30]])
        return _rounded(every.min(axis=0)), _rounded(every.max(axis=0))

    def _pieces(self) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Terrain and ground; a solid that stands there twice is kept once."""
        table = self.story.moments[0].scene.table
        solids = list({id(p.solid): p.solid for p in table.pieces}.values())
        times = [sum(p.solid is solid for p in table.pieces) for solid in solids]
        meshes, off = plainer(solids, self.most, times=times)
        numbers = {}
        for solid, (vertices, faces) in zip(solids, meshes, strict=True):
            for scale in dict.fromkeys(p.scale for p in table.pieces if p.solid is solid):
                numbers[id(solid), scale] = self._mesh(vertices * scale, faces)
        pieces = [
            {
                "name": p.name,
                "mesh": numbers[id(p.solid), p.scale],
                "colour": MATERIALS.get(p.material, STONE),
                "place": _rounded(p.pose.place),
                "spin": _rounded(p.pose.spin, SPIN_DIGITS),
            }
            for p in table.pieces
        ]
        ground = ground_of(self.story.moments[0].scene)
        if ground is not None:
            number = self._mesh(ground.vertices, ground.faces)
            pieces.append(
                {"name": "table", "mesh": number, "colour": ground.colour, "place": [0, 0, 0], "spin": [1, 0, 0, 0]}
            )
        shown = {id(s): len(m[1]) for s, m in zip(solids, meshes, strict=True)}
        told = {
            "shown": sum(shown[id(p.solid)] for p in table.pieces),
            "faces": sum(len(p.solid.faces) for p in table.pieces),
        }
        return pieces, told | {"off_mm": off, "kept": sum(shown.values())}

    def _notes(self, told: dict[str, Any]) -> list[str]:
        notes = []
        if told["off_mm"]:
            notes.append(
                f"Simplified for display: {told['shown']:,} of {told['faces']:,} triangles are shown, at most "
                f"{told['off_mm']:g} mm off the true surface. Every verdict comes from the full meshes."
            )
        notes.append("One file, opened from disk; it loads nothing from anywhere.")
        return [*notes, f"Made by sim3d {__version__}."]

    def _mesh(self, vertices: Any, faces: Any) -> int:
        self.meshes.append(self.bulk.mesh(np.asarray(vertices, np.float64), np.asarray(faces)))
        return len(self.meshes) - 1

    def _mini(self, figure: Figure) -> int:
        if id(figure.mini) not in self.numbers:
            base, body = figure.shapes()
            self.numbers[id(figure.mini)] = len(self.minis)
            self.kept.append(figure.mini)
            meshes = {"base": self._mesh(base.vertices, base.faces), "body": self._mesh(body.vertices, body.faces)}
            self.minis.append(meshes)
        return self.numbers[id(figure.mini)]

    def _moment(self, moment: Moment) -> dict[str, Any]:
        told, scene = moment.told, moment.scene
        colour = colour_of(told.word) if told.word else STONE
        return {
            "number": told.number,
            "who": told.who,
            "title": told.title,
            "word": told.word,
            "colour": colour,
            "ok": told.ok,
            "about": told.about,
            "lines": told.lines,
            "failed": told.failed,
            "focus": scene.focus,
            "figures": [self._figure(f) for f in scene.figures],
            "areas": [_area(area) for area in scene.areas],
            "ways": [{"points": _rows(w.points), "colour": w.colour, "layer": w.layer} for w in scene.lines],
            "words": [{"at": _rounded(w.at), "text": w.text} for w in scene.words],
            "hexes": self._hexes(scene),
            "motions": [self._motion(m) for m in moment.motions],
        }

    def _motion(self, motion: Motion) -> dict[str, Any]:
        poses = [(*one.pose.place, *one.pose.spin) for one in motion.track]
        times = [one.time_s for one in motion.track]
        return {"figure": motion.figure, "times": self.bulk.put("f4", times), "poses": self.bulk.put("f4", poses)}

    def _figure(self, figure: Figure) -> dict[str, Any]:
        stand = figure.stand
        about = f"base {figure.mini.base.name}" + (f", {figure.side}" if figure.side else "")
        return {
            "name": figure.name,
            "mini": self._mini(figure),
            "about": about,
            "colour": figure.colour,
            "word": figure.word,
            "rests": figure.rests,
            "place": _rounded(figure.pose.place),
            "spin": _rounded(figure.pose.spin, SPIN_DIGITS),
            "height_mm": figure.mini.height_mm,
            "com": _rounded(figure.com),
            "ground_point": _rounded(figure.ground_point),
            "support": _rows(figure.support),
            "forces": [
                {"place": _rounded(f.place), "tip": _rounded(f.tip), "share": round(math.hypot(*f.share), FEW_DIGITS)}
                for f in figure.forces
            ],
            "why": stand.why if stand else "",
            "numbers": [(label, number, UNITS[unit]) for label, number, unit in numbers_of(stand)] if stand else [],
        }

    def _hexes(self, scene: Scene) -> int:
        if not scene.hexes:
            return -1
        told = [
            {
                "name": h.name,
                "corners": _rows(h.corners),
                "height_mm": h.height_mm,
                "standable": h.standable,
                "about": h.about,
                "colour": h.colour,
                "zones": h.zones,
                "walls": h.walls,
            }
            for h in scene.hexes
        ]
        if told not in self.hexes:
            self.hexes.append(told)
        return self.hexes.index(told)


def _area(area: Area) -> dict[str, Any]:
    rings = [_rows(ring) for ring in area.rings]
    told = {"rings": rings, "colour": area.colour, "layer": area.layer}
    return told | {"alpha": area.alpha, "height_mm": area.height_mm}


def _rounded(values: Any, digits: int = FEW_DIGITS) -> list[float]:
    return [round(float(v), digits) + 0.0 for v in values]


def _rows(points: Any) -> list[list[float]]:
    return [_rounded(p, 3) for p in points]


# --- maps and findings ------------------------------------------------------------------------------------------------


def _by_base(maps: Sequence[Map]) -> list[list[Map]]:
    """The layers that are shown together: those of one map with one facing."""
    groups: dict[tuple[int, float], list[Map]] = {}
    for one in maps:
        groups.setdefault((id(one.atlas), one.atlas.layers[one.layer].turn), []).append(one)
    return list(groups.values())


def _map_group(bulk: Bulk, group: Sequence[Map]) -> dict[str, Any]:
    atlas = group[0].atlas
    layers = [atlas.layers[one.layer] for one in group]
    known = [n for layer in layers for n in (layer.numbers[:, :, 0], layer.numbers[:, :, 7])]
    low = min((float(np.nanmin(n)) for n in known if np.isfinite(n).any()), default=0.0)
    return {
        "base": atlas.base,
        "turn": layers[0].turn,
        "pitch": atlas.pitch_mm,
        "first": list(atlas.first),
        "shape": list(atlas.shape),
        "low": low,
        "step": HIGH_STEP_MM,
        "outline": _rows(_turned(group[0].outline, layers[0].turn)),
        "layers": [_layer(bulk, one, low) for one in group],
    }


def _layer(bulk: Bulk, one: Map, low: float) -> dict[str, Any]:
    layer = one.atlas.layers[one.layer]
    numbers = layer.numbers
    words = layer.words.astype(np.uint8)
    more: dict[str, Any] = {}
    if one.unreachable is not None:
        words = words + np.where(one.unreachable, 16, 0).astype(np.uint8)
        more["unreachable_mm2"] = float(one.unreachable.sum()) * one.atlas.pitch_mm**2
    return {
        "name": one.name,
        "level": layer.level,
        "words": bulk.put("u1", words),
        "surface": bulk.sixteen(numbers[:, :, 7], low, HIGH_STEP_MM),
        "numbers": {
            "height_mm": bulk.sixteen(numbers[:, :, 0], low, HIGH_STEP_MM),
            "tilt_deg": bulk.hundredths(numbers[:, :, 3]),
            "margin_mm": bulk.hundredths(np.maximum(numbers[:, :, 4], 0.0)),
            "tip_deg": bulk.hundredths(numbers[:, :, 5]),
        },
        "area_mm2": one.atlas.areas(one.layer),
        "total_mm2": layer.words.size * one.atlas.pitch_mm**2,
    } | more


def _turned(ring: Floats, turn: float) -> Floats:
    a = math.radians(turn)
    turned: Floats = ring @ np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
    return turned


def _finding(marker: Marker) -> dict[str, Any]:
    told = {"code": marker.code, "severity": marker.severity, "message": marker.message, "piece": marker.piece}
    return told | {"places": _rows(marker.places)}
