"""Exact numbers at rate 1 and rate 0, and what remains after the end: SO."""

import ctypes
import gc
import sys

from heap import HEADER, Heap, core, report


class Allocator(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("ctx", "malloc", "calloc", "realloc", "free")]


def allocators():
    found = []
    for domain in (0, 1, 2):
        allocator = Allocator()
        ctypes.pythonapi.PyMem_GetAllocator(domain, ctypes.byref(allocator))
        found.append([getattr(allocator, name) for name, _ in Allocator._fields_])
    return found


def allocate_kept():
    for i in range(32):
        kept[i] = bytes(480 - HEADER)


def allocate_brief():
    for _ in range(1024):
        bytes(1024 - HEADER)


def allocate_directly():
    return bytearray(2 << 20)


def allocate_through(depth):
    return allocate_through(depth - 1) if depth else allocate_directly()


def allocate_two_sizes():
    return bytes(300), bytes(3000)


class One:
    def allocate_same_name(self):
        return bytes(7000)


class Other:
    def allocate_same_name(self):
        return bytes(7000)


kept = [None] * 32
before = allocators()
callbacks = gc.callbacks[:]
callbacks_id = id(gc.callbacks)
with Heap(1) as heap:
    during = allocators()
    callbacks_during = gc.callbacks[:]
    allocate_kept()
    allocate_brief()
    large = allocate_through(3)
    sizes = allocate_two_sizes()
    same = One().allocate_same_name(), Other().allocate_same_name()
    heap.pause()
    unseen = bytes(5000)
    rows = heap.read()
    kept_site = heap.site("allocate_kept", 465)
    large_rows = [row for row in rows if row.names[:1] == ("allocate_directly",)]
    n_allocs_before = sum(row.live.allocs for row in heap.read())
    core.heap_adopt()
    [bytes(900) for _ in range(100)]
    core.heap_disown()
    changed_first = len(heap.read(True))
    changed_again = len(heap.read(True))
    kept.clear()
    changed_by_frees = {row.names[0] for row in heap.read(True)}
    facts = dict(
        is_hooked=[mine != theirs for mine, theirs in zip(during, before)],
        is_same_context=[mine[0] == theirs[0] for mine, theirs in zip(during, before)],
        kept=kept_site.in_use + kept_site.total,
        kept_freed=heap.site("allocate_kept", 465).in_use,
        kept_total=heap.site("allocate_kept", 465).total,
        brief=heap.site("allocate_brief", 513).in_use + heap.site("allocate_brief", 513).total,
        large=[row.live.total for row in large_rows if row.size > 1 << 20],
        large_size=sys.getsizeof(large) - sys.getsizeof(bytearray()),
        large_stack=large_rows[0].names,
        two_sizes=sorted(
            row.live.total
            for row in rows
            if row.names[0] == "allocate_two_sizes" and row.size > 256
        ),
        n_same_name=sum(row.names[0] == "allocate_same_name" and row.size > 6000 for row in rows),
        n_changed=[len(rows), changed_first, changed_again],
        changed_by_frees=sorted(changed_by_frees),
        n_while_off=sum(row.live.allocs for row in heap.read()) - n_allocs_before,
        n_of_probe=sum("read" in row.names for row in rows),
        n_native_kind=sum(row.kind != 0 for row in rows),
        status=core.heap_status(),
        is_list_untouched=callbacks_during == callbacks and id(gc.callbacks) == callbacks_id,
        header=HEADER,
    )
report(
    **facts,
    is_undone=allocators() == before,
    is_list_left=gc.callbacks == callbacks and id(gc.callbacks) == callbacks_id,
    heard_after=len(core.heap_collections()),
)
