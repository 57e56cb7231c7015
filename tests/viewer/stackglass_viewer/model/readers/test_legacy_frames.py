"""Frames that old profiles are shown without."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.patterns import compile_whole
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.readers.legacy_frames import choose_drop_frames


@pytest.mark.parametrize(
    ("types", "dropped", "kept"),
    [
        (
            "objects space",
            "malloc calloc pvalloc tc_new tc_newarray_nothrow tcmalloc::x",
            "mallocs x",
        ),
        ("inuse_objects inuse_space", "cfree free realloc runtime.x do_malloc", "freedom load"),
        ("contentions delay", "Mutex::Unlock base::Mutex::UnlockSlow ~MutexLock", "Lock malloc"),
        ("samples cpu", "ProfileData::Add __restore", "malloc Unlock"),
    ],
)
def test_what_a_profile_is_of_decides(types: str, dropped: str, kept: str) -> None:
    patterns = choose_drop_frames([SampleType(name, "") for name in types.split()])
    is_dropped = compile_whole(patterns.drop)
    assert all(map(is_dropped, dropped.split()))
    assert not any(map(is_dropped, kept.split()))
