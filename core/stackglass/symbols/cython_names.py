"""Names of functions in Cython's symbols.

::

    __pyx_pw_ 4lxml_ 5etree_ 8_Element_ 15 xpath     the wrapper that Python calls
    kind      package, module, class    a number, and the function

Packages, modules, classes and outer functions are a length and a name. The number before the
function's own name can look like a length: ``3say_hello``. If a method table has the function's
name, the symbol is clear; else a part after the module is a class if it begins with a capital.
"""

from __future__ import annotations

import re

_KIND = re.compile(r"(?:__pyx_fuse_\d+(?:_\d+)*)?__pyx_(?:pw|pf|f|gb)_(?=\d)")
_FUSED = re.compile(r"__pyx_fuse_\d+(?:_\d+)*")
_LENGTH = re.compile(r"[1-9]\d*")
_NUMBERED = re.compile(r"\d*([A-Za-z_]\w*)$")
_CLASS = re.compile(r"_*[A-Z]")


def read_cython_name(symbol: str, library: str, method: str = "") -> str:
    """Return class and function in a symbol of Cython's, without the module ``library``; "" = the
    symbol is not Cython's. ``method`` is the function's name in a method table.

    >>> read_cython_name("__pyx_pw_4lxml_5etree_8_Element_15xpath", "etree")
    '_Element.xpath'
    >>> read_cython_name("__pyx_pw_5hello_3say_hello", "hello", "say_hello")
    'say_hello'
    """
    kind = _KIND.match(symbol)
    if kind is None:
        return ""
    rest = symbol[kind.end() :]
    if method and rest.endswith(method):
        parts, left = _read_parts(rest[: -len(method)].rstrip("0123456789"), "")
        last = "" if left else method
    else:
        parts, left = _read_parts(rest, library)
        found = _NUMBERED.match(_FUSED.sub("", left))
        last = found[1] if found else ""
    if not parts or not last:
        return ""
    if library in parts:
        parts = parts[parts.index(library) + 1 :]
    return ".".join([*parts, last])


def _read_parts(text: str, module: str) -> tuple[list[str], str]:
    """Return the parts of the scope, and the rest. ``module`` is the last part before classes;
    "" = every part with a length is of the scope."""
    parts: list[str] = []
    while True:
        length = _LENGTH.match(text)
        end = length.end() + int(length[0]) if length else 0
        part = text[length.end() : end] if length else ""
        if not part.isidentifier() or text[end : end + 1] != "_":
            return parts, text
        if module and module in parts and not _CLASS.match(part):
            return parts, text
        parts.append(part)
        text = text[end + 1 :]
