"""Allocators inside libraries: SO LIBRARY HALF STRIPPED.

The libraries are ``private_allocator.c`` as it is, without functions that free, and stripped.
"""

import ctypes
import mmap
import os
import sys
import threading
import time

from heap import Heap, core, report

WAYS = ("malloc", "mallocx", "calloc", "aligned_alloc", "posix_memalign", "rallocx")
WAYS += ("mi_malloc_aligned", "arrow")
REALLOC, ARROW = WAYS.index("rallocx"), WAYS.index("arrow")
SIZE = 400_000
ARENA = 16 << 20


def load(path):
    library = ctypes.CDLL(path)
    for name in ("get", "change", "get_elsewhere"):
        getattr(library, name).restype = ctypes.c_void_p
    return library


def live(address):
    return [size for found, size, _ in core.heap_blocks() if found == address]


def name_of(address):
    bucket = next(number for found, _, number in core.heap_blocks() if found == address)
    return next(row for row in heap.read() if row.bucket == bucket).names[0]


def get_memory(library, way):
    return library.get(way, ctypes.c_size_t(SIZE + way))


def free(library, way, block):
    library.give_back(way, ctypes.c_void_p(block))


def read_entries(library):
    values = (ctypes.c_void_p * 64)()
    return values[: library.read_entries(values)]


def follow():
    """Follow allocators until every library has been searched."""
    core.native_alloc_maintain()
    deadline = time.monotonic() + 60
    while core.private_allocators_status()["n_waiting"] and time.monotonic() < deadline:
        core.native_alloc_maintain()
    return core.private_allocators_status()


def try_ways(library):
    seen = {}
    for way, name in enumerate(WAYS):
        block = get_memory(library, way)
        seen[name] = [live(block), name_of(block) if live(block) else ""]
        free(library, way, block)
        seen[name].append(live(block))
    return seen


def try_change(library, way):
    block = get_memory(library, way)
    grown = library.change(way, ctypes.c_void_p(block), ctypes.c_size_t(3 * SIZE))
    seen = [live(block) if grown != block else [], live(grown)]
    refused = library.change(way, ctypes.c_void_p(grown), ctypes.c_size_t(1 << 62))
    seen += [refused, live(grown)]
    free(library, way, grown)
    return [*seen, live(grown)]


def try_child(library, before):
    child = os.fork()
    if child == 0:
        core.native_alloc_after_fork()
        is_back = read_entries(library) == before
        block = get_memory(library, 1)
        free(library, 1, block)
        os._exit(0 if is_back and block else 1)
    return os.waitpid(child, 0)[1]


def measure(name, expected):
    """Return a function's bytes in use by the frame above it, and by library, once they are the
    expected ones plus at most two pages, or at the end of the time."""
    deadline = time.monotonic() + 20
    while True:  # a measurement goes in steps, with pauses between
        by_library = core.native_alloc_measure()
        by_frame = {}
        for row in heap.read():
            if row.names[0].startswith("<arena") and row.names[1] == name:
                by_frame[row.names[0]] = by_frame.get(row.names[0], 0) + row.live.in_use[1]
        more = sum(by_frame.values()) - expected
        if 0 <= more <= 8192 * bool(expected) or time.monotonic() > deadline:
            return by_frame, by_library


def make_arena(library):
    return library.get(1, ctypes.c_size_t(ARENA))


def try_arenas(library):
    """Reserve 16 MiB, touch 5, drop 2 of them; release it by calls that fail, then by one that
    succeeds."""
    seen = []
    arena = make_arena(library)
    library.touch(ctypes.c_void_p(arena), ctypes.c_size_t(5 << 20))
    seen.append(measure("make_arena", 5 << 20))
    library.clear(ctypes.c_void_p(arena + (3 << 20)), ctypes.c_size_t(2 << 20))
    seen.append(measure("make_arena", 3 << 20))
    assert library.unmap_in_vain(ctypes.c_void_p(arena), ctypes.c_size_t(2 << 20)) == 3
    seen.append(measure("make_arena", 3 << 20))
    free(library, 1, arena)
    seen.append(measure("make_arena", 0))
    return seen


def try_foreign_unmaps(library):
    """Map and unmap other memory between two arenas, more often than there is room for events."""
    arena = make_arena(library)
    library.touch(ctypes.c_void_p(arena), ctypes.c_size_t(5 << 20))
    between = mmap.mmap(-1, 128 << 20)
    second = make_arena(library)
    seen = [measure("make_arena", 5 << 20)]
    between.close()
    for _ in range(300):
        mmap.mmap(-1, 100 << 20).close()
    seen.append(measure("make_arena", 5 << 20))
    free(library, 1, arena)
    free(library, 1, second)
    return seen


def names_of(address):
    bucket = next(number for found, _, number in core.heap_blocks() if found == address)
    return next(row for row in heap.read() if row.bucket == bucket).names[:2]


def get_released(library):
    """Return a block that the library's own thread allocates during a call."""
    return library.get_released(ctypes.c_size_t(SIZE))


def try_calls(path):
    """Check the stack of a library's thread: that of the only call under way, none of several."""
    library = ctypes.PyDLL(path)  # calls it with the GIL
    library.get_released.restype = ctypes.c_void_p
    seen = []
    for n_others in (0, 1, 0):
        pipes = [os.pipe() for _ in range(n_others)]
        threads = [threading.Thread(target=library.hold, args=(pipe[0],)) for pipe in pipes]
        for thread in threads:
            thread.start()
        while library.count_holding() < n_others:
            time.sleep(0.001)
        block = get_released(library)
        seen.append(names_of(block))
        free(library, 1, block)
        for thread, pipe in zip(threads, pipes):
            os.write(pipe[1], b"x")
            thread.join()
            os.close(pipe[0])
            os.close(pipe[1])
    return seen


def try_arena_of_a_thread(path):
    """Return the frame above an arena that the library's own thread reserves in a call."""
    library = ctypes.PyDLL(path)
    library.get_released.restype = ctypes.c_void_p
    core.native_alloc_maintain()  # the library's first arena is known: its calls are redirected
    arena = get_released(library)
    library.touch(ctypes.c_void_p(arena), ctypes.c_size_t(SIZE))
    deadline = time.monotonic() + 20
    sums = {}
    while max(sums.values(), default=0) < SIZE and time.monotonic() < deadline:
        core.native_alloc_measure()
        sums = {}
        for row in heap.read():
            if row.names[0].startswith("<arena") and row.live.in_use[1]:
                sums[row.names[1:3]] = sums.get(row.names[1:3], 0) + row.live.in_use[1]
    free(library, 1, arena)
    return list(sums)


facts = {}
library, half, stripped = libraries = [load(path) for path in sys.argv[2:]]
before = [read_entries(one) for one in libraries]
with Heap(1) as heap:
    facts["refusal"] = core.native_alloc_redirect()
    facts["status"] = follow()
    facts["n_changed"] = [
        sum(a != b for a, b in zip(one, read_entries(each))) for one, each in zip(before, libraries)
    ]
    facts["ways"] = try_ways(library)
    facts["grown"] = [try_change(library, way) for way in (REALLOC, ARROW)]
    elsewhere = library.get_elsewhere(ctypes.c_size_t(SIZE))
    facts["elsewhere"] = [live(elsewhere), name_of(elsewhere)]
    free(library, 1, elsewhere)
    facts["calls"] = try_calls(sys.argv[2])
    unfollowed = [get_memory(one, 1) for one in (half, stripped)]
    facts["unfollowed"] = [live(block) for block in unfollowed]
    for block in unfollowed:
        stripped.give_back(1, ctypes.c_void_p(block))
    facts["arenas"] = try_arenas(stripped)
    facts["foreign_unmaps"] = try_foreign_unmaps(stripped)
    facts["lost"] = core.heap_status()["n_lost"]
    facts["arena_of_a_thread"] = try_arena_of_a_thread(sys.argv[4])
    facts["child"] = try_child(library, before[0])
    copied = read_entries(library)
    # Freed while sampling is off, and allocated before sampling began.
    early = get_memory(library, 1)
    core.native_alloc_restore()
    facts["is_back"] = [read_entries(one) for one in libraries] == before
    unseen = get_memory(library, 1)
    facts["unseen"] = live(unseen)
    core.native_alloc_redirect()
    facts["again"] = follow()["n_pointers"]
    facts["are_the_same"] = read_entries(library) == copied
    free(library, 1, unseen)
    free(library, 1, early)
    facts["early"] = live(early)
    core.native_alloc_restore()
facts["is_back_at_end"] = [read_entries(one) for one in libraries] == before
free(library, 1, get_memory(library, 1))
report(**facts)
