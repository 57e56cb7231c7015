"""Growing columns that readers share: strings, functions, labels, and checks of values."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s, Int64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Labels
from stackglass_viewer.native import _loops

_MAX_VALUE = 2**63 - 1
_MAX_SHOWN = 24
FEW_TEXTS = 65_536
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLACED = re.compile(r"(.+) \((.+?)(?::(\d{1,9}))?\)")


class Symbol(NamedTuple):
    """A function, its file and a line. Empty texts and line 0 are unknown."""

    name: str
    file: str
    line: int


def parse_symbol(text: str) -> Symbol:
    """Parse ``name (file:12)``, as py-spy and viztracer write it; any other text is a name."""
    # Without the first test, the pattern would try each " (" of a long text.
    found = _PLACED.fullmatch(text) if text.endswith(")") else None
    if found is None:
        return Symbol(text, "", 0)
    return Symbol(found[1], found[2], int(found[3] or 0))


class Label(NamedTuple):
    """A label of a sample: a text, or a number if ``text`` is None."""

    key: str
    text: str | None
    number: int = 0


def check_values(values: Iterable[int]) -> None:
    """Raise ContentError for a value that a column cannot hold."""
    for value in values:
        if not -_MAX_VALUE <= value <= _MAX_VALUE:
            shown = str(value)[:_MAX_SHOWN]  # in JSON it may have three hundred digits
            raise ContentError(f"it has a value that 63 bits cannot hold: {shown}")


def round_values(values: Float64s, factor: float = 1.0) -> Int64s:
    """Return values times a factor as int64, of the same shape. Raises ContentError for a value
    that a column cannot hold, ValueError for NaN and infinity."""
    with np.errstate(over="ignore", invalid="ignore"):  # refused below
        rounded = np.rint(values * factor)
    if not np.isfinite(rounded).all():
        raise ValueError("a value that is not a number")
    is_held = np.abs(rounded) < 2.0**63
    if not is_held.all():
        worst = f"{rounded[~is_held].flat[0]:.17g}"
        raise ContentError(f"it has a value that 63 bits cannot hold: {worst}")
    held: Int64s = rounded.astype(np.int64)
    return held


def replace_surrogates(text: str) -> str:
    """Replace halves of surrogate pairs, which JSON can write but UTF-8 cannot encode, by
    ``\ufffd``."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


class Strings:
    """A growing string table; string 0 is empty."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._table = _loops.Texts()
        self.add: Callable[[str], int] = self._table.add
        """Returns the number of a text, which is added if it is new."""
        self.add("")

    def column(self, texts: Iterable[str]) -> Int32s:
        """Return the (n,) numbers of texts."""
        return np.array([self.add(text) for text in texts], dtype=np.int32)

    def take(self) -> Sequence[str]:
        """Return the texts by number, and begin with an empty table."""
        table = self._table
        self._begin()
        return finish_texts(table)


def finish_texts(table: _loops.Texts) -> Sequence[str]:
    """Seal a table and return its texts. Few texts become Python's strings. Many stay in the table:
    as strings, they would take up to twenty times their bytes in the file."""
    table.seal()
    return tuple(table) if len(table) <= FEW_TEXTS else table


class LabelColumns:
    """Growing columns of labels; objects would take ten times the memory."""

    def __init__(self) -> None:
        self._sample = array("i")
        self._key = array("i")
        self._text = array("i")
        self._numbered, self._number = array("i"), array("q")  # few rows have a number

    def add(self, sample: int, label: Label, strings: Strings) -> None:
        """Add a label. Samples must come in order."""
        if label.number:
            self._numbered.append(len(self._sample))
            self._number.append(label.number)
        self._sample.append(sample)
        self._key.append(strings.add(label.key))
        self._text.append(-1 if label.text is None else strings.add(label.text))

    def add_to_all(self, first: int, n: int, labels: Sequence[Label], strings: Strings) -> None:
        """Add the same labels to ``n`` samples from ``first`` on, which have no other labels."""
        for row, each in enumerate(labels, len(self._sample)):
            if each.number:
                self._numbered.extend(range(row, row + n * len(labels), len(labels)))
                self._number.extend(array("q", [each.number]) * n)
        self._sample.frombytes(
            np.repeat(np.arange(first, first + n, dtype=np.int32), len(labels)).tobytes()
        )
        texts = [-1 if each.text is None else strings.add(each.text) for each in labels]
        self._key.extend(array("i", [strings.add(each.key) for each in labels]) * n)
        self._text.extend(array("i", texts) * n)

    def add_texts(self, first: int, keys: Sequence[str], texts: Int32s, strings: Strings) -> None:
        """Add a text label for each key to samples from ``first`` on, which have no other labels.
        ``texts``: (n, n_keys) numbers of strings."""
        n = len(texts)
        samples = np.arange(first, first + n, dtype=np.int32)
        self._sample.frombytes(np.repeat(samples, len(keys)).view(np.uint8).data)
        self._key.extend(array("i", [strings.add(key) for key in keys]) * n)
        self._text.frombytes(np.ascontiguousarray(texts).reshape(-1).view(np.uint8).data)

    def add_numbers(self, first: int, key: str, numbers: Int64s, strings: Strings) -> None:
        """Add a numeric label with one key to samples from ``first`` on."""
        n, is_there = len(numbers), np.flatnonzero(numbers)
        self._numbered.frombytes((is_there + len(self._sample)).astype(np.int32).tobytes())
        self._number.frombytes(numbers[is_there].tobytes())
        self._sample.frombytes(np.arange(first, first + n, dtype=np.int32).tobytes())
        self._key.extend(array("i", [strings.add(key)]) * n)
        self._text.extend(array("i", [-1]) * n)

    def build(self) -> Labels:
        """Build the table without a copy of the columns; no label can be added afterwards."""
        number = np.zeros(len(self._sample), dtype=np.int64)  # pages of zeros take no memory
        number[np.frombuffer(self._numbered, dtype=np.int32)] = np.frombuffer(
            self._number, dtype=np.int64
        )
        return Labels(
            sample=np.frombuffer(self._sample, dtype=np.int32),
            key=np.frombuffer(self._key, dtype=np.int32),
            text=np.frombuffer(self._text, dtype=np.int32),
            number=number,
            unit=np.zeros(len(self._sample), dtype=np.int32),
        )
