"""Terrain packs: the manifest, every check of a piece, `validate()`, repairs, and the first manifest of a folder."""

from sim3d.pack.folder import MANIFEST, inside
from sim3d.pack.judging import How, heard, validate, validate_table_file
from sim3d.pack.manifest import PackForm, read_manifest
from sim3d.pack.mending import CHANGES, Fixed, fix, fix_failed, has_room
from sim3d.pack.pack import Member, Pack, read_pack
from sim3d.pack.store import Store, usual_folder
from sim3d.pack.tables import validate_table
from sim3d.pack.verdict import BROKEN, FAULTY, UNDECIDED, VALID, Figures, Judged, Validation

__all__ = [
    "BROKEN",
    "CHANGES",
    "FAULTY",
    "MANIFEST",
    "UNDECIDED",
    "VALID",
    "Figures",
    "Fixed",
    "How",
    "Judged",
    "Member",
    "Pack",
    "PackForm",
    "Store",
    "Validation",
    "fix",
    "fix_failed",
    "has_room",
    "heard",
    "inside",
    "read_manifest",
    "read_pack",
    "usual_folder",
    "validate",
    "validate_table",
    "validate_table_file",
]
