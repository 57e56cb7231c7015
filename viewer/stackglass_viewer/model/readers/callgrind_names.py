"""Names of a callgrind file: objects, files and functions, with numbers that stand for them.

A call is in the object and file that the lines are in, unless it names others::

    ob=(1) /bin/app      fl=(1) app.c      fn=(1) main      lines of main
                         fi=(2) list.h                      lines that were inlined into it
    cob=(2) libc.so                        cfn=(7) puts     a function that it calls
"""

from __future__ import annotations

import re
from collections.abc import Callable

_NUMBERED = re.compile(rb"\((\d{1,18})\)\s*(.*)")
_UNKNOWN = ("", "???", "~")
_OBJECTS, _FILES, _FUNCTIONS = "object", "file", "function"
_KINDS = {
    b"ob": _OBJECTS,
    b"cob": _OBJECTS,
    b"fl": _FILES,
    b"fi": _FILES,
    b"fe": _FILES,
    b"cfi": _FILES,
    b"cfl": _FILES,
    b"jfi": _FILES,
    b"fn": _FUNCTIONS,
    b"cfn": _FUNCTIONS,
    b"jfn": _FUNCTIONS,
}
_NONE = -1


class Names:
    """The names in force while a file is read. One thread."""

    def __init__(self, add_function: Callable[[str, str], int]) -> None:
        """``add_function``: makes a number of a function's name and file."""
        self._add_function = add_function
        self._by_number: dict[str, dict[int, str]] = {kind: {} for kind in set(_KINDS.values())}
        # By object and file: keys of three would take twice the memory.
        self._functions: dict[tuple[str, str], dict[str, int]] = {}
        self._object = self._file = self._own_file = ""
        self._called_object: str | None = None
        self._called_file: str | None = None
        self._function = self._callee = _NONE

    @property
    def function(self) -> int:
        """The function that lines are of now. Raises ValueError if there is none."""
        if self._function == _NONE:
            raise ValueError("is of no function")
        return self._function

    @property
    def is_in_own_file(self) -> bool:
        """Whether lines are of the function's own file, not of one that was inlined."""
        return self._file == self._own_file

    @property
    def callee(self) -> int:
        """The function that the last ``cfn`` named. Raises ValueError if there is none."""
        if self._callee == _NONE:
            raise ValueError("names no function that is called")
        return self._callee

    def read(self, key: bytes, value: bytes) -> None:
        """A line ``key=value``. Raises ValueError."""
        name = self._resolve(_KINDS[key], value)
        if key == b"ob":
            self._object = name
        elif key in (b"fl", b"fi", b"fe"):
            self._file = name
            if key == b"fl":
                self._own_file = name
        elif key == b"fn":
            self._own_file = self._file
            self._function = self._find(self._object, self._file, name)
            self._callee = _NONE
        elif key == b"cob":
            self._called_object = name
        elif key in (b"cfi", b"cfl"):
            self._called_file = name
        elif key == b"cfn":
            of_object = self._object if self._called_object is None else self._called_object
            file = self._file if self._called_file is None else self._called_file
            self._callee = self._find(of_object, file, name)
            self._called_object = self._called_file = None

    def _resolve(self, kind: str, value: bytes) -> str:
        found = _NUMBERED.fullmatch(value)
        if found is None:
            return value.decode(errors="replace")
        number, name = int(found[1]), found[2]
        names = self._by_number[kind]
        if name:
            names[number] = name.decode(errors="replace")
        elif number not in names:
            raise ValueError(f"stands for a {kind} that the file has not named")
        return names[number]

    def _find(self, of_object: str, file: str, name: str) -> int:
        numbers = self._functions.setdefault((of_object, file), {})
        if name not in numbers:
            place = of_object if file in _UNKNOWN else file
            bare = _split_place(name, file)
            numbers[name] = self._add_function(bare, "" if place in _UNKNOWN else place)
        return numbers[name]


def _split_place(name: str, file: str) -> str:
    """The name without ``file:line`` behind it, as yappi has them."""
    bare, is_placed, place = name.rpartition(" ")
    found_file, _, line = place.rpartition(":")
    return bare if is_placed and file and found_file == file and line.isdigit() else name
