"""The row of the samples that the engine could not store: one frame, no thread, no labels."""

from __future__ import annotations

from stackglass.wire import messages
from stackglass.wire.definitions import NO_THREAD, Definitions

LOST_SAMPLES = "<lost samples>"


def make_lost_batch(names: Definitions, count: int, cpu_ns: int) -> messages.Batch:
    """Return a batch with this row. The batch continues the tables that ``names`` has received."""
    strings = [LOST_SAMPLES] if names.strings else ["", LOST_SAMPLES]
    text = len(names.strings) + len(strings) - 1
    location = len(names.locations[0])
    roots = [] if names.n_nodes else [0]
    return messages.Batch(
        strings=strings,
        function_name=[text],
        function_system_name=[text],
        function_filename=[0],
        function_start_line=[0],
        location_function=[len(names.functions[0])],
        location_line=[0],
        node_parent=[*roots, 0],
        node_location=[*roots, location],
        thread_tid=[],
        thread_name=[],
        sample_node=[names.n_nodes + len(roots)],
        sample_tid=[NO_THREAD],
        sample_labels=[0],
        sample_time=[0],
        sample_count=[count],
        sample_cpu_ns=[cpu_ns],
    )
