"""Pictures of stories without a window: what every step found, one step with its forces, a settle that moves, a sheet.

The same scenes as in the window and on the page. Minis are where they rest, in the colour of their word; what hides
behind them (contacts, support, centre of mass) is drawn over them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath

import numpy as np

from sim3d.space import Floats
from sim3d.view.camera import Camera
from sim3d.view.card import WIDE, card_of, wrapped
from sim3d.view.draw import disc, legend, line, polygon, scale_bar, text, text_width
from sim3d.view.hexmarks import entries_of, marks_of, washes_of
from sim3d.view.outlook import side_of
from sim3d.view.picture import FELT, INK, PAPER, STONE, Colour, Image, Shape, bounds_of, outline_of, render
from sim3d.view.png import png_bytes
from sim3d.view.props import draped, flat, rod
from sim3d.view.scene import Area, Figure, Moment, Motion, Scene, Story, colour_of
from sim3d.view.stage import FORCE, OVER_MM, SUPPORT, WEIGHT
from sim3d.view.tableau import shapes_of

MARKS: tuple[tuple[Colour, str], ...] = (
    (FORCE, "pushes, 40 mm for the weight"),
    (WEIGHT, "centre of mass, point below"),
    (SUPPORT, "support"),
)
CARD_PX = WIDE + 24  # a card, and the room around it
EMPTY = Shape(np.array([[-1.0, -1, 0], [1, -1, 0], [0, 1, 0]]), np.array([[0, 1, 2]]), colour=FELT)
FRAMES_HZ = 12.5
SLOWLY = 0.3  # of a table's clock
MOST_FRAMES = 60
SKY: Colour = (0.90, 0.91, 0.925)  # one colour: shades of it would be steps in a GIF
HOLD_MS = 1500  # the last frame of a moving picture stays so long
CLOSE_SHARE = 1.6  # of a mini's height: what is shown around the way it takes
NEAR_MM, NEAR_SHARE = (
    120.0,
    0.35,
)  # what is shown around those whom a step is about, the latter of how far they are apart
BEYOND_MM = 60.0  # of floor around what moves
NEARLY = 0.98  # minis that touch are not in the way of one another
BAND = 0.2  # of a hex on terrain: the rim that says what it is
CELL = (300, 250)  # pixels of a picture on a sheet
LABEL = 44  # pixels under it


def picture_of_story(
    story: Story,
    *,
    width: int,
    height: int,
    azimuth_deg: float | None = None,
    elevation_deg: float = 38.0,
    plan: bool = False,
    step: int | None = None,
) -> bytes:
    """A PNG of a story: all that its steps found together, or one step; a plan has a scale bar, both a legend.

    Without an azimuth it is taken from where the minis that were asked about are seen.
    """
    if step is not None:
        _known(story, step)
    if step is None:
        scene, labels = together(story)
    else:
        scene = story.moments[step].scene
        labels = {figure.name: figure.name for figure in scene.figures} if len(scene.figures) > 1 else {}
    shapes = shapes_of_scene(scene) or [EMPTY]
    left = CARD_PX if step is not None and width >= 2 * CARD_PX else 0  # the card beside what it is about
    if plan:
        camera = Camera.plan(bounds_of(shapes), inset=(left + 10, 10, 10, 50))
    else:
        asked = [f for f in scene.figures if f.word or f.name == scene.focus] or scene.figures
        seen = outline_of(shapes) if step is None else action_of(scene, asked, outline_of(shapes))
        camera_at = partial(Camera.around, seen, elevation_deg=elevation_deg, inset=(left, 0, 0, 0))
        if azimuth_deg is None:
            azimuth_deg = _side(scene, asked, camera_at, width, height)
        camera = camera_at(azimuth_deg=azimuth_deg)
    image = render(shapes, camera, width=width, height=height)
    size = max(11.0, height / 60)
    if step is not None:
        for figure in scene.figures:
            if figure.name == scene.focus:
                _why(image, camera, figure, size / 8)
    named(image, camera, scene, labels, size)
    _legends(image, story, scene, step, size)
    if plan:
        scale_bar(image, (20, height - 20), mm_per_pixel=camera.mm_per_pixel(width=width, height=height))
        room = width - 260.0
        lines = wrapped(story.about, room, 16.0)
        if lines:
            text(image, (width - 20, height - 20), lines[0] + (" …" if len(lines) > 1 else ""), align="right")
    return png_bytes(image)


def action_of(scene: Scene, asked: Sequence[Figure], whole: Floats) -> Floats:
    """Points (n, 3) to be shown of one step: those asked about and their ways, with room; all, where that is less."""
    points = [shape.vertices for figure in asked for shape in figure_shapes(figure)]
    points += [np.array(one.points) for one in scene.lines]
    if not points:
        return whole
    low, high = np.min([p.min(axis=0) for p in points], axis=0), np.max([p.max(axis=0) for p in points], axis=0)
    room = max(NEAR_MM, NEAR_SHARE * float(np.max(high - low)))
    low[:2], high[:2] = low[:2] - room, high[:2] + room
    least, most = whole.min(axis=0), whole.max(axis=0)
    if (low[:2] <= least[:2]).all() and (high[:2] >= most[:2]).all():
        return whole
    return np.array([np.clip(low, least, most), np.clip(high, least, most)])


def named(image: Image, camera: Camera, scene: Scene, labels: dict[str, str], size: float) -> None:
    """A label over every mini that has one; where two would cover one another, over the one that more is said of."""
    height, width = image.shape[:2]
    taken: list[tuple[float, float, float]] = []
    order = sorted(scene.figures, key=lambda f: (f.name != scene.focus, not f.word))
    for figure in order:
        if figure.name not in labels:
            continue
        top = figure.pose.apply([[0.0, 0.0, figure.mini.height_mm + 4.0]])
        ((x, y),) = camera.project(top, width=width, height=height).tolist()
        half = text_width(labels[figure.name], size=size) / 2 + size / 3
        if all(abs(x - a) >= half + b or abs(y - c) >= 1.3 * size for a, c, b in taken):
            text(image, (x, y), labels[figure.name], size=size, align="centre", bold=True, halo=PAPER)
            taken.append((x, y, half))


def _side(scene: Scene, asked: Sequence[Figure], camera_at: Callable[..., Camera], width: int, height: int) -> float:
    """The azimuth from which those minis are seen where they rest."""
    others = tuple(figure for figure in scene.figures if figure not in asked)
    around = shapes_of_scene(replace(scene, areas=(), lines=(), hexes=(), figures=others))
    return side_of(around, [figure_shapes(figure) for figure in asked], camera_at, width=width, height=height)


def _known(story: Story, step: int) -> None:
    """Refuse, as a `ValueError`, the number of a step that a story does not have."""
    if not 0 <= step < len(story.moments):
        last = len(story.moments) - 1
        there = f"there are steps 1 to {last}, and 0" if last else "it has no step: leave it out, or say 0 for it"
        raise ValueError(f"no step {step}: {there} as it is set up")


def together(story: Story) -> tuple[Scene, dict[str, str]]:
    """The verdicts of a story in one scene, and the number of the step over each; one in the place of another is left
    out: its own picture shows it."""
    first = story.moments[0].scene
    found: dict[tuple[str, object], tuple[Figure, list[str]]] = {}
    last = first
    for moment in story.moments[1:]:
        last = moment.scene
        figure = next((f for f in moment.scene.figures if f.name == moment.scene.focus), None)
        if figure is not None and figure.stand is not None:
            key = (figure.name, figure.pose, figure.word)
            found.setdefault((figure.name, key), (figure, []))[1].append(str(moment.told.number))
    asked = {name for name, _ in found}
    figures = [figure for figure in last.figures if figure.name not in asked]
    numbers: dict[str, str] = {}
    for k, (figure, steps) in enumerate(found.values()):
        if any(_in_the_way(figure, other) for other in figures):
            continue
        shown = replace(figure, name=f"{figure.name} {k}")
        figures.append(shown)
        numbers[shown.name] = ", ".join(steps)
    return replace(last, figures=tuple(figures), focus=""), numbers


def _in_the_way(one: Figure, other: Figure) -> bool:
    """Whether two minis would be drawn into one another."""
    (x, y, z), (a, b, c) = one.pose.place, other.pose.place
    room = one.mini.base.outline.reach_mm() + other.mini.base.outline.reach_mm()
    return math.hypot(x - a, y - b) < NEARLY * room and abs(z - c) < max(one.mini.height_mm, other.mini.height_mm)


def shapes_of_scene(scene: Scene) -> list[Shape]:
    """The table, minis where they rest, areas, lines: all that has a place in a picture."""
    terrain = shapes_of(replace(scene.table, minis=()))
    shapes = list(terrain)
    soups = [shape.vertices[shape.faces] for shape in terrain]
    for area in scene.areas:
        shapes.append(_area(area, soups))
    shapes += [Shape(*mesh, colour=colour) for _, mesh, colour in marks_of(scene.hexes)]
    bare = not scene.table.pieces
    washed = washes_of(scene.hexes, plain=STONE if bare else None, band=1.0 if bare else BAND)
    shapes += [Shape(*mesh, colour=colour) for mesh, colour in washed]
    for one in scene.lines:
        shapes.append(Shape(*rod(one.points, 1.8), colour=one.colour))
    for figure in scene.figures:
        shapes += figure_shapes(figure)
    return [shape for shape in shapes if len(shape.faces)]


def figure_shapes(figure: Figure) -> list[Shape]:
    """A mini at its pose; one without a rest is pale."""
    base, body = (replace(shape, vertices=figure.pose.apply(shape.vertices)) for shape in figure.shapes())
    return [base, body if figure.rests else replace(body, colour=_pale(body.colour))]


def _area(area: Area, soups: Sequence[Floats]) -> Shape:
    high = area.height_mm
    terrain = np.concatenate([np.zeros((0, 3, 3)), *soups]) if high is None else np.zeros((0, 3, 3))
    corners, faces = draped(area.rings, terrain, OVER_MM) if high is None else flat(area.rings, high)
    return Shape(corners, faces, colour=area.colour)


def _pale(colour: Colour) -> Colour:
    r, g, b = (0.45 * c + 0.55 for c in colour)
    return r, g, b


def _why(image: Image, camera: Camera, figure: Figure, thick: float) -> None:
    """Contacts and pushes, the support, the centre of mass and the point below it."""
    height, width = image.shape[:2]

    def pixels(points: Sequence[tuple[float, float, float]]) -> Floats:
        return camera.project(np.array(points), width=width, height=height)

    if figure.stand is None:
        return
    if len(figure.support) > 2:
        ring = pixels(figure.support)
        polygon(image, ring, colour=SUPPORT, alpha=0.35)
        line(image, [*ring, ring[0]], colour=SUPPORT, width=thick)
    for force in figure.forces:
        start, end = pixels([force.place, force.tip])
        _arrow(image, start, end, 1.3 * thick)
        disc(image, start, 1.4 * thick, colour=FORCE)
    com, below = pixels([figure.com, figure.ground_point])
    line(image, [com, below], colour=WEIGHT, width=thick)
    disc(image, com, 2.6 * thick, colour=PAPER)
    disc(image, com, 2.2 * thick, colour=WEIGHT)
    disc(image, below, 1.7 * thick, colour=WEIGHT)


def _arrow(image: Image, start: Floats, end: Floats, thick: float) -> None:
    way = end - start
    long = float(np.hypot(*way))
    if long < 2 * thick:
        return
    ahead = way / long
    aside = np.array([-ahead[1], ahead[0]])
    neck = end - min(long, 5 * thick) * ahead
    line(image, [start, neck], colour=FORCE, width=thick)
    polygon(image, [end, neck + 2.4 * thick * aside, neck - 2.4 * thick * aside], colour=FORCE)


def _legends(image: Image, story: Story, scene: Scene, step: int | None, size: float) -> None:
    """The words that occur; of one step its card, and what the marks mean; areas and hexes by their colours."""
    colours = list(dict.fromkeys((area.colour, area.kind) for area in scene.areas if area.kind)) + entries_of(
        scene.hexes
    )
    if step is not None:
        moment = story.moments[step]
        figure = next((f for f in scene.figures if f.name == scene.focus), None)
        stand = None if figure is None else figure.stand
        card = card_of(PurePath(story.file).name, moment.told, stand)
        _paste(image, card, 16, 16)
        if stand is not None or colours:
            legend(image, (16, 30 + card.shape[0]), [*(MARKS if stand is not None else ()), *colours], size=14.0)
        return
    words = dict.fromkeys(figure.word for figure in scene.figures if figure.word)
    entries = [*((colour_of(word), word) for word in words), *colours]
    if entries:
        shown = sum(bool(figure.word) for figure in scene.figures)
        asked = sum(moment.told.number > 0 for moment in story.moments)
        title = "numbers: steps" + ("" if shown == asked else f", {shown} of {asked}") if words else ""
        legend(image, (size, size), entries, title=title, size=size)


def _paste(image: Image, card: Image, left: int, top: int) -> None:
    height, width = min(card.shape[0], image.shape[0] - top), min(card.shape[1], image.shape[1] - left)
    if height > 0 and width > 0:
        image[top : top + height, left : left + width] = card[:height, :width]


# --- moving -----------------------------------------------------------------------------------------------------------


def frames_of(
    story: Story,
    moment: Moment,
    *,
    width: int,
    height: int,
    azimuth_deg: float | None = None,
    elevation_deg: float = 24.0,
) -> Iterator[Image]:
    """A moment's motions, slowly, seen from near; the last frame is where the rules have it, and why."""
    scene = moment.scene
    motions = {motion.figure: motion for motion in moment.motions}
    still = [figure for figure in scene.figures if figure.name not in motions]
    room = _room(scene, motions)
    if scene.table.size_mm is None and scene.table.floor_mm is not None:  # a floor without an end, as far as it is seen
        wide = 2.0 * float(np.abs(room[:, :2]).max()) + BEYOND_MM
        scene = replace(scene, table=replace(scene.table, size_mm=(wide, wide)))
    terrain = _near(shapes_of_scene(replace(scene, figures=tuple(still))), room)
    moving = [figure for figure in scene.figures if figure.name in motions]
    camera_at = partial(Camera.around, room, elevation_deg=elevation_deg)
    if azimuth_deg is None:
        azimuth_deg = _side(scene, moving, camera_at, width, height)
    camera = camera_at(azimuth_deg=azimuth_deg)
    end = max((motion.time_s for motion in motions.values()), default=0.0)
    count = max(1, min(MOST_FRAMES, math.ceil(end / SLOWLY * FRAMES_HZ)))
    for k in range(count + 1):
        moved = [
            replace(figure, pose=motions[figure.name].at(end * k / count), rests=True)
            for figure in scene.figures
            if figure.name in motions
        ]
        shapes = [*terrain, *(shape for figure in moved for shape in figure_shapes(figure))]
        image = render(shapes, camera, width=width, height=height, background=SKY)
        said = moment.told.word or story.about
        text(image, (14, 30), said, size=20.0, bold=True, colour=colour_of(moment.told.word), halo=PAPER)
        passed = f"{end * k / count:.2f} s"
        text(image, (width - 14, height - 14), passed, size=13.0, colour=INK, align="right", halo=PAPER)
        yield image


def _room(scene: Scene, motions: dict[str, Motion]) -> Floats:
    """The box around all that moves, on its way and at its end."""
    points = []
    for figure in scene.figures:
        motion = motions.get(figure.name)
        if motion is not None:
            tall = figure.mini.height_mm
            middle = [timed.pose.apply([[0.0, 0.0, tall / 2]])[0] for timed in motion.track]
            points += [np.array(middle) + CLOSE_SHARE / 2 * tall * side for side in (-1.0, 1.0)]
    if not points:
        return outline_of(shapes_of_scene(scene) or [EMPTY])
    whole = np.vstack(points)
    return np.array([whole.min(axis=0), whole.max(axis=0)])


def _near(shapes: Sequence[Shape], room: Floats) -> list[Shape]:
    """Shapes that are not far away from a box: the rest would only cost time in every frame."""
    low, high = room.min(axis=0), room.max(axis=0)
    slack = 2.0 * float((high - low).max())
    kept = []
    for shape in shapes:
        inside = (shape.vertices.max(axis=0) >= low - slack) & (shape.vertices.min(axis=0) <= high + slack)
        kept += [shape] if inside.all() else []
    return kept


# --- a sheet ----------------------------------------------------------------------------------------------------------


def sheet_of(shown: Sequence[tuple[str, str, Shape | None]], *, title: str = "", columns: int | None = None) -> bytes:
    """A PNG with a picture of each shape (None: there is none), its name and a line about it under it, in rows."""
    across = columns or max(1, math.ceil(math.sqrt(1.2 * len(shown))))
    rows = math.ceil(len(shown) / across)
    wide, tall = CELL
    head = 46 if title else 0
    image: Image = np.empty((head + rows * (tall + LABEL) + 8, across * wide, 3), dtype=np.uint8)
    image[:] = np.floor(np.array(PAPER) * 255 + 0.5).astype(np.uint8)
    if title:
        text(image, (14, 32), title, size=20.0, bold=True)
    for k, (name, about, shape) in enumerate(shown):
        left, top = (k % across) * wide, head + (k // across) * (tall + LABEL)
        if shape is not None:
            camera = Camera.around(outline_of([shape]), azimuth_deg=-60.0, elevation_deg=30.0)
            picture = render([shape], camera, width=wide - 8, height=tall - 4)
            image[top + 4 : top + tall, left + 4 : left + wide - 4] = picture
        text(image, (left + 10, top + tall + 18), _short(name, wide - 20.0, 15.0), size=15.0, bold=True)
        text(image, (left + 10, top + tall + 36), _short(about, wide - 20.0, 13.0), size=13.0)
    return png_bytes(image)


def _short(words: str, width: float, size: float) -> str:
    """Cut where there is no more room."""
    while words and text_width(words, size=size) > width:
        words = words[:-2].rstrip() + "…" if not words.endswith("…") else words[:-3].rstrip() + "…"
    return words
