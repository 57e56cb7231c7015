/* The heap profiler's states:
 *
 *     unprepared ──prepare──▶ hooked, rate 0 ──set_rate──▶ sampling or off
 *          ▲                        │                            │
 *          └───────unprepare────────┴────────────────────────────┘
 *
 * The tables may outlive a session: if a thread still uses them when the session ends, they stay
 * mapped (has_tables), and the next prepare tries again to free them. */
#include "heap/heap.h"

#include <Python.h>

#include <stdatomic.h>
#include <string.h>

#include "heap/allocator_hooks.h"
#include "heap/blocks.h"
#include "heap/buckets.h"
#include "heap/capture.h"
#include "heap/cycles.h"
#include "heap/entries.h"
#include "heap/events.h"
#include "heap/gc.h"
#include "heap/ledger.h"
#include "heap/native_countdown.h"
#include "heap/samples.h"
#include "heap/stacks.h"
#include "interpreter/collector_callbacks.h"
#include "interpreter/debug_offsets.h"
#include "platform/gate.h"
#include "platform/random_bits.h"
#include "unwind/unwind.h"

static _Atomic bool is_prepared;     /* written with the GIL held */
static bool has_tables;              /* guarded by the GIL */
static _Atomic uint64_t n_displaced; /* lock-free */

/* Free the tables. Returns false if a thread still uses them. */
static bool discard_tables(void) {
    if (has_tables && !sg_heap_ledger_close())
        return false;
    sg_heap_ledger_discard();
    sg_heap_blocks_discard();
    has_tables = false;
    return true;
}

const char *sg_heap_prepare(int64_t start_mono_ns, uint32_t depth) {
    if (atomic_load(&is_prepared))
        return NULL;
    if (!sg_debug_offsets.minor)
        return "the sampler has to be prepared before the heap profiler";
    if (!discard_tables())
        return "a thread is still inside the heap profiler of an earlier session";
    const char *problem = sg_allocator_hooks_prepare();
    if (!problem)
        problem = sg_heap_capture_prepare(start_mono_ns);
    if (problem)
        return problem;
    sg_heap_capture_depth = sg_stack_depth_clamp(depth);
    has_tables = true;
    if (sg_heap_ledger_prepare()) {
        discard_tables();
        return "there is no memory for the heap profiler's tables";
    }
    sg_random_bits_seed_anew();
    atomic_store(&n_displaced, 0);
    sg_heap_gc_listen(); /* if this fails, the profile has no view as of the last collection */
    sg_allocator_hooks_install();
    atomic_store(&is_prepared, true);
    return NULL;
}

void sg_heap_unprepare(void) {
    if (!atomic_exchange(&is_prepared, false))
        return;
    atomic_store(&sg_heap_capture_has_native, false);
    sg_allocator_hooks_remove();
    sg_native_countdown_set_rate(0);
    sg_heap_gc_stop();
    discard_tables();
}

void sg_heap_set_rate(uint64_t rate) {
    if (!atomic_load(&is_prepared))
        return;
    sg_allocator_hooks_set_rate(rate);
    sg_native_countdown_set_rate(rate);
}

void sg_heap_maintain(void) {
    if (!atomic_load(&is_prepared))
        return;
    sg_allocator_hooks_maintain();
    atomic_store(&sg_heap_capture_has_native, sg_unwind_is_ready());
}

bool sg_heap_check_hooks(void) {
    if (!atomic_load(&is_prepared) || sg_allocator_hooks_are_called())
        return true;
    if (sg_heap_ledger_claim()) {
        sg_heap_entries_forget_blocks();
        sg_heap_ledger_release();
    }
    sg_allocator_hooks_install();
    atomic_fetch_add(&n_displaced, 1);
    return false;
}

void sg_heap_pass_through(void) { sg_heap_set_rate(0); }

void sg_heap_after_fork_in_child(void) {
    /* Whether this session goes on or an earlier one has left its tables. */
    sg_heap_capture_forget();
    sg_allocator_hooks_after_fork_in_child();
    sg_gate_discard(SG_GATE_HEAP);
    sg_heap_ledger_release(); /* the claim's holder may be a thread of the parent */
    if (!atomic_exchange(&is_prepared, false))
        return;
    sg_native_countdown_set_rate(0);
    sg_allocator_hooks_remove();
    sg_collector_callbacks_discard();
    discard_tables();
}

void sg_heap_status(struct sg_heap_status *status) {
    memset(status, 0, sizeof *status);
    status->is_hooked = atomic_load(&is_prepared);
    status->rate = sg_allocator_hooks_rate();
    status->n_lost_events = sg_heap_events_lost();
    status->n_bad_walks = sg_heap_stacks_bad_walks();
    status->n_displaced = atomic_load(&n_displaced);
    status->n_blocks = sg_heap_blocks_count();
    status->n_buckets = sg_heap_buckets_count();
    status->n_stack_nodes = sg_stack_tree_count(&sg_heap_stacks);
    status->table_bytes =
        sg_heap_buckets_bytes() + sg_stack_tree_bytes(&sg_heap_stacks) + sg_heap_blocks_bytes();
    status->is_listening_to_gc = sg_heap_gc_is_listening();
    struct sg_heap_ledger_counts counts = sg_heap_ledger_count();
    status->n_samples = counts.n_samples;
    status->n_lost = counts.n_lost;
    status->n_lost_frees = counts.n_lost_frees;
    status->n_full = sg_heap_cycles_ended();
    status->full_mono_ns = sg_heap_cycles_end_mono_ns();
}
