"""Names and files of a callgrind file's functions."""

from __future__ import annotations

from collections.abc import Sequence

_UNKNOWN = ("", "???", "~")


def name_functions(
    texts: Sequence[str], objects: Sequence[int], files: Sequence[int], names: Sequence[int]
) -> tuple[list[str], list[str]]:
    """Return the names and the files of all functions. ``objects``, ``files`` and ``names`` give
    each function's object, file and name by index in ``texts``. A function without a known file
    gets its object as its file."""
    places = ["" if text in _UNKNOWN else text for text in texts]
    bare = [_split_place(texts[name], texts[file]) for name, file in zip(names, files, strict=True)]
    return bare, [
        places[file] or places[of_object] for file, of_object in zip(files, objects, strict=True)
    ]


def _split_place(name: str, file: str) -> str:
    """Return the name without ``file:line``, which yappi writes after it."""
    if not name[-1:].isdigit():
        return name
    bare, is_placed, place = name.rpartition(" ")
    found_file, _, line = place.rpartition(":")
    return bare if is_placed and file and found_file == file and line.isdigit() else name
