"""Check of pages: each folder of sources has a README whose table names its files, and no others.

The first column of a page's tables names files without their suffixes, and folders with a slash;
a page without a table names them anywhere. ``*`` stands for several files. A page is at most two
screens.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

MOST_LINES = 100
ROOTS = ("core/stackglass", "viewer/stackglass_viewer", "tests/native", "packaging")
_SUFFIXES = (".py", ".pyi", ".c", ".h", ".toml", "")  # "" = shell scripts
_NEEDS_NO_ROW = ("__init__", "__main__", "README")
_NAME = re.compile(r"`([\w./*]+)`")
_SUFFIX = re.compile(r"\.(?:py|pyi|c|h|toml)$")


def find_faults(root: Path, tracked: Iterable[Path]) -> list[str]:
    """Return a line for each folder without a page, file without a row, row without a file, and
    page that is too long."""
    faults: list[str] = []
    for folder, files in sorted(_group(root, tracked).items()):
        page = root / folder / "README.md"
        if page.is_file():
            text = page.read_text(encoding="utf-8")
            faults += (f"{folder}/README.md: {fault}" for fault in check_page(text, files))
        else:
            faults.append(f"{folder}: no README.md")
    return faults


def check_page(text: str, entries: set[str]) -> Iterator[str]:
    """Yield the faults of a page. ``entries``: files without suffix, and folders with a slash."""
    named = set(_list_names(text))
    for entry in sorted(entries):
        if not any(fnmatch.fnmatchcase(entry, name) for name in named):
            yield f"has no row for {entry}"
    for name in sorted(named):
        if not fnmatch.filter(entries, name):
            yield f"names {name}, which does not exist"
    n_lines = text.count("\n")
    if n_lines > MOST_LINES:
        yield f"{n_lines} lines, at most {MOST_LINES}"


def _group(root: Path, tracked: Iterable[Path]) -> dict[str, set[str]]:
    """Return the entries by folder: files without suffix, and folders of sources with a slash."""
    groups: dict[str, set[str]] = {}
    for path in tracked:
        name = path.relative_to(root)
        folder = str(name.parent)
        is_inside = any(f"{folder}/".startswith(f"{each}/") for each in ROOTS)
        if not is_inside or name.suffix not in _SUFFIXES or name.stem in _NEEDS_NO_ROW:
            continue
        groups.setdefault(folder, set()).add(name.stem)
        while str(name.parent) not in ROOTS:
            name = name.parent
            groups.setdefault(str(name.parent), set()).add(f"{name.name}/")
    return groups


def _list_names(text: str) -> Iterator[str]:
    tables = [line.split("|")[1] for line in text.splitlines() if line.startswith("|")]
    for cell in tables or [text]:
        for name in _NAME.findall(cell):
            yield _SUFFIX.sub("", name)
