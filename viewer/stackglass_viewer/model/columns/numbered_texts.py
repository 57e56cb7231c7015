"""Sequence of texts of a table by number: many rows share a text, and take four bytes each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import SupportsIndex, overload

from stackglass_viewer.model.columns.index import Int32s

_FEW = 1 << 12


class NumberedTexts(Sequence[str]):
    """The texts of (n,) numbers. Immutable, as long as the table and the numbers are."""

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
        for first in range(0, len(self._numbers), _FEW):
            yield from map(self._texts.__getitem__, self._numbers[first : first + _FEW].tolist())
