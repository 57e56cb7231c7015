"""What a recording says on the terminal."""

from __future__ import annotations

from stackglass.record.progress import describe_unfollowed
from stackglass.wire import messages
from stackglass.wire.recording import Recording


def test_libraries_that_cannot_be_followed_are_named() -> None:
    recording = Recording(0)
    assert describe_unfollowed(recording) == []
    recording.add(messages.HeapStatus(time_mono_ns=1, unaccounted_bytes=5 << 20))
    assert describe_unfollowed(recording) == []
    recording.add(
        messages.HeapStatus(
            time_mono_ns=2,
            unaccounted_bytes=5 << 20,
            arena_library=["libduck.so", "libgoose.so"],
            arena_bytes=[3 << 20, 1 << 19],
        )
    )
    first, second, rest = describe_unfollowed(recording)
    assert first.startswith(
        "the allocator of libduck.so cannot be followed: its arenas have 3.0 MiB"
    )
    assert second.startswith("the allocator of libgoose.so")
    assert "0.5 MiB" in second
    assert rest == "memory that is not accounted for: 5.0 MiB"
