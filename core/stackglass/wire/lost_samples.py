"""The row of the samples that the engine could not store: one frame, no thread, no labels."""

from __future__ import annotations

from array import array

from stackglass.wire.pprof import ProfileTables

LOST_SAMPLES = "<lost samples>"


def add_lost_row(tables: ProfileTables, count: int, cpu_ns: int) -> ProfileTables:
    """Return the tables of a CPU profile with this row behind the others. Label set 0 of
    ``tables`` is the empty one."""
    strings = (*(tables.strings or ("",)), LOST_SAMPLES)
    text = len(strings) - 1
    names = [*tables.function_name, text]
    locations = [*tables.location_function, len(names) - 1]
    addresses = list(tables.location_native_address)
    parents = array("I", tables.node_parent.tobytes()) or array("I", [0])
    places = array("I", tables.node_location.tobytes()) or array("I", [0])
    counts, times_ns = (column.tobytes() for column in tables.sample_values)
    return tables._replace(
        strings=strings,
        function_name=names,
        function_system_name=[*tables.function_system_name, text],
        function_filename=[*tables.function_filename, 0],
        function_start_line=[*tables.function_start_line, 0],
        location_function=locations,
        location_line=[*tables.location_line, 0],
        location_native_address=[*addresses, 0] if addresses else (),
        node_parent=parents + array("I", [0]),
        node_location=places + array("I", [len(locations) - 1]),
        sample_node=array("I", tables.sample_node.tobytes()) + array("I", [len(parents)]),
        sample_labels=array("I", tables.sample_labels.tobytes()) + array("I", [0]),
        sample_values=(
            array("Q", counts) + array("Q", [count]),
            array("Q", times_ns) + array("Q", [cpu_ns]),
        ),
    )
