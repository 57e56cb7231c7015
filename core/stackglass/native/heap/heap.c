/* The heap profiler's states: see heap.h.
 *
 *     unprepared ──prepare──▶ hooked, rate 0 ──set_rate──▶ sampling or off
 *          ▲                        │                            │
 *          └───────unprepare────────┴────────────────────────────┘                */
#include "heap/heap.h"

#include <Python.h>

#include <stdatomic.h>
#include <string.h>

#include "frames/stack_tree.h"
#include "heap/allocator_hooks.h"
#include "heap/blocks.h"
#include "heap/buckets.h"
#include "heap/capture.h"
#include "heap/events.h"
#include "heap/gc.h"
#include "heap/ledger.h"
#include "heap/native_blocks.h"
#include "heap/stack_walk.h"
#include "interpreter/debug_offsets.h"
#include "platform/gate.h"
#include "platform/random_bits.h"

static _Atomic bool is_prepared;     /* written under the GIL */
static bool has_tables;              /* guarded by the GIL */
static _Atomic uint64_t n_displaced; /* lock-free */

/* The process's memory map is to be as it was. A thread that is still inside keeps the tables. */
static bool discard_tables(void) {
    if (has_tables && !sg_heap_ledger_close())
        return false;
    sg_heap_ledger_discard();
    sg_heap_blocks_discard();
    has_tables = false;
    return true;
}

const char *sg_heap_prepare(int64_t start_mono_ns) {
    if (atomic_load(&is_prepared))
        return NULL;
    if (!sg_debug_offsets.minor)
        return "the sampler has to be prepared before the heap profiler";
    if (!discard_tables())
        return "a thread is still at work for the heap profiler that was here before";
    const char *problem = sg_allocator_hooks_prepare();
    if (!problem)
        problem = sg_heap_capture_prepare(start_mono_ns);
    if (problem)
        return problem;
    has_tables = true;
    if (sg_heap_ledger_prepare()) {
        discard_tables();
        return "there is no memory for the heap profiler's tables";
    }
    sg_random_bits_seed_anew();
    atomic_store(&n_displaced, 0);
    sg_heap_gc_listen(); /* status tells whether it does; without it there is one view, not two */
    sg_allocator_hooks_install();
    atomic_store(&is_prepared, true);
    return NULL;
}

void sg_heap_unprepare(void) {
    if (!atomic_exchange(&is_prepared, false))
        return;
    sg_allocator_hooks_remove();
    sg_native_blocks_set_rate(0);
    sg_heap_gc_deafen();
    discard_tables();
}

void sg_heap_set_rate(uint64_t rate) {
    if (!atomic_load(&is_prepared))
        return;
    sg_allocator_hooks_set_rate(rate);
    sg_native_blocks_set_rate(rate);
}

void sg_heap_tend(void) {
    if (atomic_load(&is_prepared))
        sg_allocator_hooks_maintain();
}

bool sg_heap_check_hooks(void) {
    if (!atomic_load(&is_prepared) || sg_allocator_hooks_are_called())
        return true;
    if (sg_heap_ledger_claim()) {
        sg_heap_ledger_forget_blocks();
        sg_heap_ledger_release();
    }
    sg_allocator_hooks_install();
    atomic_fetch_add(&n_displaced, 1);
    return false;
}

void sg_heap_pass_through(void) { sg_heap_set_rate(0); }

void sg_heap_after_fork_in_child(void) {
    sg_heap_capture_forget(); /* the engine's threads are told of whether there are tables or not */
    if (!atomic_exchange(&is_prepared, false))
        return;
    sg_native_blocks_set_rate(0);
    sg_allocator_hooks_remove();
    sg_heap_gc_discard();
    sg_gate_discard(SG_GATE_HEAP);
    sg_heap_ledger_release(); /* its holder may have stayed behind */
    discard_tables();
}

void sg_heap_status(struct sg_heap_status *status) {
    memset(status, 0, sizeof *status);
    status->is_hooked = atomic_load(&is_prepared);
    status->rate = sg_allocator_hooks_rate();
    status->n_lost_events = sg_heap_events_lost();
    status->n_bad_walks = sg_heap_stack_walk_bad();
    status->n_displaced = atomic_load(&n_displaced);
    status->n_blocks = sg_heap_blocks_count();
    status->n_buckets = sg_heap_buckets_count();
    status->n_stack_nodes = sg_stack_tree_count(&sg_ledger_stacks);
    status->table_bytes =
        sg_heap_buckets_bytes() + sg_stack_tree_bytes(&sg_ledger_stacks) + sg_heap_blocks_bytes();
    status->is_listening_to_gc = sg_heap_gc_is_listening();
    sg_heap_ledger_status(status);
}
