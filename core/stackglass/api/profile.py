"""Profiles of the program's own making: Go's ``pprof.Profile``.

A profile holds a stack for each value that was added and not removed yet: open connections, leases,
whatever leaks. Values are compared as a dictionary compares its keys. The program's ``__hash__``
and ``__eq__`` run before and after each step, never inside one, and there is no lock: a step is one
operation on a dictionary whose keys are integers. So ``add`` and ``remove`` may be called from a
signal handler, and from a finalizer in the middle of another ``add``.
"""

from __future__ import annotations

import itertools
import sys
import time
import weakref
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Callable, NamedTuple

from stackglass.api import output as outputs
from stackglass.api.output import Output
from stackglass.errors import ProfileError
from stackglass.wire import count_profile, count_text
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.pprof_file import encode_file
from stackglass.wire.recorded_profiles import ALIASES
from stackglass.wire.stack_tables import Frame, StackTables

MAX_FRAMES = 128
LOST_EVENT = "lostProfileEvent"
"""The only frame of a stack after ``skip`` has removed all others."""
_N_BUCKETS = 1024


_profiles: dict[str, Profile] = {}
"""All by name. No lock: each access is one operation on a dictionary of plain strings."""


class _Place(NamedTuple):
    code: CodeType
    line: int
    module: str


class _Entry:
    """A value in the profile; compared by identity."""

    __slots__ = ("find", "hash_value", "stack")

    def __init__(
        self, find: Callable[[], object], hash_value: int, stack: tuple[_Place, ...]
    ) -> None:
        self.find = find  # the value; None once it has died
        self.hash_value = hash_value
        self.stack = stack  # leaf first


class Profile:
    """A named set of values, each with the stack that added it. Any thread.

    ``Profile(name)`` registers it. Raises ProfileError for an empty name, and for one in use.
    """

    __slots__ = ("__weakref__", "_buckets", "_serials", "name")

    def __init__(self, name: str) -> None:
        if type(name) is not str or not name:
            raise ProfileError("a profile needs a name", "the convention is 'package.what'")
        self.name = name
        self._buckets: tuple[dict[int, _Entry], ...] = tuple({} for _ in range(_N_BUCKETS))
        self._serials = itertools.count()
        _register(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @property
    def description(self) -> str:
        """One sentence for a list of profiles; "" = none."""
        return ""

    def add(self, value: object, skip: int = 0, *, weak: bool = False) -> None:
        """Add the calling stack under ``value``, without its ``skip`` innermost frames.

        The profile keeps ``value`` alive until it is removed; with ``weak`` it does not, and
        forgets the value when that dies. Raises ProfileError if an equal value is there, TypeError
        if the value cannot be hashed, or cannot be referred to weakly.
        """
        hash_value = hash(value)
        bucket = self._buckets[hash_value % _N_BUCKETS]
        serial = next(self._serials)
        find: Callable[[], object]
        if weak:
            find = weakref.ref(value, lambda _: bucket.pop(serial, None) and None)
        else:
            find = lambda: value  # noqa: E731 # a weak reference's counterpart
        entry = _Entry(find, hash_value, _capture_stack(skip + 1))
        bucket[serial] = entry
        try:
            for earlier in _list_entries(bucket, hash_value):
                if earlier is entry:
                    return
                if _is_equal(earlier.find(), value):
                    raise ProfileError(f"the profile {self.name} already contains this value")
        except BaseException:
            bucket.pop(serial, None)
            raise

    def remove(self, value: object) -> None:
        """Forget the value's stack. Nothing happens if it is not in the profile."""
        hash_value = hash(value)
        bucket = self._buckets[hash_value % _N_BUCKETS]
        for serial, entry in bucket.copy().items():
            if entry.hash_value == hash_value and _is_equal(entry.find(), value):
                bucket.pop(serial, None)
                return

    def count(self) -> int:
        """How many stacks are in the profile."""
        return sum(map(len, self._buckets))

    def write_to(self, output: Output, debug: int = 0) -> None:
        """Write the profile to a path, or to anything with ``write(bytes)``.

        ``debug`` 0: gzipped protobuf; 1: text, which ``go tool pprof`` reads as well; 2: text for
        people. Raises OutputError, and whatever the file raises.
        """
        target = outputs.settle(output)
        outputs.write(target, self.encode(max(debug, 0)))

    def encode(self, debug: int) -> bytes:
        """What ``write_to`` writes."""
        tables = self.build()
        if not debug:
            return encode_file(tables)
        return count_text.encode(tables) if debug == 1 else count_text.encode_dump(tables)

    def build(self) -> ProfileTables:
        """The profile as tables."""
        tables = StackTables()
        entries = [entry for bucket in self._buckets for entry in bucket.copy().values()]
        nodes = [tables.add(_describe_stack(entry.stack)) for entry in entries]
        return count_profile.build(
            tables.build(sys.executable or ""),
            self.name,
            ((node, ()) for node in nodes),
            time.time_ns(),
        )


def _register(profile: Profile) -> None:
    if profile.name in ALIASES or _profiles.setdefault(profile.name, profile) is not profile:
        raise ProfileError(f"a profile called {profile.name} already exists")


def lookup(name: str) -> Profile | None:
    """The profile of this name; None if there is none. ``goroutine`` is ``threads``."""
    return _profiles.get(ALIASES.get(name, name))


def profiles() -> list[Profile]:
    """All profiles, by name."""
    return [profile for _, profile in sorted(_profiles.copy().items())]


def _list_entries(bucket: dict[int, _Entry], hash_value: int) -> Iterator[_Entry]:
    """Of this hash, in the order in which they came."""
    for entry in bucket.copy().values():
        if entry.hash_value == hash_value:
            yield entry


def _is_equal(one: object, other: object) -> bool:
    return one is other or bool(one == other)


def _capture_stack(skip: int) -> tuple[_Place, ...]:
    """The stack of the caller's caller, leaf first, without so many frames."""
    try:
        frame = sys._getframe(skip + 1)
    except ValueError:
        return ()
    places: list[_Place] = []
    while frame is not None and len(places) < MAX_FRAMES:
        module = frame.f_globals.get("__name__")
        places.append(
            _Place(frame.f_code, frame.f_lineno or 0, module if type(module) is str else "")
        )
        frame = frame.f_back  # type: ignore[assignment] # None ends the loop
    return tuple(places)


def _describe_stack(stack: tuple[_Place, ...]) -> Iterable[Frame]:
    """Root first."""
    if not stack:
        return (Frame(LOST_EVENT, LOST_EVENT),)
    return map(_describe_place, reversed(stack))


def _describe_place(place: _Place) -> Frame:
    code = place.code
    qualname = getattr(code, "co_qualname", code.co_name)  # 3.11
    name = f"{place.module}.{qualname}" if place.module else qualname
    return Frame(name, code.co_name, code.co_filename, code.co_firstlineno, place.line)
