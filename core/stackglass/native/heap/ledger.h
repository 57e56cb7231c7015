/* Ledger: all changes of the heap's sums and blocks go through it, under one claim (a try-lock).
 *
 * Hooks of Python's allocators run under the GIL, patched malloc on any thread. Neither may wait:
 * the holder of the claim may be descheduled, or be the hook's own thread, interrupted by a signal
 * handler. So a hook that finds the claim taken defers its record, and the next holder applies
 * deferred records before its own:
 *
 *     hook ──claim──▶ deferred records, in order ──▶ own record ──▶ release
 *       └─is taken──▶ ring │ free 0x7f… │ alloc 0x55… 64 frames │ … │
 *
 * Records keep the order of events: a free is recorded before the address can be allocated again.
 * While the oldest deferred record is still being written, nothing may overtake it, and the holder
 * defers its record as well. Only a full ring is waited for.
 *
 * Threads of several interpreters, each with its own GIL, record at the same time, and go on while
 * the engine withdraws. So the tables are freed in two steps: sg_heap_ledger_close waits until no
 * thread is inside, then sg_heap_ledger_discard frees them. Later records are ignored. */
#ifndef STACKGLASS_HEAP_LEDGER_H
#define STACKGLASS_HEAP_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/samples.h"

/* A sampled allocation. Any thread. */
void sg_heap_ledger_alloc(const struct sg_heap_moment *moment, const struct sg_heap_alloc *alloc);
/* The same with a known stack: frames (depth,), leaf first. */
void sg_heap_ledger_alloc_at(const struct sg_heap_moment *moment, const struct sg_heap_alloc *alloc,
                             const struct sg_frame *frames, uint32_t depth);
void sg_heap_ledger_free(const struct sg_heap_moment *moment, uintptr_t address);

/* Take a block out that may come back; its address is 0 if it is not there. Else the result goes to
 * one of the next two, in this session or a later one. If the claim is taken, the block is recorded
 * as freed instead, and cannot come back. */
struct sg_heap_taken sg_heap_ledger_take(const struct sg_heap_moment *moment, uintptr_t address);
void sg_heap_ledger_put_back(const struct sg_heap_moment *moment,
                             const struct sg_heap_taken *taken);
/* The block was freed. */
void sg_heap_ledger_settle(const struct sg_heap_moment *moment, const struct sg_heap_taken *taken);

/* For readers, which may wait, for some microseconds. Not for hooks. */
bool sg_heap_ledger_claim(void); /* false: the ledger is closed, and there are no tables */
void sg_heap_ledger_release(void);

/* As in struct sg_heap_status. */
struct sg_heap_ledger_counts {
    uint64_t n_samples, n_lost, n_lost_frees;
};
struct sg_heap_ledger_counts sg_heap_ledger_count(void); /* any thread */

/* 0 or -1. No thread is inside. */
int sg_heap_ledger_prepare(void);
/* Ignore what is recorded from now on, and wait until no thread is inside, some microseconds. False
 * if one still is after two seconds: then nothing may be discarded. */
bool sg_heap_ledger_close(void);
/* Back to the beginning, once it is closed, or in a forked child. */
void sg_heap_ledger_discard(void);

#endif
