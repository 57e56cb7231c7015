"""Blocks that move, do not move, cannot move or vanish: SO."""

import ctypes

from heap import Heap, core, report

api = ctypes.pythonapi
for name in ("PyMem_Malloc", "PyMem_Calloc", "PyMem_Realloc", "PyObject_Realloc"):
    getattr(api, name).restype = ctypes.c_void_p
SIZE = 100_000


def allocate(size):
    return api.PyMem_Malloc(ctypes.c_size_t(size))


def clear(n, size):
    return api.PyMem_Calloc(ctypes.c_size_t(n), ctypes.c_size_t(size))


def change(block, size):
    return api.PyMem_Realloc(ctypes.c_void_p(block), ctypes.c_size_t(size))


def release(block):
    api.PyMem_Free(ctypes.c_void_p(block))


def grow_list():
    grown = []
    for _ in range(100_000):
        grown.append(None)
    return grown


def live(address):
    return [size for found, size, _ in core.heap_blocks() if found == address]


with Heap(1) as heap:
    facts = {}
    block = allocate(SIZE)
    facts["allocated"] = live(block)
    facts["is_refused"] = change(block, 1 << 61) is None
    facts["after_refusal"] = live(block)
    moved = change(block, 3 * SIZE)
    facts["old_place"] = live(block) if block != moved else []
    facts["moved"] = live(moved)
    shrunk = change(moved, 200)
    facts["shrunk"] = live(shrunk)
    empty = change(shrunk, 0)
    facts["empty"] = live(empty)
    release(empty)
    facts["released"] = live(empty)
    cleared = clear(100, 1000)
    facts["cleared"] = live(cleared)
    facts["is_zero"] = not any(ctypes.string_at(cleared, 100_000))
    release(cleared)
    one = clear(1, 5000)  # as one block too
    facts["is_zero"] &= not any(ctypes.string_at(one, 5000))
    release(one)
    fresh = change(None, SIZE)
    facts["from_nothing"] = live(fresh)
    release(fresh)
    release(None)
    facts["sites"] = [heap.site(name, 150).in_use for name in ("allocate", "change", "clear")]
    grown = grow_list()
    facts["list"] = heap.site("grow_list", 10_000).in_use
    facts["list_size"] = grown.__sizeof__()
    del grown
    facts["list_freed"] = heap.site("grow_list", 10_000).in_use
    # The same with made-up blocks, and while the claim is taken.
    core.heap_note_malloc(0x1000, SIZE)
    core.heap_note_realloc(0x1000, 0, 1 << 61)
    facts["note_refused"] = live(0x1000)
    core.heap_note_realloc(0x1000, 0x2000, 2 * SIZE)
    facts["note_moved"] = live(0x1000) + live(0x2000)
    core.heap_note_realloc(0x2000, 0, 0)
    facts["note_freed"] = live(0x2000)
    core.heap_note_malloc(0x3000, SIZE)
    core.heap_claim(True)
    core.heap_note_realloc(0x3000, 0x4000, 2 * SIZE)
    core.heap_note_malloc(0x5000, SIZE)
    core.heap_note_free(0x5000)
    core.heap_note_malloc(0x5000, 3 * SIZE)
    core.heap_claim(False)
    facts["by_notes"] = [live(0x3000), live(0x4000), live(0x5000)]
    core.heap_note_malloc(0x5000, 4 * SIZE)  # its free was not reported
    facts["twice"] = live(0x5000)
    facts["lost"] = [core.heap_status()[name] for name in ("n_lost", "n_lost_frees")]
    core.heap_claim(True)  # more than there is room for: counted as lost
    for i in range(4000):
        core.heap_note_malloc(0x100000 + 16 * i, 100)
    core.heap_claim(False)
    facts["n_overflow"] = core.heap_status()["n_lost"]
    facts["n_noted"] = sum(0x100000 <= a < 0x200000 for a, _, _ in core.heap_blocks())
    core.heap_note_malloc(0x6000, SIZE)
    core.heap_claim(True)
    for i in range(4000):
        core.heap_note_malloc(0x100000 + 16 * i, 100)
    core.heap_note_free(0x6000)  # no room, and no thread to wait for
    core.heap_claim(False)
    facts["after_lost_free"] = [live(0x6000), core.heap_status()["n_lost_frees"]]
    for i in range(200_000):  # the table grows, beyond what the bitmap filter can hold
        core.heap_note_malloc(0x10000000 + 16 * i, 16)
    facts["n_many"] = core.heap_status()["n_blocks"]
    for i in range(200_000):
        core.heap_note_free(0x10000000 + 16 * i)
    facts["n_few"] = core.heap_status()["n_blocks"]
report(**facts)
