"""Every field number that the core writes or reads is the schema's."""

from __future__ import annotations

import pytest

from stackglass.wire import pprof_tags, tags
from stackglass_viewer.model.proto import profile_pb2, wire_pb2

SCHEMAS = [
    wire_pb2.FromEngine.DESCRIPTOR.file,
    profile_pb2.Profile.DESCRIPTOR.file,
]
MESSAGES = [
    value
    for module in (tags, pprof_tags)
    for value in vars(module).values()
    if isinstance(value, type)
]


def find_numbers(name: str) -> dict[str, int]:
    """A message's field numbers by the fields' names."""
    tables = [schema.message_types_by_name for schema in SCHEMAS]
    found = [table[name] for table in tables if name in table]
    assert len(found) == 1, f"{name} is in {len(found)} schemas"
    return {field.name: field.number for field in found[0].fields}


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.__name__)
def test_tags_are_the_schemas_field_numbers(message: type) -> None:
    numbers = find_numbers(message.__name__)
    constants = {name: value for name, value in vars(message).items() if name.isupper()}
    assert constants, "a message without tags"
    assert constants == {name: numbers[name.lower()] for name in constants}


def test_the_whole_wire_is_known() -> None:
    """A field that only one end knows of would be skipped in silence."""
    known = {message.__name__: message for message in MESSAGES}
    for name, descriptor in SCHEMAS[0].message_types_by_name.items():
        if descriptor.fields:
            missing = [
                f.name for f in descriptor.fields if not hasattr(known[name], f.name.upper())
            ]
            assert not missing, f"{name} has fields that tags.py does not list"
