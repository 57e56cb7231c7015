"""CPU and heap of a capture as one profile; for a group, with the process as a label."""

from __future__ import annotations

from stackglass.wire.pprof import ProfileTables, encode
from stackglass.wire.pprof_file import keep_used
from stackglass_viewer.model.heap.buckets import HEAP_TYPES, HeapColumn
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.profile.added_label import add_label
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.profile_sum import join_profiles
from stackglass_viewer.presenter.saving.heap_file import to_heap_profile
from stackglass_viewer.presenter.saving.pprof_file import to_profile

PROCESS_KEY = "process"
"""Key of the label with the process of a sample."""

MEMBER_TYPES = (SampleType("samples", "count"), SampleType("cpu", "nanoseconds"), *HEAP_TYPES)
"""The sample types of every member's profile, in this order."""


def read_member(live: LiveProfile, name: str) -> Profile:
    """Return ``read_capture`` with the process label ``name``. Raises StackglassError."""
    return add_label(read_capture(live), PROCESS_KEY, name)


def read_capture(live: LiveProfile) -> Profile:
    """Return CPU and heap of a capture since its beginning or the last clear, with the sample types
    MEMBER_TYPES. Any thread but the GUI's. Raises StackglassError.
    """
    moment = live.heap.capture(HeapWhen.LIVE)
    heap = to_heap_profile(
        moment,
        live.list_definitions(),
        HeapColumn.INUSE_SPACE,
        live.to_unix_ns(moment.time_ns),
        live.facts.executable,
    )
    return join_profiles([_read(to_profile(live.export())), _read(heap)])


def make_empty() -> Profile:
    """Return the profile of a group that has no member yet."""
    from stackglass_viewer.model.readers.frame_profile import FrameSamples  # for start-up time

    return FrameSamples().build(MEMBER_TYPES)


def _read(tables: ProfileTables) -> Profile:
    from stackglass_viewer.model.readers.pprof import read_pprof  # here for start-up time

    return read_pprof(encode(keep_used(tables)), lambda _: True)
