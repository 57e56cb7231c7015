/* Ledger: all changes of the heap's sums and blocks go through it, guarded by one try-lock, which
 * is called the claim.
 *
 * Hooks of Python's allocators run with the GIL held, a patched malloc on any thread. Neither may
 * wait: the holder of the claim may be descheduled, or be the hook's own thread, interrupted by a
 * signal handler. So a hook that finds the claim taken defers its record, and the next holder
 * applies deferred records before its own:
 *
 *     hook ──claim──▶ deferred records, in order ──▶ own record ──▶ release
 *       └─is taken──▶ ring │ free 0x7f… │ alloc 0x55… 64 frames │ … │
 *
 * Records keep the order of events: a free is recorded before the address can be allocated again.
 * While the oldest deferred record is still being written, nothing may overtake it, and the holder
 * defers its record as well. Only a full ring is waited for.
 *
 * Threads of several interpreters, each with its own GIL, record at the same time, and may still do
 * so while a session ends. So the tables are freed in two steps: sg_heap_ledger_close waits until
 * no thread is inside the ledger, then sg_heap_ledger_discard frees them. Later records are
 * ignored. */
#ifndef STACKGLASS_HEAP_LEDGER_H
#define STACKGLASS_HEAP_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/samples.h"

/* Record a sampled allocation with the Python stack of the calling thread. Any thread. */
void sg_heap_ledger_alloc(const struct sg_heap_moment *moment, const struct sg_heap_alloc *alloc);
/* Record a sampled allocation with a known stack: `frames` (depth,), leaf first. Any thread. */
void sg_heap_ledger_alloc_at(const struct sg_heap_moment *moment, const struct sg_heap_alloc *alloc,
                             const struct sg_frame *frames, uint32_t depth);
/* Record the free of a block, sampled or not. Any thread. */
void sg_heap_ledger_free(const struct sg_heap_moment *moment, uintptr_t address);

/* Take a block out of the table for a realloc, which may fail. Returns the block, for one of the
 * next two functions, in this session or a later one; its address is 0 if it is not in the table.
 * If the claim is taken, the block is recorded as freed, and the address is 0 as well. */
struct sg_heap_taken sg_heap_ledger_take(const struct sg_heap_moment *moment, uintptr_t address);
/* Put the block back: the realloc failed. */
void sg_heap_ledger_put_back(const struct sg_heap_moment *moment,
                             const struct sg_heap_taken *taken);
/* Record that the block was freed: the realloc succeeded. */
void sg_heap_ledger_settle(const struct sg_heap_moment *moment, const struct sg_heap_taken *taken);

/* Wait for the claim, usually some microseconds, and take it. Returns false if the ledger is
 * closed; then there are no tables. For readers, which may wait; not for hooks. */
bool sg_heap_ledger_claim(void);
void sg_heap_ledger_release(void);

/* The counters of the same names in struct sg_heap_status. */
struct sg_heap_ledger_counts {
    uint64_t n_samples, n_lost, n_lost_frees;
};
struct sg_heap_ledger_counts sg_heap_ledger_count(void); /* any thread */

/* Allocate the tables and open the ledger. Returns 0, or -1 if memory is short. No thread is inside
 * the ledger. */
int sg_heap_ledger_prepare(void);
/* Close the ledger: ignore later records, and wait until no thread is inside, usually some
 * microseconds. Returns false if a thread still is inside after about two seconds: then the tables
 * may not be discarded. */
bool sg_heap_ledger_close(void);
/* Free the tables and reset all state but the claim, which a thread that is about to meet the shut
 * gate may have. The ledger is closed, or was never opened. */
void sg_heap_ledger_discard(void);

#endif
