"""3MF: every object of the build, with its components and transforms, in the unit that the file declares.

The long lists of corners and triangles are lifted out of the XML first, so that the rest is small.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from posixpath import normpath
from secrets import token_hex
from typing import Any
from urllib.parse import unquote

import numpy as np

from sim3d.finding import Finding, Refused, Severity, check, counted
from sim3d.solid.guard import KINDS, Limits, bad, shown, skipped, within
from sim3d.solid.package import Package
from sim3d.solid.slicer import Roles, kept_faces, roles_of
from sim3d.solid.soup import Soup, behind
from sim3d.solid.text import floats_of, ints_of, pieces
from sim3d.solid.xml import cleaned, parsed, tree
from sim3d.space import Floats, Ints

CORE = "{http://schemas.microsoft.com/3dmanufacturing/core/2015/02}"
PRODUCTION = "{http://schemas.microsoft.com/3dmanufacturing/production/2015/06}"
MODEL = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
USES_MOST = 200_000  # objects put in place, components within components counted
_UNITS = {"micron": "micron", "millimeter": "mm", "centimeter": "cm", "inch": "in", "foot": "ft", "meter": "m"}
DEEP_MOST = 64  # components within components
_NAME = rb"[^\s<>/=:\"'&]+"  # every name that XML allows: "-", ".", letters of any script
_PREFIX = rb"(?:" + _NAME + rb":)?"
_LIST = re.compile(rb"<(" + _PREFIX + rb")(vertices|triangles)(?=[\s/>])[^<>]*>")
_QUOTED = rb"\s*=\s*[\"']([^\"'<>&]*)[\"']"
_VERTEX = re.compile(
    rb"<" + _PREFIX + rb"vertex\s+x" + _QUOTED + rb"\s+y" + _QUOTED + rb"\s+z" + _QUOTED + rb"[^<>]*?/>"
)
_TRIANGLE = re.compile(
    rb"<" + _PREFIX + rb"triangle\s+v1" + _QUOTED + rb"\s+v2" + _QUOTED + rb"\s+v3" + _QUOTED + rb"[^<>]*?/>"
)
_TAG = {b"vertices": b"vertex", b"triangles": b"triangle"}
_FIELDS = {b"vertices": (b"x", b"y", b"z"), b"triangles": (b"v1", b"v2", b"v3")}


@check("THREEMF_UNIT", Severity.ERROR, "its unit {unit!r} is not one of a 3MF")
def wrong_unit(*_: object) -> None:
    """The file declares a unit that the format does not have.

    Why: its size cannot be known. Example: unit="parsec". Do: export it again, or correct the attribute.
    """


@check("THREEMF_REFERENCE", Severity.ERROR, "{what}")
def broken_reference(*_: object) -> None:
    """An object, a component or a part is asked for that the file does not have, or may not be asked for there.

    Why: part of the terrain is missing. Example: a build item for object 7 in a file with two objects. Do: export
    it again.
    """


@check("THREEMF_LOOP", Severity.ERROR, "object {object} contains itself, by way of its components")
def component_loop(*_: object) -> None:
    """The components form a loop.

    Why: the object would have no end. Example: object 1 made of object 2, and that of object 1. Do: export it again.
    """


@check("THREEMF_EXTENSION", Severity.ERROR, "it needs the extension {extension!r}, which is not read")
def needs_extension(*_: object) -> None:
    """The file says that its shape cannot be understood without an extension that is not known here.

    Why: the mesh would be another one than was meant. Example: beam lattices or volumetric shapes. Do: export as
    plain mesh.
    """


@dataclass(frozen=True, slots=True)
class Object:
    """A mesh of its own, and other objects at their transforms."""

    vertices: Floats
    faces: Ints
    uses: tuple[tuple[tuple[str, str], Floats], ...] = ()
    name: str = ""
    kind: str = "model"
    others: tuple[str, ...] = ()  # shapes of extensions in it, which are not read


def read_3mf(data: bytes, *, limits: Limits) -> Soup:
    """The build of a 3MF as triangles."""
    package = Package(data, limits=limits)
    start = _start(package)
    root, objects, faults = _part(package, start, limits)
    unit = root.get("unit", "millimeter")
    if unit not in _UNITS:
        faults.append(wrong_unit.hit(unit=shown(unit)))
    build = [(_use(item, start), item.get("printable", "1")) for item in root.iterfind(f"{CORE}build/{CORE}item")]
    items = [use for use, _ in build]
    every = {start: objects}
    others = [ref[0] for ref, _ in items] + [ref[0] for o in objects.values() for ref, _ in o.uses]
    for part in dict.fromkeys(others):  # the production extension keeps objects in parts of their own
        if part not in every:
            if part.lstrip("/").lower() not in package.names:
                faults.append(
                    broken_reference.hit(what=f"part {shown(part)!r} is asked for, the archive does not have it")
                )
                continue
            other, every[part], more = _part(package, part, limits)
            if other.get("unit", "millimeter") != unit:
                more.append(wrong_unit.hit(unit=f"{shown(other.get('unit'))} beside {shown(unit)}"))
            faults += [*more, *_not_the_roots(part, every[part], start)]
    known = {(part, key): made for part, some in every.items() for key, made in some.items()}
    roles = roles_of(package)
    items = [use for use, printable in build if roles.printed_item(use[0], printable)]
    items = [(ref, place) for ref, place in items if ref not in known or roles.printed_type(ref, known[ref].kind)]
    if not faults:
        faults += _counted(items, known, limits)
    if faults:
        raise Refused(*faults)
    for key, own in objects.items():
        known[start, key] = _printed(own, key, roles)
    return _built(items, known, unit, roles)


def _not_the_roots(part: str, objects: dict[str, Object], start: str) -> list[Finding]:
    """The fault of a part that names parts in its turn, which the format leaves to the root."""
    beyond = next((ref[0] for made in objects.values() for ref, _ in made.uses if ref[0] != part), None)
    if beyond is None:
        return []
    what = (
        f"a component in part {shown(part)!r} is of part {shown(beyond)!r}; only the root model, {start}, names parts"
    )
    return [broken_reference.hit(what=what)]


def _printed(made: Object, key: str, roles: Roles) -> Object:
    """The object without the parts that its slicer does not print."""
    uses = tuple(use for use in made.uses if roles.printed(key, use[0]))
    return replace(made, uses=uses, faces=kept_faces(made.faces, roles.printed_triangles(key, len(made.faces))))


def _start(package: Package) -> str:
    """The part with the build: what the relations name, or the customary one."""
    if "_rels/.rels" in package.names:
        relations = tree(package.read("_rels/.rels"))
        for relation in relations:
            if isinstance(relation.tag, str) and relation.get("Type") == MODEL:
                target = _path(relation.get("Target", ""))
                for name in (target, _path(unquote(target))):
                    if name.lstrip("/").lower() in package.names:
                        return name
                raise Refused(broken_reference.hit(what=f"its model {shown(target)!r} is not in the archive"))
    models = [n for n in package.names if n.endswith(".model")]
    if "3d/3dmodel.model" in package.names:
        return "/3D/3dmodel.model"
    if len(models) == 1:
        return "/" + package.names[models[0]]
    zipped = any(name.rpartition(".")[2] in KINDS for name in package.names)
    hint = "; it is a zip with meshes in it: unpack it" if zipped else ""
    raise Refused(broken_reference.hit(what=f"there is no 3D model in the archive{hint}"))


def _path(text: str) -> str:
    return "/" + normpath("/" + text).lstrip("/")


def _part(package: Package, name: str, limits: Limits) -> tuple[Any, dict[str, Object], list[Finding]]:
    """One model part: its root, its objects, and what is wrong with it."""
    # Without comments and CDATA a "<" begins an element and nothing else, so the lists are what they seem.
    small, lifted = _lifted(cleaned(package.read(name)), limits)
    root = parsed(small)
    if root.tag != f"{CORE}model":
        raise bad("3MF", f"its model begins with {shown(root.tag)!r}")
    faults = [
        needs_extension.hit(extension=shown(root.nsmap.get(e, e), most=100))  # its prefix alone says nothing
        for e in root.get("requiredextensions", "").split()
        if _unknown(root, e)
    ]
    objects: dict[str, Object] = {}
    for made in root.iterfind(f"{CORE}resources/{CORE}object"):
        key = made.get("id", "")
        if key in objects or not key:
            raise bad("3MF", f"object {shown(key)!r} is there twice, or has no number")
        vertices, faces = np.empty((0, 3)), np.empty((0, 3), np.int64)
        for mesh in _only(made, "mesh", f"object {shown(key)!r}"):
            vertices, faces = lifted.of(mesh, "vertices", key), lifted.of(mesh, "triangles", key)
        uses = tuple(_use(c, name) for c in made.iterfind(f"{CORE}components/{CORE}component"))
        others = tuple(shown(e.tag.rpartition("}")[2]) for e in made.iterfind(f"{CORE}mesh/*") if _foreign(e))
        others += tuple(shown(e.tag.rpartition("}")[2]) for e in made.iterfind("*") if _foreign(e))
        name_of, kind = shown(made.get("name", "")), shown(made.get("type", "model"))
        objects[key] = Object(vertices, faces, uses, name_of, kind, others)
    return root, objects, faults


def _only(element: Any, what: str, whose: str) -> list[Any]:
    """The one child of a kind, or none."""
    found: list[Any] = element.findall(f"{CORE}{what}")
    if len(found) > 1:
        raise bad("3MF", f"{whose} has {len(found)} elements <{what}>, of which only one may be")
    return found


def _foreign(element: Any) -> bool:
    return isinstance(element.tag, str) and not element.tag.startswith(CORE)


def _unknown(root: Any, prefix: str) -> bool:
    space = root.nsmap.get(prefix, prefix)
    return "/production/" not in space and "/material/" not in space and "/core/" not in space


@dataclass(frozen=True, slots=True)
class Lifted:
    """The lists that were taken out of a part, and the attribute that says in its XML which was where."""

    mark: str  # drawn for each part: no file can hold it
    lists: list[Floats | Ints]

    def of(self, mesh: Any, what: str, key: str) -> Any:
        """The one list of corners or triangles of an object's mesh."""
        found = next(iter(_only(mesh, what, f"the mesh of object {shown(key)!r}")), None)
        number = None if found is None else found.get(self.mark)
        if number is None:
            raise bad("3MF", f"the mesh of object {shown(key)!r} has no list of {what} that can be read")
        return self.lists[int(number)]


def _lifted(text: bytes, limits: Limits) -> tuple[bytes, Lifted]:
    """The XML with every list of corners or triangles taken out, and those lists; the XML says which was where."""
    kept: list[bytes] = []
    lifted = Lifted(f"lifted-{token_hex(16)}", [])
    at = 0
    while found := _LIST.search(text, at):
        prefix, what = found.groups()
        closed = found.group().endswith(b"/>")
        stop = found.end() if closed else text.find(b"</" + prefix + what, found.end())
        if stop < 0:
            raise bad("3MF", f"its XML ends within the {what.decode()}")
        mark, end = lifted.mark.encode(), b"/>" if closed else b">"
        kept += [text[at : found.start()], b'<%s%s %s="%d"%s' % (prefix, what, mark, len(lifted.lists), end)]
        lifted.lists.append(_numbers(what, text, found.end(), stop, limits))
        at = stop
    return b"".join([*kept, text[at:]]), lifted


def _numbers(what: bytes, text: bytes, start: int, stop: int, limits: Limits) -> Floats | Ints:
    """All rows of a list of corners or triangles; every element in it must be one."""
    count = text.count(b"<", start, stop)
    if what == b"triangles" and within(count // 2, limits):
        raise Refused(*within(count, limits))
    none: Any = np.empty((0, 3), np.float64 if what == b"vertices" else np.int64)
    cut = pieces(text, after=rb">\s*(?=<[^/])", what="an element", start=start, stop=stop)
    made: Floats | Ints = np.concatenate([none, *(_rows(what, piece) for piece in cut)])
    return made


def _rows(what: bytes, piece: bytes) -> Any:
    words = _regular(what, piece) or _irregular(what, piece)
    columns = [floats_of(w) if what == b"vertices" else ints_of(w) for w in words]
    if any(column is None for column in columns):
        read: Any = floats_of if what == b"vertices" else ints_of
        wrong = next(word for column in words for word in column if read([word]) is None)
        kind = "number" if what == b"vertices" else "whole number"
        raise bad("3MF", f"among its {what.decode()}, a value that is no {kind}: {shown(wrong.decode('latin-1'))!r}")
    return np.column_stack([column for column in columns if column is not None])


def _regular(what: bytes, piece: bytes) -> list[list[bytes]] | None:
    """The three columns of text where every row is spelled alike, as almost every program does; else None."""
    if b"&" in piece or piece.count(b'"') != 6 * piece.count(b"<"):
        return None
    words = piece.split(b'"')
    first, second, third = _FIELDS[what]
    row = _TAG[what] + rb"\s+" + first + rb"="
    heads = set(words[:-1:6])
    if len(words) % 6 != 1 or len(heads) > 8 or not re.fullmatch(rb"\s*/>\s*", words[-1]):
        return None
    if not all(re.fullmatch(rb"(?:\s*/>)?\s*<" + _PREFIX + row, head) for head in heads) or b"/>" in words[0]:
        return None
    if any(b"/>" not in head for head in set(words[6:-1:6])):
        return None
    if set(words[2::6]) != {b" " + second + b"="} or set(words[4::6]) != {b" " + third + b"="}:
        return None
    return [words[1::6], words[3::6], words[5::6]]


def _irregular(what: bytes, piece: bytes) -> list[list[bytes]]:
    """The same for other spellings, and with more attributes."""
    rows = (_VERTEX if what == b"vertices" else _TRIANGLE).findall(piece)
    if len(rows) != piece.count(b"<"):
        rows = _slowly(what, piece)
    return [[row[k] for row in rows] for k in range(3)]


def _slowly(what: bytes, block: bytes) -> list[tuple[bytes, ...]]:
    """The rows by an XML parser, for other orders of attributes and other spellings."""
    fields = [f.decode() for f in _FIELDS[what]]
    tag = _TAG[what].decode()
    others = rb"\s" + _NAME + rb":" + _NAME + rb"\s*=\s*(\"[^\"<]*\"|'[^'<]*')"
    bare = re.sub(rb"(</?)" + _NAME + rb":", rb"\1", re.sub(others, b" ", block))
    rows = []
    for row in tree(b"<all>" + bare + b"</all>"):
        values = [row.get(f) for f in fields]
        if row.tag == tag:
            if None in values:
                raise bad("3MF", f"a {tag} without {' or '.join(fields)}")
            rows.append(tuple(v.encode() for v in values))
    return rows


def _use(element: Any, part: str) -> tuple[tuple[str, str], Floats]:
    path = element.get(f"{PRODUCTION}path")
    return (_path(path) if path else part, element.get("objectid", "")), _transform(element.get("transform"))


def _transform(text: str | None) -> Floats:
    """The 4 by 3 matrix of a transform, for rows (x, y, z, 1) from the left."""
    if text is None:
        return np.eye(4)[:, :3]
    values = floats_of([word.encode() for word in text.split()])
    if values is None or len(values) != 12 or not np.isfinite(values).all() or np.abs(values).max() > 1e30:
        raise bad("3MF", f"a transform that is not 12 numbers: {shown(text)!r}")
    return values.reshape(4, 3)


Known = dict[tuple[str, str], Object]


def _counted(items: list[tuple[tuple[str, str], Floats]], known: Known, limits: Limits) -> list[Finding]:
    """Why this build cannot be unfolded: loops, missing objects, too many triangles; found without unfolding."""
    totals: dict[tuple[str, str], tuple[int, int, int]] = {}  # triangles, uses, depth
    open_now: set[tuple[str, str]] = set()
    waiting = [(ref, False) for ref, _ in items]
    while waiting:
        ref, done = waiting.pop()
        if ref in totals:
            continue
        if ref not in known:
            return [broken_reference.hit(what=f"object {shown(ref[1])!r} is asked for, the file does not have it")]
        uses = known[ref].uses
        if done:
            open_now.discard(ref)
            below = [totals[u] for u, _ in uses]
            own = max(len(known[ref].faces), len(known[ref].vertices) // 3)
            totals[ref] = (
                own + sum(b[0] for b in below),
                1 + sum(b[1] for b in below),
                1 + max((b[2] for b in below), default=0),
            )
            continue
        if ref in open_now:
            return [component_loop.hit(object=shown(ref[1]))]
        open_now.add(ref)
        waiting.append((ref, True))
        for used, _ in uses:
            if used in open_now:
                return [component_loop.hit(object=shown(used[1]))]
            waiting.append((used, False))
    triangles, placed = sum(totals[r][0] for r, _ in items), sum(totals[r][1] for r, _ in items)
    faults = list(within(triangles, limits))
    if placed > USES_MOST or max((t[2] for t in totals.values()), default=0) > DEEP_MOST:
        faults.append(
            bad("3MF", f"{placed} objects put in place, or more than {DEEP_MOST} within one another").report.findings[0]
        )
    return faults


def _built(items: list[tuple[tuple[str, str], Floats]], known: Known, unit: str, roles: Roles) -> Soup:
    vertices, faces, before = [np.empty((0, 3))], [np.empty((0, 3), np.int64)], 0
    used: dict[tuple[str, str], None] = {}  # in the order of the build
    waiting = [(ref, _square(matrix)) for ref, matrix in reversed(items)]
    while waiting:
        ref, matrix = waiting.pop()
        used[ref] = None
        made = known[ref]
        with np.errstate(over="ignore", invalid="ignore"):
            vertices.append(made.vertices @ matrix[:3, :3] + matrix[3, :3])
            mirrored = float(np.linalg.det(matrix[:3, :3])) < 0
        wound = made.faces[:, ::-1] if mirrored else made.faces  # a mirrored part would be inside out
        faces.append(behind(wound, before, len(made.vertices)))
        before += len(made.vertices)
        waiting += [(u, _square(m) @ matrix) for u, m in reversed(made.uses)]
    told_of = {*used, *_with_parts(roles.dropped, known)}
    idle = sum(1 for ref, made in known.items() if ref not in told_of and (len(made.faces) or made.uses))
    strange = [other for ref in used for other in known[ref].others]
    told = [counted(idle, "object that is not in the build", "objects that are not in the build")] if idle else []
    told += [f"{strange.count(other)} {other}, of an extension" for other in dict.fromkeys(strange)]
    found = roles.findings() + ((skipped.hit(what=", ".join(told)),) if told else ())
    triangles = np.concatenate(faces)
    name = next((known[ref].name for ref, _ in items if known[ref].name), "")
    return Soup(
        np.concatenate(vertices), triangles, "3mf", _UNITS[unit], "z", len(triangles), name=name, findings=found
    )


def _with_parts(some: Iterable[tuple[str, str]], known: Known) -> set[tuple[str, str]]:
    """Objects and all that they are made of."""
    seen: set[tuple[str, str]] = set()
    waiting = list(some)
    while waiting:
        ref = waiting.pop()
        if ref not in seen and ref in known:
            seen.add(ref)
            waiting += [used for used, _ in known[ref].uses]
    return seen


def _square(matrix: Floats) -> Floats:
    made = np.eye(4)
    made[:, :3] = matrix
    return made
