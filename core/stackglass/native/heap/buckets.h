/* The bucket table: sums by kind, stack, size class, rate and labels, in memory of the engine's
 * own.
 *
 *     hash ──▶ id ──▶ bucket │ key: stack, class … │ active │ future[3] │
 *                                                      ▲          │
 *                                                      └── fold ──┘
 *
 * Three stages, as in Go. At cycle C (C full collections have begun):
 *
 *     allocation                      -> C+2
 *     free by reference count         -> C+2
 *     free by the collector           -> max(C+1, cycle of the block's allocation)
 *     a full collection ends          publishes C+1
 *
 * So what is published is the heap at the end of that collection: allocations and frees before it,
 * less what it found to be garbage, and nothing since.
 *
 *          cycle 0          │GC: C=1│          cycle 1          │GC: C=2│
 *     alloc, free ──▶ 2     │frees─▶2│    alloc, free ──▶ 3     │frees─▶3│
 *                           stop publishes 2                    stop publishes 3
 *
 * A future slot is folded into `active` when a later cycle needs it. That cycle is at least three
 * later, so the slot was published before.
 *
 * A program may give each request a label of its own. So once SG_HEAP_LABELLED buckets have labels,
 * a new one gets SG_OTHER_LABELS. A free is subtracted from the block's bucket, by its id, so what
 * is in use stays exact.
 *
 * Guarded by the ledger's claim, except where a line says otherwise. A bucket never moves, and is
 * freed only with the table. */
#ifndef STACKGLASS_HEAP_BUCKETS_H
#define STACKGLASS_HEAP_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/samples.h"

enum {
    SG_HEAP_NO_BUCKET = UINT32_MAX,
    SG_HEAP_LABELLED = 1 << 16, /* 12 MB */
};

struct sg_heap_key {
    enum sg_heap_kind kind;
    uint32_t size_class;
    uint64_t rate;
    uint32_t stack;  /* a node: stacks.h */
    uint32_t labels; /* a label set */
};

/* The id of a key's bucket, a new one if there is none; SG_HEAP_NO_BUCKET if there is no room. */
uint32_t sg_heap_buckets_find(const struct sg_heap_key *key);

void sg_heap_buckets_add_alloc(uint32_t id, uint64_t bytes, uint32_t cycle);
void sg_heap_buckets_add_free(uint32_t id, uint64_t bytes, uint32_t cycle);

/* The next two are for the one reader, which needs no claim: it copies a bucket again if it changed
 * meanwhile (platform/seqlock.h). So a descheduled reader never makes hooks defer.
 *
 * Has the bucket changed since the last call, when `seen` was published? */
bool sg_heap_buckets_take_change(uint32_t id, uint32_t seen, uint32_t published);
/* Fill in the bucket, but for its frames, with `as_of_full` up to cycle `published`; returns its
 * stack. */
uint32_t sg_heap_buckets_get(uint32_t id, uint32_t published, struct sg_heap_bucket *bucket);

/* Any thread, no claim. */
uint32_t sg_heap_buckets_count(void);
uint64_t sg_heap_buckets_bytes(void);

/* 0 or -1. And free it all. No other thread is inside. */
int sg_heap_buckets_prepare(void);
void sg_heap_buckets_discard(void);

#endif
