"""Names and files of a callgrind file's functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.model.columns.numbered_texts import NumberedTexts
from stackglass_viewer.model.readers.sample_columns import FEW_TEXTS, Strings
from stackglass_viewer.model.readers.text_pieces import list_rows

_UNKNOWN = ("", "???", "~")


def name_functions(
    texts: Sequence[str], objects: Int32s, files: Int32s, names: Int32s
) -> tuple[Sequence[str], Sequence[str]]:
    """Return the names and the files of all functions. ``objects``, ``files`` and ``names``, (n,),
    give each function's object, file and name by number in ``texts``, where 0 is "". A function
    without a known file gets its object as its file."""
    unknown = [number for number, text in enumerate(texts) if text in _UNKNOWN]
    places = np.where(np.isin(files, unknown), objects, files)
    places[np.isin(places, unknown)] = 0
    return _split_places(texts, files, names), _gather(texts, places)


def _split_places(texts: Sequence[str], files: Int32s, names: Int32s) -> Sequence[str]:
    """Return the names of all functions, without the places that yappi writes after them."""
    if not any(_split_place(name, file) != name for name, file in _list_pairs(texts, files, names)):
        return _gather(texts, names)
    strings, numbers = Strings(), np.empty_like(names)
    for function, (name, file) in enumerate(_list_pairs(texts, files, names)):
        numbers[function] = strings.add(_split_place(name, file))
    return _gather(strings.take(), numbers)


def _list_pairs(texts: Sequence[str], files: Int32s, names: Int32s) -> Iterator[tuple[str, str]]:
    """Yield the name and the file of each function."""
    return ((texts[name], texts[file]) for name, file in list_rows(names, files))


def _gather(texts: Sequence[str], numbers: Int32s) -> Sequence[str]:
    """Return the texts of numbers; of few functions as a tuple, which is read faster."""
    gathered = NumberedTexts(texts, numbers)
    return tuple(gathered) if len(numbers) <= FEW_TEXTS else gathered


def _split_place(name: str, file: str) -> str:
    """Return the name without ``file:line``, which yappi writes after it."""
    if not name[-1:].isdigit():
        return name
    bare, is_placed, place = name.rpartition(" ")
    found_file, _, line = place.rpartition(":")
    return bare if is_placed and file and found_file == file and line.isdigit() else name
