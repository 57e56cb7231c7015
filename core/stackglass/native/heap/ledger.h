/* The one place where sums and blocks change: whoever holds the claim.
 *
 * Hooks of Python's allocators run under the GIL, a malloc patch on any thread, and neither may
 * wait: the holder could be a thread that the system has put aside, or this very thread below a
 * signal handler. So who finds the claim taken leaves a note, and the next holder works it off
 * before anything of its own:
 *
 *     hook ──claim──▶ notes of others, in order ──▶ own entry ──▶ release
 *       └─is taken──▶ note ──▶ ring │ free 0x7f… │ alloc 0x55… 64 frames │ … │
 *
 * Threads of several interpreters, each with a GIL of its own, do this at the same time, and go on
 * while the engine withdraws. So the tables are taken away in two steps: the ledger is closed,
 * which waits until no thread is at work in it, and then discarded. Who comes later does nothing.
 *
 * Notes keep the order of what happened: a block is noted as freed before its address can be given
 * out again. If the oldest note is not written to its end yet, nothing may overtake it, and the
 * holder leaves a note as well. Only a full ring is waited for. */
#ifndef STACKGLASS_HEAP_LEDGER_H
#define STACKGLASS_HEAP_LEDGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "heap/heap.h"

enum { SG_HEAP_NOTES = 2048 };

extern struct sg_stack_tree
    sg_ledger_stacks; /* guarded by the claim, as frames/stack_tree.h says */

/* What is true of everything that one hook has to say. */
struct sg_heap_moment {
    uint32_t time; /* SG_TIME_UNIT_NS since the start */
    pid_t tid;
    bool is_collector; /* in a collection, by the thread that makes it */
};

struct sg_heap_alloc {
    uintptr_t address;
    uint64_t size;
    uint64_t rate;
    enum sg_heap_kind kind;
    const void *thread; /* state of the calling thread; NULL = it has none */
};

/* Any thread. `alloc` has been sampled. */
void sg_heap_ledger_alloc(const struct sg_heap_moment *moment, const struct sg_heap_alloc *alloc);
/* The same with a stack that is known; leaf first, (depth,). */
void sg_heap_ledger_alloc_at(const struct sg_heap_moment *moment, const struct sg_heap_alloc *alloc,
                             const struct sg_frame *frames, uint32_t depth);
void sg_heap_ledger_free(const struct sg_heap_moment *moment, uintptr_t address);

/* Take a block out that may come back; its address is 0 if it was not there, and else only to be
 * handed to one of the next two, in this session or a later one. If the claim is taken
 * it is noted as freed instead, and cannot come back. */
struct sg_heap_taken sg_heap_ledger_take(const struct sg_heap_moment *moment, uintptr_t address);
void sg_heap_ledger_put_back(const struct sg_heap_moment *moment,
                             const struct sg_heap_taken *taken);
/* It has been freed indeed. */
void sg_heap_ledger_settle(const struct sg_heap_moment *moment, const struct sg_heap_taken *taken);

/* For readers, who may wait. Not by hooks, nor for longer than some microseconds. */
bool sg_heap_ledger_claim(void); /* false: the ledger is closed, and there are no tables */
bool sg_heap_ledger_try_claim(void);
void sg_heap_ledger_release(void);
/* Account every live block as gone. With the claim. */
void sg_heap_ledger_forget_blocks(void);

/* Cycles: see buckets.h. By the thread that collects. */
void sg_heap_ledger_begin_full(void);
void sg_heap_ledger_end_full(int64_t mono_ns);
/* The last cycle that is published; 0 = no full collection has ended. Any thread. */
uint32_t sg_heap_ledger_published(void);

/* Fill in what the ledger counts. Any thread. */
void sg_heap_ledger_status(struct sg_heap_status *status);

/* 0 or -1. No thread is at work. */
int sg_heap_ledger_prepare(void);
/* From now on nothing is entered. Waits until no thread is at work, some microseconds; false if one
 * still is after two seconds: then nothing may be discarded. */
bool sg_heap_ledger_close(void);
/* Back to the beginning, once it is closed, or in a forked child. */
void sg_heap_ledger_discard(void);

#endif
