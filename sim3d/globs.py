"""Which files a glob means: `*` anything, folders too, `?` one character, `[ab]` one of these, `**/` folders or none.

A file of exactly that name is meant, too, whatever characters are in it.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from functools import lru_cache
from itertools import product

ANY_FOLDERS = "**/"
MOST_FOLDERS = 4  # of these in one glob may each stand for no folder; all more are held against each other's folders


def is_glob(text: str) -> bool:
    """Whether it could mean several files."""
    return any(c in text for c in "*?[")


@lru_cache(maxsize=1000)
def meant_by(glob: str) -> Callable[[str], bool]:
    """Whether the glob means a file, its path from the pack's folder with slashes.

    >>> [meant_by("**/*.stl")(file) for file in ("a.stl", "old/a.stl", "a.obj")]
    [True, True, False]
    >>> meant_by("ruin[1].stl")("ruin[1].stl")
    True
    """
    parts = glob.split(ANY_FOLDERS, MOST_FOLDERS)
    spelled = {
        "".join(part + folders for part, folders in zip(parts, (*chosen, ""), strict=True))
        for chosen in product((ANY_FOLDERS, ""), repeat=len(parts) - 1)
    }
    patterns = [re.compile(fnmatch.translate(one)) for one in sorted(spelled)]
    return lambda file: file == glob or any(pattern.match(file) for pattern in patterns)
