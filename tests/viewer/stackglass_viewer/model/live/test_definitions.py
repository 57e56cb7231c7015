"""Which batches define something."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.live.definitions import has_definitions
from stackglass_viewer.model.proto.wire_pb2 import Batch


@pytest.mark.parametrize(
    "batch",
    [
        Batch(strings=[""]),
        Batch(node_parent=[0], node_location=[0]),
        Batch(location_line=[1]),
        Batch(function_native_start=[0]),
        Batch(known_function=[0]),
    ],
)
def test_anything_of_a_table_is_a_definition(batch: Batch) -> None:
    assert has_definitions(batch)


def test_samples_define_nothing() -> None:
    samples = Batch(sample_node=[1], sample_tid=[7], sample_time=[3], sample_count=[1])
    samples.wall_node.append(1)
    samples.thread_tid.append(7)
    assert not has_definitions(samples)
    assert not has_definitions(Batch())
