"""Definitions in a batch: strings, functions, names, locations and stacks that later messages refer
to. Late in a session, most batches define nothing."""

from __future__ import annotations

from operator import attrgetter

from stackglass_viewer.model.proto import wire_pb2

_TABLES = ("function_", "known_", "location_", "node_")
_list_columns = attrgetter(
    "strings",
    *(field for field in wire_pb2.Batch.DESCRIPTOR.fields_by_name if field.startswith(_TABLES)),
)


def has_definitions(batch: wire_pb2.Batch) -> bool:
    """Whether a batch defines anything."""
    return any(_list_columns(batch))
