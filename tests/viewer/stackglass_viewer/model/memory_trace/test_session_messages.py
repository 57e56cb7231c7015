"""What messages of a session say of its memory trace."""

from __future__ import annotations

from harness.session_writer import make_ready
from stackglass_viewer.model.memory_trace.session_messages import (
    SessionHead,
    list_warnings,
    make_info,
    note_message,
)
from stackglass_viewer.model.proto import wire_pb2

_SAID = wire_pb2.FromEngine(
    memory_info=wire_pb2.MemoryInfo(
        pool_bytes=8192,
        arena_bytes=1 << 19,
        alignment=32,
        minimum_address=4096,
        hidden_blocks=1234,
        n_stacks_lost=7,
        native_problem="not asked for",
    )
)


def test_what_the_engine_says_goes_before_what_its_version_has() -> None:
    head = SessionHead()
    note_message(make_ready("3.9.18"), head)
    assert make_info(head, True).pool_bytes == 4096
    note_message(_SAID, head)
    info = make_info(head, True)
    assert (info.pool_bytes, info.arena_bytes, info.alignment) == (8192, 1 << 19, 32)
    assert (info.minimum_address, info.hidden_blocks) == (4096, 1234)


def test_what_is_missing_is_said() -> None:
    head = SessionHead()
    assert list_warnings(head) == []
    note_message(_SAID, head)
    lines = list_warnings(head)
    assert lines[0] == "not asked for"
    assert lines[1].startswith("7 events have no stack")
