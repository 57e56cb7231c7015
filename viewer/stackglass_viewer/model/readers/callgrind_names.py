"""Names of a callgrind file's functions, out of those of its objects, files and functions."""

from __future__ import annotations

from collections.abc import Sequence

_UNKNOWN = ("", "???", "~")


def name_functions(
    texts: Sequence[str], objects: Sequence[int], files: Sequence[int], names: Sequence[int]
) -> tuple[list[str], list[str]]:
    """Name and file of each function, of whose object, file and name the numbers are given: its
    place among ``texts``. A function of an unknown file is in its object."""
    places = ["" if text in _UNKNOWN else text for text in texts]
    bare = [_split_place(texts[name], texts[file]) for name, file in zip(names, files, strict=True)]
    return bare, [
        places[file] or places[of_object] for file, of_object in zip(files, objects, strict=True)
    ]


def _split_place(name: str, file: str) -> str:
    """The name without ``file:line`` behind it, as yappi has them."""
    if not name[-1:].isdigit():
        return name
    bare, is_placed, place = name.rpartition(" ")
    found_file, _, line = place.rpartition(":")
    return bare if is_placed and file and found_file == file and line.isdigit() else name
