"""A profile as the bytes of a ``.pb.gz`` file, with the rows that its samples use and no others.

A session has one set of tables for all profiles: the heap's file would carry the names of every
function that was ever sampled on the CPU. A reader has no use for functions without samples, and
pprof would load them all.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from stackglass.wire.pprof import IntegerColumn, ProfileTables, encode, pack


def encode_file(tables: ProfileTables) -> bytes:
    """Return the file that ``go tool pprof`` opens. Raises IndexError for a reference to a row that
    is not there."""
    return pack(encode(keep_used(tables)))


def keep_used(tables: ProfileTables) -> ProfileTables:
    """Return the same samples with only the stacks, locations, functions and strings that they use,
    in the same order.

    Raises IndexError for a reference to a row that is not there.
    """
    parents, location_of = _integers(tables.node_parent), _integers(tables.node_location)
    nodes = _find_used_nodes(parents, _integers(tables.sample_node))
    lines = list(tables.location_line)
    functions_of = list(tables.location_function)
    addresses = list(tables.location_native_address) or [0] * len(functions_of)
    locations = sorted({location_of[node] for node in nodes if node})
    calls = {
        location: tables.location_inlined[location]
        for location in locations
        if location in tables.location_inlined
    }
    inlined = (function for each in calls.values() for function, _ in each)
    functions = sorted({*(functions_of[location] for location in locations), *inlined})
    texts = [
        list(column)
        for column in (
            tables.function_name,
            tables.function_system_name,
            tables.function_filename,
        )
    ]
    starts = list(tables.function_start_line)
    strings = sorted({0, *(column[function] for column in texts for function in functions)})
    node_number, location_number = _number(nodes), _number(locations)
    function_number, string_number = _number(functions), _number(strings)
    names, system_names, files = (
        array("I", (string_number[column[function]] for function in functions)) for column in texts
    )
    return tables._replace(
        strings=tuple(tables.strings[string] for string in strings) if tables.strings else (),
        function_name=names,
        function_system_name=system_names,
        function_filename=files,
        function_start_line=array("I", (starts[function] for function in functions)),
        location_function=array("I", (function_number[functions_of[row]] for row in locations)),
        location_line=array("I", (lines[row] for row in locations)),
        node_parent=array("I", (node_number[parents[node]] if node else 0 for node in nodes)),
        node_location=array(
            "I", (location_number[location_of[node]] if node else 0 for node in nodes)
        ),
        sample_node=array("I", (node_number[node] for node in _integers(tables.sample_node))),
        natives={
            function_number[function]: code
            for function, code in tables.natives.items()
            if function in function_number
        },
        location_native_address=array("I", (addresses[row] for row in locations)),
        location_inlined={
            location_number[location]: tuple(
                (function_number[function], line) for function, line in each
            )
            for location, each in calls.items()
        },
    )


def _find_used_nodes(parents: memoryview, sample_nodes: memoryview) -> list[int]:
    """Return the nodes of the samples and of all their callers, ascending, with the empty stack 0.
    A parent comes before its children, so one pass from the end finds all."""
    is_used = bytearray(max(len(parents), 1))
    is_used[0] = 1
    for node in sample_nodes:
        is_used[node] = 1
    for node in range(len(parents) - 1, 0, -1):
        if is_used[node]:
            is_used[parents[node]] = 1
    return [node for node, used in enumerate(is_used) if used]


def _number(rows: Iterable[int]) -> dict[int, int]:
    """Return the new number of each row that stays."""
    return {row: number for number, row in enumerate(rows)}


def _integers(column: IntegerColumn) -> memoryview:
    return memoryview(column.tobytes()).cast("I")
