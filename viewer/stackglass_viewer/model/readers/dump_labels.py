"""Labels of the stacks in a dump of goroutines or threads.

::

    field 0: STATE "idle, 5 minutes"  ──▶ state: idle, minutes: 5   ┐ labels of stack 0, which has
    field 1: TASK "fetch"             ──▶ task: fetch               ┘ fields 0 and 1

Each distinct field is parsed once, however many stacks have it.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s
from stackglass_viewer.model.profile.profile import Labels
from stackglass_viewer.model.readers.sample_columns import Label

QUOTED = r'"(?:[^"\\]|\\.)*"'
_MINUTES = re.compile(r"(\d{1,9}) minutes")
_PLAIN = r'[^"\\{},:\s]+'
_PAIR = re.compile(rf"({QUOTED}|{_PLAIN}): ({QUOTED}|{_PLAIN})(?:, |\Z)")


class FieldKind(IntEnum):
    """Kind of a field, with the numbers of enum sg_dump_field in dump_header.h."""

    NUMBER, STATE, THREAD, TASK, GREENLET, LABELS, CREATOR, ODD = range(8)


TEXT_KEYS: dict[int, str] = {
    FieldKind.THREAD: "thread",
    FieldKind.TASK: "task",
    FieldKind.GREENLET: "greenlet",
    FieldKind.CREATOR: "created by",
}
"""Label keys of the fields whose text is the label's value. There may be many different texts."""


class FieldLabels:
    """Columns of the labels of each field. Used by one thread."""

    def __init__(self, add_text: Callable[[str], int], is_text: Bools) -> None:
        """``add_text``: adds a text to the profile's strings and returns its number. ``is_text``:
        (n_fields,) the field is in ``TEXT_KEYS``."""
        self._add_text = add_text
        self._is_text = is_text
        self._text_keys: Int32s = np.zeros(0, dtype=np.int32)  # (n,) labels of these fields
        self._texts: Int32s = self._text_keys
        # Labels of the other fields, and how many each field has.
        self._key, self._text, self._number = array("i"), array("i"), array("q")
        self._n_labels = array("i")

    def add_texts(self, fields: Int32s, texts: Iterable[str]) -> None:
        """Add all fields in ``TEXT_KEYS``; each field is one label."""
        key_of = np.zeros(len(FieldKind), dtype=np.int32)
        for field, key in TEXT_KEYS.items():
            if (fields == field).any():
                key_of[field] = self._add_text(key)
        self._text_keys = key_of[fields]
        self._texts = np.fromiter(map(self._add_text, texts), np.int32, len(fields))

    def add(self, labels: Iterable[Label]) -> None:
        """Add the next other field, with all of its labels."""
        n_before = len(self._key)
        for key, text, number in labels:
            self._key.append(self._add_text(key))
            self._text.append(-1 if text is None else self._add_text(text))
            self._number.append(number)
        self._n_labels.append(len(self._key) - n_before)

    def build(self, stacks: Int32s, fields: Int32s, numbers: Int64s) -> Labels:
        """Build the table of labels. The (n,) columns give a stack, one of its fields, and a number
        to add to the numbers of the field's labels."""
        n_labels = np.ones(len(self._is_text), dtype=np.int32)
        n_labels[~self._is_text] = np.frombuffer(self._n_labels, dtype=np.int32)
        starts = np.cumsum(n_labels, dtype=np.int32) - n_labels
        is_of_text = np.zeros(len(self._texts) + len(self._key), dtype=np.bool_)
        is_of_text[starts[self._is_text]] = True
        key, text = (np.empty(len(is_of_text), dtype=np.int32) for _ in range(2))
        of_fields = np.zeros(len(is_of_text), dtype=np.int64)
        key[is_of_text], text[is_of_text] = self._text_keys, self._texts
        key[~is_of_text] = np.frombuffer(self._key, dtype=np.int32)
        text[~is_of_text] = np.frombuffer(self._text, dtype=np.int32)
        of_fields[~is_of_text] = np.frombuffer(self._number, dtype=np.int64)
        sizes = n_labels[fields]
        # Places fit in 32 bits: a label takes some bytes of a file, which has at most 1 GiB.
        moves = starts[fields]
        moves -= np.cumsum(sizes, dtype=np.int32) - sizes
        places = np.repeat(moves, sizes)
        places += np.arange(len(places), dtype=np.int32)
        number = np.repeat(numbers, sizes)
        number += of_fields[places]
        return Labels(
            sample=np.repeat(stacks, sizes),
            key=key[places],
            text=text[places],
            number=number,
            unit=np.zeros(len(places), dtype=np.int32),
        )


def list_field_labels(field: int, text: str, number_key: str) -> list[Label]:
    """Return the labels of a field that is not in ``TEXT_KEYS``."""
    if field == FieldKind.NUMBER:
        return [Label(number_key, None)]
    return list_state_labels(text) if field == FieldKind.STATE else [*read_pairs(text)]


def list_state_labels(state: str) -> list[Label]:
    """Return the labels state and minutes of ``chan receive, 5 minutes, locked to thread``."""
    words = [word for word in state.split(", ") if word]
    minutes = [found for word in words[1:] if (found := _MINUTES.fullmatch(word))]
    return [
        *(Label("state", word) for word in words[:1]),
        *(Label("minutes", None, int(found[1])) for found in minutes),
    ]


def read_pairs(text: str) -> Iterator[Label]:
    """Yield the labels of ``route: /a, tenant: "two words"``. Raises ValueError."""
    at = 0
    while at < len(text):
        pair = _PAIR.match(text, at)
        if pair is None:
            raise ValueError("no label")
        key, value = (json.loads(each) if each.startswith('"') else each for each in pair.groups())
        yield Label(key, value)
        at = pair.end()
