"""Profiles that the program fills itself: Go's ``pprof.Profile``.

A profile holds a stack for each value that was added and not removed yet: open connections, leases,
whatever may leak. Values are compared as a dictionary compares its keys. The program's ``__hash__``
and ``__eq__`` run before and after each step, never inside one, and there is no lock: a step is one
operation on a dictionary whose keys are integers. So ``add`` and ``remove`` may be called from a
signal handler, and from a finalizer in the middle of another ``add``.

The engine counts the same stacks, for viewers that are attached (``native/custom``).
"""

from __future__ import annotations

import itertools
import sys
import time
import weakref
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any, Callable

from stackglass.api import output as outputs
from stackglass.api.output import Output
from stackglass.api.whole_numbers import read_whole
from stackglass.errors import ProfileError
from stackglass.native import _core
from stackglass.wire import count_profile, count_text
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.pprof_file import encode_file
from stackglass.wire.recorded_profiles import ALIASES
from stackglass.wire.stack_tables import Frame, StackTables

MAX_FRAMES = 128
RESERVED = ("cmdline", "profile", "symbol", "trace")
"""Names that no profile may have: other pages at ``/debug/pprof/``, which would hide it."""
LOST_EVENT = "lostProfileEvent"
"""The only frame of a stack after ``skip`` has removed all others."""
_N_BUCKETS = 1024


_profiles: dict[str, Profile] = {}
"""All profiles by name. No lock: each access is one operation on a dictionary of plain strings."""


_STRIDE = 4  # items of a frame in a stack, leaf first: code object, instruction, line, module


class _Entry:
    """A value in the profile; compared by identity."""

    __slots__ = ("find", "hash_value", "slot", "stack")

    def __init__(
        self, find: Callable[[], object], hash_value: int, stack: tuple[Any, ...], slot: int
    ) -> None:
        self.find = find  # returns the value; None once it has died
        self.hash_value = hash_value
        self.stack = stack
        self.slot = slot  # where the engine counts it; -1 = nowhere


class Profile:
    """A named set of values, each with the stack that added it. Any thread.

    ``Profile(name)`` registers it. Raises ProfileError for a name that is empty, in use or in
    ``RESERVED``; TypeError for a name that is no ``str``.
    """

    __slots__ = ("__weakref__", "_buckets", "_number", "_serials", "name")

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a profile is a str, not {name!r:.80}")
        name = str.__str__(name)  # of a subclass: its characters
        if not name:
            raise ProfileError("a profile needs a name", "the convention is 'package.what'")
        self.name = name
        self._buckets: tuple[dict[int, _Entry], ...] = tuple({} for _ in range(_N_BUCKETS))
        self._serials = itertools.count()
        _register(self)
        self._number = self._find_number()

    def _find_number(self) -> int:
        """Return the engine's number of the profile; -1 = the engine has too many profiles, and
        does not count this one. Raises ProfileError for a name that the engine refuses."""
        try:
            return _core.custom_profile(self.name)
        except ValueError as error:
            del _profiles[self.name]
            raise ProfileError(f"{self.name!r} cannot be the name of a profile: {error}") from error

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @property
    def description(self) -> str:
        """One sentence for a list of profiles; "" = none."""
        return ""

    def add(self, value: object, skip: int = 0, *, weak: bool = False) -> None:
        """Add the calling stack under ``value``, without its ``skip`` innermost frames.

        The profile keeps ``value`` alive until ``remove``; with ``weak`` it does not, and drops the
        stack when the value dies. Raises ProfileError if the profile contains an equal value,
        TypeError if the value cannot be hashed or, with ``weak``, has no weak references.
        """
        hash_value = hash(value)
        bucket = self._buckets[hash_value % _N_BUCKETS]
        serial = next(self._serials)
        find: Callable[[], object] = (
            weakref.ref(value, lambda _: _drop(bucket, serial)) if weak else lambda: value
        )
        stack = _capture_stack(skip + 1)
        entry = _Entry(find, hash_value, stack, _core.count_stack(self._number, stack))
        bucket[serial] = entry
        try:
            for earlier in _list_entries(bucket, hash_value):
                if earlier is entry:
                    return
                if _is_equal(earlier.find(), value):
                    raise ProfileError(f"the profile {self.name} already contains this value")
        except BaseException:
            _drop(bucket, serial)
            raise

    def remove(self, value: object) -> None:
        """Remove the value and its stack. Does nothing if the profile does not contain the
        value."""
        hash_value = hash(value)
        bucket = self._buckets[hash_value % _N_BUCKETS]
        for serial, entry in bucket.copy().items():
            if entry.hash_value == hash_value and _is_equal(entry.find(), value):
                _drop(bucket, serial)
                return

    def count(self) -> int:
        """Return the number of stacks in the profile."""
        return sum(map(len, self._buckets))

    def write_to(self, output: Output, debug: int = 0) -> None:
        """Write the profile to a path, or to anything with ``write(bytes)``.

        ``debug`` 0: gzipped protobuf; 1: text, which ``go tool pprof`` reads as well; 2: text for
        people. Raises OutputError, and whatever the file raises.
        """
        target = outputs.settle(output)
        outputs.write(target, self.encode(max(read_whole("debug", debug), 0)))

    def encode(self, debug: int) -> bytes:
        """Return the bytes that ``write_to`` writes."""
        tables = self.build()
        if not debug:
            return encode_file(tables)
        return count_text.encode(tables) if debug == 1 else count_text.encode_dump(tables)

    def build(self) -> ProfileTables:
        """Return the profile as tables."""
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
    if profile.name in RESERVED:
        raise ProfileError(
            f"{profile.name!r} cannot be the name of a profile: it has another meaning at "
            "/debug/pprof/ and in the viewer",
            "the convention is 'package.what'",
        )
    if profile.name in ALIASES or _profiles.setdefault(profile.name, profile) is not profile:
        raise ProfileError(f"a profile called {profile.name} already exists")


def lookup(name: str) -> Profile | None:
    """Return the profile of this name; None if there is none. Go's names ``goroutine`` and
    ``goroutineleak`` stand for ``threads`` and ``threadleak``."""
    return _profiles.get(ALIASES.get(name, name))


def profiles() -> list[Profile]:
    """Return all profiles, sorted by name."""
    return [profile for _, profile in sorted(_profiles.copy().items())]


def _list_entries(bucket: dict[int, _Entry], hash_value: int) -> Iterator[_Entry]:
    """Yield the bucket's entries of this hash, oldest first."""
    for entry in bucket.copy().values():
        if entry.hash_value == hash_value:
            yield entry


def _drop(bucket: dict[int, _Entry], serial: int) -> None:
    """Remove an entry. Of several calls for one entry, only the first finds it."""
    entry = bucket.pop(serial, None)
    if entry is not None:
        _core.uncount_stack(entry.slot)


def _is_equal(one: object, other: object) -> bool:
    return one is other or bool(one == other)


def _capture_stack(skip: int) -> tuple[Any, ...]:
    """Return the caller's stack, leaf first, without its ``skip`` innermost frames."""
    try:
        frame = sys._getframe(skip + 1)
    except (ValueError, OverflowError):
        return ()
    items: list[Any] = []
    while frame is not None and len(items) < MAX_FRAMES * _STRIDE:
        module = frame.f_globals.get("__name__")
        items += (
            frame.f_code,
            frame.f_lasti,
            frame.f_lineno or 0,
            module if type(module) is str else "",
        )
        frame = frame.f_back  # type: ignore[assignment] # None ends the loop
    return tuple(items)


def _describe_stack(stack: tuple[Any, ...]) -> Iterable[Frame]:
    """Return the frames of a captured stack, root first."""
    if not stack:
        return (Frame(LOST_EVENT, LOST_EVENT),)
    frames = [stack[at : at + _STRIDE] for at in range(0, len(stack), _STRIDE)]
    return (_describe_place(code, line, module) for code, _, line, module in reversed(frames))


def _describe_place(code: CodeType, line: int, module: str) -> Frame:
    qualname = getattr(code, "co_qualname", code.co_name)  # 3.11
    name = f"{module}.{qualname}" if module else qualname
    return Frame(name, code.co_name, code.co_filename, code.co_firstlineno, line)
