"""Named sets of filters, kept from one run to the next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from PySide6.QtCore import QObject, QSettings, Signal

from stackglass_viewer.model.patterns import is_pattern
from stackglass_viewer.model.profile.label_table import LabelFilter, LabelPattern
from stackglass_viewer.model.profile.transforms import PATTERN_KINDS, Transform, TransformKind
from stackglass_viewer.presenter.settings.span_choice import Span
from stackglass_viewer.presenter.settings.thread_choice import (
    ALL_THREADS,
    NamePattern,
    ThreadChoice,
)

_KEY = "filter_sets"
_KINDS = {kind.value: kind for kind in TransformKind}

_LABEL, _THREADS, _TIME = "label", "threads", "time"
_MOST_NS = 2**62


class FilterSet(NamedTuple):
    """The filters of a tab."""

    transforms: tuple[Transform, ...] = ()  # in the order in which they are applied
    labels: frozenset[LabelFilter] = frozenset()
    threads: ThreadChoice = ALL_THREADS
    span: Span | None = None  # ns; None = all of the time

    @property
    def has_filters(self) -> bool:
        """Whether anything is left out."""
        return bool(self.transforms or self.labels or self.threads.has_filters or self.span)

    def rename_labels(self, names: Mapping[LabelFilter, LabelFilter]) -> FilterSet:
        """Return the filters with some of the labels' replaced. ``names``: old filter to new."""
        return self._replace(labels=frozenset(names.get(each, each) for each in self.labels))

    @property
    def portable(self) -> FilterSet:
        """The filters that another tab can use: a pattern of threads, but not single threads."""
        return self._replace(threads=ThreadChoice(named=self.threads.named))


class FilterSets(QObject):
    """The stored sets. Sets that cannot be read (of another version, or edited by hand) are left
    out. GUI thread."""

    changed = Signal(tuple)  # tuple of str: names

    def __init__(self, settings: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in alphabetical order."""
        return tuple(sorted(self._read(), key=str.casefold))

    def find(self, name: str) -> FilterSet:
        """Return a set; without filters if there is no set of this name."""
        return self._read().get(name, FilterSet())

    def save(self, name: str, filters: FilterSet) -> None:
        """Store a set, in place of one of the same name."""
        self._store({**self._read(), name: filters})

    def remove(self, name: str) -> None:
        """Remove a set."""
        self._store({each: filters for each, filters in self._read().items() if each != name})

    def _store(self, sets: dict[str, FilterSet]) -> None:
        plain = {name: _write(filters) for name, filters in sets.items()}
        self._settings.setValue(_KEY, json.dumps(plain))
        self.changed.emit(self.names)

    def _read(self) -> dict[str, FilterSet]:
        try:
            stored = json.loads(str(self._settings.value(_KEY, "{}")))
        except (ValueError, RecursionError):
            return {}
        sets = {str(name): _read_set(rows) for name, rows in _items(stored)}
        return {name: filters for name, filters in sets.items() if filters.has_filters}


def _items(stored: object) -> list[tuple[object, object]]:
    return list(stored.items()) if isinstance(stored, dict) else []


def _write(filters: FilterSet) -> list[list[object]]:
    steps: list[list[object]] = [[step.kind.value, step.name] for step in filters.transforms]
    steps += [[_LABEL, *label] for label in sorted(filters.labels)]
    if filters.threads.named is not None:
        steps.append([_THREADS, *filters.threads.named])
    if filters.span is not None:
        steps.append([_TIME, *filters.span])
    return steps


def _is_sound(kind: TransformKind, name: str) -> bool:
    return kind not in PATTERN_KINDS or is_pattern(name)


def _read_set(stored: object) -> FilterSet:
    """Return a stored set; an empty one if any of its filters cannot be read, since the others
    alone would show something else."""
    steps: list[Transform] = []
    labels: list[LabelFilter] = []
    threads, span = ALL_THREADS, None
    for each in stored if isinstance(stored, list) else ():
        match each:
            case [str(kind), str(name)] if kind in _KINDS and _is_sound(_KINDS[kind], name):
                steps.append(Transform(_KINDS[kind], name))
            case [str(kind), str(key), str(value)] if kind == _LABEL:
                labels.append((key, value))
            case [str(kind), str(key), str(pattern), bool(is_excluded)] if (
                kind == _LABEL and is_pattern(pattern)
            ):
                labels.append(LabelPattern(key, pattern, is_excluded))
            case [str(kind), str(pattern), bool(is_excluded)] if kind == _THREADS and is_pattern(
                pattern
            ):
                threads = ThreadChoice(named=NamePattern(pattern, is_excluded))
            case [str(kind), int(begin), int(end)] if kind == _TIME and 0 <= begin < end < _MOST_NS:
                span = (begin, end)
            case _:
                return FilterSet()
    return FilterSet(tuple(steps), frozenset(labels), threads, span)
