"""Labels: keys and values of a program's work, by which profiles can be split.

    with stackglass.labels(route="/orders", tenant="a"):
        ...

The label set is the value of one context variable. So asyncio's tasks, ``asyncio.to_thread`` and
whatever else copies contexts inherit it. The engine reads it from a thread's current context
(``native/labels/README.md``).
"""

from __future__ import annotations

import os
from _thread import RLock
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Callable, TypeVar, Union

from stackglass.api.decorated_functions import decorate
from stackglass.api.label_inheritance import inherit_labels
from stackglass.native import _core

LabelValue = Union[str, int]

_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., object])

_MOST_SETS = 1 << 16
_MOST_CACHED = 1 << 14  # to empty the cache takes a millisecond with the GIL
_OTHER = (("labels", "<other labels>"),)


class LabelSet(float):
    """A set of labels; as a float, its number in ``_sets``. Made once for each set of labels."""

    __slots__ = ("pairs",)

    pairs: tuple[tuple[str, str], ...]  # sorted by key


def _make(number: int, pairs: tuple[tuple[str, str], ...]) -> LabelSet:
    label_set = LabelSet(number)
    label_set.pairs = pairs
    return label_set


_NONE = _make(0, ())
# Written under _lock: both only grow. The engine reads _sets under the GIL.
_sets = [_NONE]
_set_of_pairs: dict[tuple[tuple[str, str], ...], LabelSet] = {(): _NONE}
# Reentrant: a signal handler or a finalizer may set labels while its own thread is doing so.
_lock = RLock()
# A forked child may be without the lock's owner. (typeshed does not know what `threading` uses
# there.)
os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]

_current: ContextVar[LabelSet] = ContextVar("stackglass labels", default=_NONE)


def _read_value(key: str, value: LabelValue) -> str:
    if isinstance(value, str):
        return str.__str__(value)  # of a subclass: its characters, without its own __str__
    if isinstance(value, int):
        return int.__repr__(value)
    raise TypeError(f"the value of label {key!r} is a {type(value).__name__}, not a str or an int")


def _intern(pairs: tuple[tuple[str, str], ...]) -> LabelSet:
    """Return the label set of these pairs; beyond 65 534 sets it is ``<other labels>``."""
    with _lock:
        if not _is_in_use:
            _begin_use()  # before any thread has labels, so that no sample is without them
        if pairs not in _set_of_pairs and len(_sets) >= _MOST_SETS - 1:
            pairs = _OTHER
        while pairs not in _set_of_pairs:
            number = len(_sets)
            made = _make(number, pairs)
            _sets.append(made)
            if _sets[number] is made:  # else a signal handler has added a set between these lines
                _set_of_pairs[pairs] = made
        return _set_of_pairs[pairs]


_is_in_use = False  # guarded by _lock


def _begin_use() -> None:
    """Make threads inherit labels, and the engine read them."""
    global _is_in_use
    _is_in_use = True
    inherit_labels(_current, _NONE)
    _core.learn_labels()


def _add(parent: LabelSet, labels: dict[str, LabelValue]) -> LabelSet:
    """Return ``parent`` with these labels added, or replaced if it has the key. Raises
    TypeError."""
    added = {name: _read_value(name, value) for name, value in labels.items()}
    found = _intern(tuple(sorted({**dict(parent.pairs), **added}.items())))
    if found.pairs is not _OTHER:
        if len(_cache) >= _MOST_CACHED:
            _cache.clear()
        _cache[(parent, *(part for label in labels.items() for part in label))] = found
    return found


def _decorate(labels: dict[str, LabelValue], function: _F) -> _F:
    """Return the function with these labels during each call; a coroutine has them while it runs.

    Raises TypeError for a generator function, which does not run while it is called.
    """
    return decorate("labels", lambda: Labels(**labels), function)


# Results of _add, by its parent and by the keys and values in the order in which they were given.
# Emptied when it is full: each pair of sets may have an entry.
_cache: dict[tuple[object, ...], LabelSet] = {}

Labels = _core.make_label_block(_current, _cache, _add, _decorate)


def do(
    labels: Mapping[str, LabelValue],
    function: Callable[..., _T],
    /,
    *args: object,
    **kwargs: object,
) -> _T:
    """Call a function with labels, as Go's ``pprof.Do``, and return its result. Raises TypeError
    for a value that is neither text nor a whole number."""
    with Labels(**labels):
        return function(*args, **kwargs)


def set_labels(**labels: LabelValue) -> None:
    """Give the current context these labels and no others, as Go's ``SetGoroutineLabels``; without
    arguments, none. Raises TypeError."""
    _current.set(_add(_NONE, labels) if labels else _NONE)


def current_labels() -> dict[str, str]:
    """Return the labels of the current context, values as text."""
    return dict(_current.get().pairs)
