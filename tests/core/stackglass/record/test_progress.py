"""What a recording says on the terminal."""

from __future__ import annotations

from stackglass.record.progress import (
    describe,
    describe_idle,
    describe_incomplete,
    describe_unfollowed,
)
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


def test_a_profile_without_samples_says_why() -> None:
    """`pprof -tags` prints nothing of such a file, which looks as if labels were lost."""
    recording = Recording(100)
    recording.add(messages.Status(cpu_hz=100, time_mono_ns=1))
    recording.add(messages.Status(cpu_hz=100, process_cpu_ns=1_200_000, time_mono_ns=10**9))
    assert "no samples: the process used 1.2 ms of CPU time" in describe_idle(recording)
    recording.add(messages.Status(cpu_hz=100, n_lost=1, time_mono_ns=2 * 10**9))
    assert describe_idle(recording) == ""


def test_the_share_of_lost_events_is_never_none() -> None:
    for n_lost, share in ((839_918, "less than 1%"), (18_172_265, "9%"), (3_600_000_000, "95%")):
        recording = Recording(0)
        recording.add(messages.MemoryInfo(is_ended=1, n_events=181_722_647, n_lost=n_lost))
        (line,) = describe_incomplete(recording, is_native_wanted=False)
        assert f"{n_lost} events were lost ({share})" in line


def test_the_rate_that_was_requested_outlives_the_end() -> None:
    """A program that ends stops sampling, so the last status says rate 0."""
    recording = Recording(0)
    recording.add(messages.Status(cpu_hz=100, time_mono_ns=1))
    recording.add(messages.Status(cpu_hz=0, process_cpu_ns=10**9, time_mono_ns=10**9))
    assert describe(recording).endswith("0 of 100 a CPU second")
