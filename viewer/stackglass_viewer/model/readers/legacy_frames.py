"""Patterns of frames that pprof drops from old profiles: allocators, locks, the profiler itself.

Protobuf files contain such patterns. The old formats do not, so the sample types decide. Only
frames of files that name functions can match.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stackglass_viewer.model.profile.profile import SampleType


class DropFrames(NamedTuple):
    """The patterns drop_frames and keep_frames of a profile; "" = none."""

    drop: str
    keep: str


_ALLOCATORS = (
    r"((c|m|p?v|re)alloc)|c?free|(do_)?memalign|(__)?posix_memalign",
    r"tcmalloc::.*|tc_((c|m|p?v|re)alloc|c?free|(posix_)?memalign)",
    r"tc_(new|delete)(array)?|tc_new(array)?_nothrow",
    r"malloc_zone_((c|m|v|re)alloc|memalign|free)",
    r"runtime\..*",
    r"BaseArena::.*|(::)?do_malloc(_no_errno|_pages)?|DoSampledAllocation",
    r"MallocedMemBlock::MallocedMemBlock|_M_allocate|__builtin_(vec_)?(delete|new)",
    r"__gnu_cxx::new_allocator::allocate|__libc_malloc|__malloc_alloc_template::allocate",
    r"allocate|cpp_alloc|operator new(\[\])?|simple_alloc::allocate",
)
_KEPT = r"runtime\.(panic|reflectcall|call[0-9]*)"
_LOCKS = (
    r"RecordLockProfileData|(base::)?(RecordLock|SubmitMutex|SubmitSpinLock)ProfileData.*",
    r"((base::)?Mutex::)?(AwaitCommon|Unlock|UnlockSlow|ReaderUnlock).*",
    r"((base::)?MutexLock::)?~MutexLock.*",
    r"(SpinLock::)?(Unlock|SlowUnlock).*|(SpinLockHolder::)?~SpinLockHolder.*",
)
_PROFILER = (
    r"ProfileData::(Add|prof_handler)|CpuProfiler::prof_handler|__pthread_sighandler|__restore"
)
_OF_HEAPS = (
    ("allocations", "size"),
    ("objects", "space"),
    ("inuse_objects", "inuse_space"),
    ("alloc_objects", "alloc_space"),
    ("alloc_objects", "alloc_space", "inuse_objects", "inuse_space"),
)


def choose_drop_frames(sample_types: Sequence[SampleType]) -> DropFrames:
    """Return the patterns for a profile with these sample types."""
    names = tuple(each.name for each in sample_types)
    if names in _OF_HEAPS:
        return DropFrames("|".join(_ALLOCATORS), _KEPT)
    if names == ("contentions", "delay"):
        return DropFrames("|".join(_LOCKS), "")
    return DropFrames(_PROFILER, "")
