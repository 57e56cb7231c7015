"""Numbered texts: a sequence of texts that stores each as a number of four bytes, the index of the
text in a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import SupportsIndex, overload

from stackglass_viewer.model.columns.index import Int32s

_CHUNK_ROWS = 1 << 12  # rows converted at a time by an iteration


class NumberedTexts(Sequence[str]):
    """The texts of the table ``texts`` at the indices ``numbers``, (n,). Immutable if both are."""

    def __init__(self, texts: Sequence[str], numbers: Int32s) -> None:
        self._texts = texts
        self._numbers = numbers

    @overload
    def __getitem__(self, row: SupportsIndex, /) -> str: ...
    @overload
    def __getitem__(self, row: slice, /) -> Sequence[str]: ...
    def __getitem__(self, row: SupportsIndex | slice, /) -> str | Sequence[str]:
        if isinstance(row, slice):
            return NumberedTexts(self._texts, self._numbers[row])
        return self._texts[int(self._numbers[row])]

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self._numbers), _CHUNK_ROWS):
            numbers = self._numbers[first : first + _CHUNK_ROWS]
            yield from map(self._texts.__getitem__, numbers.tolist())
