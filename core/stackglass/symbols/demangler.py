"""Demangler of C++ and Rust names, by libstdc++ if there is one; newer Rust by ``rust_names``."""

from __future__ import annotations

import ctypes
import re
from functools import lru_cache
from typing import Callable

from stackglass.symbols.rust_names import demangle_rust

_ANONYMOUS = "(anonymous namespace)"
_RUST_HASH = re.compile(r"::h[0-9a-f]{16}$")
_RUST_SIGNS = {
    "LT": "<",
    "GT": ">",
    "RF": "&",
    "BP": "*",
    "LP": "(",
    "RP": ")",
    "C": ",",
    "SP": "@",
}
_RUST_SIGN = re.compile(rf"\$({'|'.join(_RUST_SIGNS)}|u[0-9a-f]{{1,4}})\$|\.\.")
_CLASS_NAME = "typeinfo name for "
_MAX_BYTES = 1024
"""Longer names stay as they are: templates of templates, too long to read."""


def demangle(symbol: str) -> str:
    """Return the name as in the source, without types; the symbol itself if it is not mangled, or
    not understood."""
    if len(symbol) > _MAX_BYTES:
        return symbol
    if symbol.startswith("_R"):
        return demangle_rust(symbol) or symbol
    if not symbol.startswith("_Z"):
        return symbol
    text = simplify(_load()(symbol.encode()))
    path = _RUST_HASH.sub("", text)
    return (path if path == text else decode_older_rust(path)) or symbol


def decode_older_rust(path: str) -> str:
    """Decode a path in Rust's older mangling, which spells punctuation in letters.

    >>> decode_older_rust("_$LT$core..ops..Range$LT$T$GT$$u20$as$u20$Iterator$GT$::next")
    '<core::ops::Range<T> as Iterator>::next'
    """
    parts = (part[1:] if part.startswith("_$") else part for part in path.split("::"))
    return "::".join(_RUST_SIGN.sub(_decode_sign, part) for part in parts)


def _decode_sign(found: re.Match[str]) -> str:
    word = found[1]
    if word is None:
        return "::"
    if word in _RUST_SIGNS:
        return _RUST_SIGNS[word]
    sign = chr(int(word[1:], 16))
    return sign if sign.isprintable() else found[0]


def demangle_class(name: str) -> str:
    """Return the class of a name in C++'s type information, without template arguments; "" = not
    understood."""
    text = _load()(b"_ZTS" + name.encode()) if len(name) <= _MAX_BYTES else ""
    text = text[len(_CLASS_NAME) :] if text.startswith(_CLASS_NAME) else ""
    text = text.replace(_ANONYMOUS, "(anonymous)")
    return text if "operator" in text else _drop_templates(text)


def simplify(name: str) -> str:
    """Return a C++ name without result type, arguments and template arguments, as pprof shows it.

    >>> simplify("unsigned long sort_n<wide<double>, 8>(double*, unsigned long)")
    'sort_n'
    """
    if "operator" in name:
        return name  # brackets may belong to the name
    depth, kept, start = 0, "", 0
    for at, sign in enumerate(name):
        if sign == "(" and depth == 0 and not name.startswith(_ANONYMOUS, at):
            break
        if sign in "<(":
            depth += 1
        if depth == 0:
            kept += sign
            if sign == " ":
                start = len(kept)
        if sign in ">)":
            depth -= 1
            kept += "(anonymous)" if depth == 0 and sign == ")" else ""
    return kept[start:]


def _drop_templates(name: str) -> str:
    """Return the name without angle brackets and what they contain.

    >>> _drop_templates("std::thread::_State_impl<std::_Bind<void (*())()> >")
    'std::thread::_State_impl'
    """
    depth, kept = 0, ""
    for sign in name:
        depth += sign == "<"
        if not depth:
            kept += sign
        depth -= sign == ">"
    return kept


@lru_cache(maxsize=1)
def _load() -> Callable[[bytes], str]:
    try:
        translate = ctypes.CDLL("libstdc++.so.6")["__cxa_demangle"]
        free = ctypes.CDLL(None).free
    except (OSError, AttributeError):
        return lambda _: ""
    translate.restype = ctypes.c_void_p
    translate.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    free.argtypes = [ctypes.c_void_p]

    def call(symbol: bytes) -> str:
        text = translate(symbol, None, None, None)
        if not text:
            return ""
        try:
            return ctypes.string_at(text).decode("utf-8", "replace")
        finally:
            free(text)

    return call
