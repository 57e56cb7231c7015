/* Sums by (kind, stack, size class, rate), outside every heap of the process.
 *
 *     hash ──▶ id ──▶ bucket │ key: stack, class … │ active │ future[3] │
 *                                                      ▲          │
 *                                                      └── fold ──┘
 *
 * Three stages, as Go's: at cycle C (C full collections have begun) an allocation belongs to cycle
 * C+2, and so does the free of a block whose count of references fell to zero; what the collector
 * frees belongs to C+1, or to its block's own cycle if that is later. A collection that ends
 * publishes C+1. So what is published is the heap at that moment: allocations and frees before it,
 * less what it found to be garbage, and nothing since.
 *
 *          cycle 0          │GC: C=1│          cycle 1          │GC: C=2│
 *     alloc, free ──▶ 2     │frees─▶2│    alloc, free ──▶ 3     │frees─▶3│
 *                           stop publishes 2                    stop publishes 3
 *
 * A future slot is folded into `active` when it is wanted for a later cycle: that is three later
 * at least, so the slot was published long before.
 *
 * Everything here is guarded by the ledger's claim, except where a line says otherwise. A bucket
 * never moves and is never freed before the table is. */
#ifndef STACKGLASS_HEAP_BUCKETS_H
#define STACKGLASS_HEAP_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/heap.h"

enum { SG_HEAP_NO_BUCKET = UINT32_MAX };

struct sg_heap_key {
    enum sg_heap_kind kind;
    uint32_t size_class;
    uint64_t rate;
    uint32_t stack; /* frames/stack_tree.h: the ledger's */
};

/* The id of a key's bucket, a new one if there is none; SG_HEAP_NO_BUCKET if there is no room. */
uint32_t sg_heap_buckets_find(const struct sg_heap_key *key);

void sg_heap_buckets_add_alloc(uint32_t id, uint64_t bytes, uint32_t cycle);
void sg_heap_buckets_add_free(uint32_t id, uint64_t bytes, uint32_t cycle);

/* For the one reader, who needs no claim: what it copies while it is changed it copies again, so no
 * hook ever finds the claim taken by a reader that the system has put aside.
 *
 * Has the bucket changed since this was asked last, when `seen` was published? */
bool sg_heap_buckets_take_change(uint32_t id, uint32_t seen, uint32_t published);
/* The bucket with what was published up to cycle `published` as `as_of_full`, but for its frames:
 * its stack. */
uint32_t sg_heap_buckets_get(uint32_t id, uint32_t published, struct sg_heap_bucket *bucket);

/* Any thread, no claim. */
uint32_t sg_heap_buckets_count(void);
uint64_t sg_heap_buckets_bytes(void);

/* Room to begin with: 0 or -1. And all of it given back. Nobody else is at work. */
int sg_heap_buckets_prepare(void);
void sg_heap_buckets_discard(void);

#endif
