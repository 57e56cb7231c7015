"""Machine code of a process: where a function lies, and what it is called."""

from __future__ import annotations

from stackglass.named_tuple import NamedTuple

_NO_BUILD_ID = "headers-"


class NativeCode(NamedTuple):
    """A function of a loaded library."""

    path: str  # of the library, in the process
    identity: str  # of its file: as in wire.proto
    start: int  # less the library's base

    @property
    def build_id(self) -> str:
        """In hexadecimal; "" = the library has none."""
        return "" if self.identity.startswith(_NO_BUILD_ID) else self.identity


class NativeName(NamedTuple):
    """What such a function is called."""

    text: str  # "libz: inflate_fast"
    symbol: str  # as in the file; "" = not known
