"""The heap as a pprof profile: what its comments say about memory in use."""

from __future__ import annotations

import pytest

from stackglass.wire import messages
from stackglass.wire.heap_profile import HeapKind, describe_forgotten
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.recording import Recording


@pytest.mark.parametrize("attach_rss_bytes", [0, 1 << 20])
def test_the_comments_say_that_blocks_were_forgotten(attach_rss_bytes: int) -> None:
    recording = Recording(0)
    recording.add(messages.HeapStatus(attach_rss_bytes=attach_rss_bytes))
    assert not any("missing" in line for line in list_comments(recording))
    recording.add(
        messages.HeapStatus(attach_rss_bytes=attach_rss_bytes, n_displaced=1, n_lost_frees=3)
    )
    assert list_comments(recording)[-2:] == describe_forgotten(1, 3)


def test_each_reason_is_a_line_of_its_own() -> None:
    assert describe_forgotten(0, 0) == ()
    (displaced,) = describe_forgotten(1, 0)
    assert displaced == (
        "memory allocated before another tool (such as tracemalloc) removed the heap profile's "
        "hooks is missing from memory in use"
    )
    (lost,) = describe_forgotten(0, 2)
    assert "before a free was lost" in lost
    assert "(2 times)" in lost


def list_comments(recording: Recording) -> tuple[str, ...]:
    return tuple(recording.build_heap(HeapKind.HEAP, HeapView.LIVE).comments)
