"""Values for machine code: where a function is, its name, and its source lines."""

from __future__ import annotations

from stackglass.named_tuple import NamedTuple

_NO_BUILD_ID = "headers-"
_IN_MEMORY = "memory-"
_ADDRESS_BITS = 64


class NativeCode(NamedTuple):
    """A function of a loaded library, or of code that was made at run time."""

    path: str  # of the library, as the process sees it; "" = code that was made at run time
    identity: str  # of the library's file, as in wire.proto
    start: int  # address less the library's base

    @property
    def build_id(self) -> str:
        """The build id in hexadecimal; "" = the library has none."""
        return "" if self.identity.startswith((_NO_BUILD_ID, _IN_MEMORY)) else self.identity

    @property
    def memory_address(self) -> int | None:
        """The address of code that was made at run time; None = the code is in a library."""
        if self.path or not self.identity.startswith(_IN_MEMORY):
            return None
        try:
            base = int(self.identity[len(_IN_MEMORY) :].partition(" ")[0], 16)
        except ValueError:
            return None
        address = base + self.start
        return address if 0 <= address < 1 << _ADDRESS_BITS else None

    @property
    def calling_library(self) -> str:
        """The library that called code that was made at run time; "" = not known."""
        return "" if self.memory_address is None else self.identity.partition(" ")[2]


class NativeName(NamedTuple):
    """The name of a function of machine code."""

    text: str  # "libz: inflate_fast"
    symbol: str  # as in the file; "" = not known


class NativeLine(NamedTuple):
    """Source line of an address of machine code: of the function itself, or of a call that was
    inlined into it."""

    text: str  # "libz: inflate_fast"; "" = the function itself, which has a NativeName
    symbol: str  # as in the file; "" = not known
    file: str  # of the source; "" = not known
    line: int  # 0 = not known
    start_line: int  # where the function is declared; 0 = not known


UNNAMED = NativeName("<native>", "")
"""Name of code of which nothing is known."""

MADE = NativeName("JIT: [unnamed]", "")
"""Name of code that was made at run time and has no name of its own."""
