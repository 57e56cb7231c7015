"""Look-up of the machine code that a batch defines: names of functions, lines of addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from stackglass.errors import WireError
from stackglass.symbols.native_code import NativeCode, NativeLine, NativeName
from stackglass_viewer.model.live.native_lines import NativeDetails
from stackglass_viewer.model.proto import wire_pb2

NameNatives = Callable[[Sequence[NativeCode]], Sequence[NativeName] | None]
"""Names of machine code; None = none are known."""
LocateNatives = Callable[[Sequence[NativeCode]], Sequence[Sequence[NativeLine]] | None]
"""Lines at addresses, which stand in the place of starts; None = none are known."""


class Defined(Protocol):
    """What a session has defined before."""

    strings: list[str]

    @property
    def n_functions(self) -> int:
        """Functions so far."""

    @property
    def n_locations(self) -> int:
        """Locations so far."""

    def read_native(self, function: int) -> NativeCode | None:
        """A function of machine code; None = it is none."""


def find_details(
    known: Defined,
    batch: wire_pb2.Batch,
    name_natives: NameNatives,
    locate_natives: LocateNatives | None,
) -> NativeDetails:
    """What a batch adds to what is known. Raises WireError."""
    codes = _list_natives(known, batch)
    texts = {row: batch.function_name[row - known.n_functions] for row in codes}
    found = name_natives(list(codes.values())) if codes else ()
    names = {texts[row]: each.text for row, each in zip(codes, found or (), strict=False)}
    if locate_natives is None:
        return NativeDetails(names)
    places: dict[int, NativeCode] = {}
    pairs = zip(batch.location_function, batch.location_native_address, strict=False)
    for location, (function, address) in enumerate(pairs, known.n_locations):
        is_new = function >= known.n_functions
        code = codes.get(function) if is_new else known.read_native(function)
        if address and code is not None and code.path:
            places[location] = code._replace(start=max(address, code.start))
    lines = locate_natives(list(places.values())) if places else ()
    located = zip(places, lines or (), strict=False)
    return NativeDetails(names, {location: each for location, each in located if each})


def _list_natives(known: Defined, batch: wire_pb2.Batch) -> dict[int, NativeCode]:
    """Machine code by function."""
    n_known, new = len(known.strings), batch.strings

    def read(number: int) -> str:
        try:
            return known.strings[number] if number < n_known else new[number - n_known]
        except IndexError:
            raise WireError("a function refers to an undefined string") from None

    try:
        return {
            known.n_functions + row: NativeCode(
                read(batch.function_filename[row]), read(batch.function_system_name[row]), start
            )
            for row, start in enumerate(batch.function_native_start)
            if start and batch.function_name[row] >= 0
        }
    except IndexError:
        raise WireError("the columns of a table differ in length") from None
