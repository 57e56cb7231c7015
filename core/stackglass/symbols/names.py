"""Names of libraries and functions, shortened for people."""

from __future__ import annotations

import re

_SUFFIX = re.compile(r"\.(?:cpython-[^/]*|abi3|pypy[^/]*)?\.?so(?:\.[0-9.]+)?$|\.so(?:\.[0-9.]+)?$")
_MADE_UNIQUE = re.compile(r"(-[0-9a-f]{8})$")  # by auditwheel
_INTERPRETER = re.compile(r"(?:lib)?python(?:3(?:\.\d+)?)?[dt]*$")
_ENGINE = "/stackglass/native/_core.abi3.so"
_PART = re.compile(r"(\.(?:cold|part|isra|constprop|lto_priv|llvm|localalias)(?:\.[0-9]+)*)+$")


def name_library(path: str) -> str:
    """Return the name of a library, without suffixes that only the loader needs.

    >>> name_library("/usr/lib/libcrypto.so.3")
    'libcrypto'
    >>> name_library("/x/numpy/_core/_multiarray_umath.cpython-313-x86_64-linux-gnu.so")
    '_multiarray_umath'
    >>> name_library("/x/numpy.libs/libscipy_openblas64_-ff651d7f.so")
    'libscipy_openblas64_'

    The engine's own library has the engine's name:

    >>> name_library("/x/stackglass/native/_core.abi3.so")
    'stackglass'
    """
    if path.endswith(_ENGINE):
        return "stackglass"
    file = path.rpartition("/")[2]
    return _MADE_UNIQUE.sub("", _SUFFIX.sub("", file)) or file


def clean_symbol(symbol: str) -> str:
    """Return a symbol without the suffixes of parts and copies of a function.

    >>> clean_symbol("inflate_fast.cold")
    'inflate_fast'
    """
    return _PART.sub("", symbol.partition("@")[0]) or symbol


def name_function(path: str, symbol: str) -> str:
    """Return the name of a function with its library.

    >>> name_function("/usr/lib/libz.so.1", "inflate_fast")
    'libz: inflate_fast'
    """
    return f"{name_library(path)}: {symbol}"


def name_start(path: str, start: int) -> str:
    """Return the name of a function without a symbol: its start address."""
    return name_function(path, f"{start:#x}")


def is_interpreter(path: str) -> bool:
    """Return whether a file is the interpreter, as a program or as a library.

    >>> [is_interpreter(each) for each in ("/usr/bin/python3.11", "/x/libpython3.13.so.1.0")]
    [True, True]
    """
    return bool(_INTERPRETER.match(name_library(path)))
