"""Native frames: functions of machine code, recognized by the form of their names.

The engine and ``record`` write the library first: ``libz: inflate_fast``. No name of a function of
Python, Go or JavaScript begins with a word, a colon and a space.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_NATIVE = re.compile(r"([^\s:<>()]+): \S")
_RUNTIME = re.compile(
    r"(?:(?:lib)?python(?:3(?:\.\d+)?)?[dt]*|libc|libm|libdl|librt|libpthread|ld|ld-linux.*|linux-vdso)$"
)

_KEPT = ("builtins", "kernel")  # not merged into a frame for the library

NATIVE_PATTERN = r"^[^\s:<>()]+: \S"
"""Pattern for pprof's filters that matches functions of machine code."""


def find_library(name: str) -> str:
    """Return the library of a function; "" = the function is not of machine code.

    >>> find_library("libz: inflate_fast")
    'libz'
    >>> find_library("std::vector::push_back")
    ''
    """
    found = _NATIVE.match(name)
    return found[1] if found else ""


def find_merged_library(name: str) -> str:
    """Return the library into which a function is merged; "" = the function stays as it is, as
    functions of Python, built-in functions and system calls do.

    >>> [find_merged_library(name) for name in ("builtins: list.sort", "kernel: read", "libz: crc")]
    ['', '', 'libz']
    """
    library = find_library(name)
    return "" if library in _KEPT else library


def name_all(library: str) -> str:
    """Return the name of the frame that replaces a library's functions."""
    return f"{library}: *"


def is_runtime(library: str) -> bool:
    """Whether a library is Python itself, or belongs to the C runtime.

    >>> [is_runtime(each) for each in ("libpython3.13", "libc", "libcrypto", "python_magic")]
    [True, True, False, False]
    """
    return bool(_RUNTIME.match(library))


def is_native(name: str) -> bool:
    """Whether a function is of machine code."""
    return bool(_NATIVE.match(name))


def has_native(names: Iterable[str]) -> bool:
    """Whether one of the functions is of machine code."""
    return any(map(is_native, names))
