"""Every way to get memory past Python's allocators: SO LIBRARY LAZY_LIBRARY [C++_LIBRARY].

The first library is bound when it is loaded, the second at each function's first call.
"""

import ctypes
import sys

from heap import Heap, core, report
from import_slots import find_import_slots, list_changes, read_import_slots

WAYS = ("malloc", "calloc", "aligned_alloc", "posix_memalign", "memalign", "realloc")
WAYS += ("reallocarray", "pointer", "mmap")
SIZE = 400_000


def load(path):
    library = ctypes.CDLL(path)
    for name in ("get", "change", "reserve", "get_elsewhere", "get_new"):
        if path.endswith("cc.so") == (name == "get_new"):
            getattr(library, name).restype = ctypes.c_void_p
    return library


def live(address):
    return [size for found, size, _ in core.heap_blocks() if found == address]


def bucket_of(address):
    bucket = next(number for found, _, number in core.heap_blocks() if found == address)
    return next(row for row in heap.read() if row.bucket == bucket)


def get_memory(library, way):
    return library.get(way, ctypes.c_size_t(SIZE + way))


def free(library, block):
    library.give_back(ctypes.c_void_p(block))


def try_ways(library):
    seen = {}
    for way, name in enumerate(WAYS):
        block = get_memory(library, way)
        row = bucket_of(block) if live(block) else None
        # The size, the Python function, and the bytes that remain after the free.
        seen[name] = [live(block), row and row.kind, row and row.names[0]]
        if name == "mmap":
            library.give_back_pages(ctypes.c_void_p(block), ctypes.c_size_t(SIZE + way))
        else:
            free(library, block)
        seen[name].append(live(block))
    return seen


def try_rest(library):
    facts = {}
    block = get_memory(library, 0)
    moved = library.change(ctypes.c_void_p(block), ctypes.c_size_t(5 * SIZE))
    facts["grown"] = [live(block) if moved != block else [], live(moved)]
    facts["is_refused"] = not library.change(ctypes.c_void_p(moved), ctypes.c_size_t(1 << 61))
    facts["after_refusal"] = live(moved)
    free(library, moved)
    facts["freed"] = live(moved)
    pages = library.get(8, ctypes.c_size_t(10 * 4096))
    library.give_back_pages(ctypes.c_void_p(pages), ctypes.c_size_t(4 * 4096))
    facts["front_gone"] = [live(pages), live(pages + 4 * 4096)]
    library.give_back_pages(ctypes.c_void_p(pages + 4 * 4096), ctypes.c_size_t(6 * 4096))
    facts["rest_gone"] = live(pages + 4 * 4096)
    reserved = library.reserve(ctypes.c_size_t(SIZE))
    facts["reserved"] = live(reserved)
    library.give_back_pages(ctypes.c_void_p(reserved), ctypes.c_size_t(SIZE))
    elsewhere = library.get_elsewhere(ctypes.c_size_t(SIZE))
    facts["elsewhere"] = [live(elsewhere), bucket_of(elsewhere).names]
    free(library, elsewhere)
    return facts


def try_foreign(near, theirs):
    """Put another tool's function into a table, before the engine's and after it."""
    *_, place = (  # the last one: of the table for calls
        place
        for name, place in find_import_slots().items()
        if theirs._name in name and " malloc " in name
    )
    entry = ctypes.c_uint64.from_address(place)
    foreign = ctypes.cast(near.foreign_malloc, ctypes.c_void_p).value
    original = entry.value
    entry.value = foreign
    core.native_alloc_redirect()
    stays = [entry.value == foreign, core.native_alloc_status()["n_foreign"]]
    block = get_memory(theirs, 0)
    stays.append(live(block))
    free(theirs, block)
    core.native_alloc_restore()
    stays.append(entry.value == foreign)
    entry.value = original
    core.native_alloc_redirect()
    stays.append(entry.value != original)
    entry.value = foreign
    core.native_alloc_restore()
    stays.append(entry.value == foreign)
    entry.value = original
    free(theirs, get_memory(theirs, 0))
    return stays


facts = {}
libraries = [load(path) for path in sys.argv[2:]]
before = read_import_slots()
with Heap(1) as heap:
    facts["refusal"] = core.native_alloc_redirect()
    during = read_import_slots()
    facts["n_changed"] = len(list_changes(before, during))
    facts["status"] = core.native_alloc_status()
    facts["now"] = try_ways(libraries[0])
    facts["lazy"] = try_ways(libraries[1])
    facts["rest"] = try_rest(libraries[1])
    if len(libraries) > 2:
        block = libraries[2].get_new(ctypes.c_ulong(SIZE))
        facts["new"] = [live(block)]
        libraries[2].give_back_new(ctypes.c_void_p(block))
        facts["new"].append(live(block))
    # Freed while sampling is off, and allocated before sampling began.
    early = get_memory(libraries[0], 0)
    core.native_alloc_restore()
    facts["differ"] = list_changes(before, read_import_slots())
    unseen = get_memory(libraries[0], 1)
    facts["unseen"] = live(unseen)
    core.native_alloc_redirect()
    free(libraries[0], unseen)
    free(libraries[0], early)
    facts["early"] = live(early)
    core.native_alloc_restore()
    facts["foreign"] = try_foreign(*libraries[:2])
    facts["forgotten"] = core.native_alloc_status()["n_ours"]
facts["differ"] += list_changes(before, read_import_slots())
for library in libraries[:2]:
    free(library, get_memory(library, 0))
report(**facts)
