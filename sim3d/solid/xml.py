"""XML from strangers, safely: no entities, no document type, no network; comments taken out, in UTF-8 afterwards."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from sim3d.finding import Refused, Severity, check
from sim3d.solid.guard import bad, shown

_ASIDE = re.compile(rb"<!--|<!\[CDATA\[|<\?")
_ASIDE_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_DECLARED = re.compile(rb"\s*<\?xml\b[^<>]*?\bencoding\s*=\s*[\"']([\w.-]+)[\"']")
_ONE_BYTE = re.compile(r"iso[-_]?8859[-_]\d{1,2}|latin[-_]?\d{1,2}|windows-125\d|us-ascii", re.IGNORECASE)


@check("XML_DOCTYPE", Severity.ERROR, "its XML declares a document type; such files are not read")
def doctype(*_: object) -> None:
    """The XML inside has a DOCTYPE, with which it could define entities or ask for other files.

    Why: entities can unfold to gigabytes or read your disk, and no mesh needs them. Example: the "billion laughs" bomb.
    Do: do not trust its source; export the mesh again.
    """


def cleaned(text: bytes) -> bytes:
    """The text in UTF-8, whatever it declares, without comments and the like, so that a "<" begins an element.

    >>> cleaned(b'<?xml version="1.0" encoding="ISO-8859-1"?><a b="\\xe9"/>')
    b'<a b="\\xc3\\xa9"/>'
    """
    declared = _DECLARED.match(text)
    if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = text.decode("utf-16", "replace").encode("utf-8")
    elif declared and _ONE_BYTE.fullmatch(declared.group(1).decode()) and not text.isascii():
        try:
            text = text.decode(declared.group(1).decode()).encode("utf-8")
        except (LookupError, UnicodeDecodeError) as error:
            raise bad("3MF", f"its XML is not in the encoding that it declares: {shown(error)}") from error
    text = text.removeprefix(b"\xef\xbb\xbf")
    if re.search(rb"<!\s*(?:DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise Refused(doctype.hit())
    if b"\0" in text:
        raise bad("3MF", "its XML is not UTF-8")
    return _plain(text)


def tree(text: bytes) -> Any:
    """The root of small XML."""
    return parsed(cleaned(text))


def parsed(text: bytes) -> Any:
    """The root of small XML that is `cleaned` already."""
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(text, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise bad("3MF", f"its XML cannot be read: {shown(error, most=100)}") from error


def _plain(text: bytes) -> bytes:
    """XML without comments, CDATA and instructions."""
    kept: list[bytes] = []
    at = 0
    while found := _ASIDE.search(text, at):
        end = _ASIDE_ENDS[found.group()]
        stop = text.find(end, found.end())
        if stop < 0:
            raise bad("3MF", f"its XML has a {found.group().decode()} without an end")
        kept.append(text[at : found.start()])
        at = stop + len(end)
    return b"".join(part for part in (*kept, text[at:]) if part)  # one alone is not copied again
