"""Source names of functions that a JIT has compiled."""

from __future__ import annotations

import re

from stackglass.symbols.demangler import demangle

_TAG = re.compile(r"\[abi:[^\]]*\]")  # numba's: the version of a function, and its types
_SIGNS = {"_3clocals_3e": "<locals>", "_3clambda_3e": "<lambda>"}
_WRAPPERS = {"cpython": "[called from Python]", "cfunc": "[called from C]"}


def name_jit_symbol(symbol: str) -> str:
    """Return the source name of a symbol. numba mangles as C++ does, and tags each name.

    >>> name_jit_symbol("_ZN8__main__5outerB2v1B3abcEdi")
    '__main__.outer'

    numba's wrappers, which call a function, are named after the function:

    >>> name_jit_symbol("_ZN7cpython8__main__5outerB2v1B3abcEdi")
    '__main__.outer [called from Python]'
    >>> name_jit_symbol("cfunc._ZN8__main__5outerB2v1B3abcEdi")
    '__main__.outer [called from C]'
    >>> name_jit_symbol("NRT_incref")
    'NRT_incref'
    """
    prefix, dot, mangled = symbol.partition(".")
    is_wrapper = bool(dot) and prefix in _WRAPPERS
    text = demangle(mangled if is_wrapper else symbol)
    if not _TAG.search(text):
        return text
    parts = [_SIGNS.get(part, part) for part in _TAG.sub("", text).split("::")]
    kind = prefix if is_wrapper else parts[0] if parts[0] in _WRAPPERS and parts[1:] else ""
    if kind and not is_wrapper:
        parts = parts[1:]
    return ".".join(parts) + (f" {_WRAPPERS[kind]}" if kind else "")
