/* Bucket table: sums of allocations and frees for each kind, stack, size class, rate and label set,
 * in memory of the engine's own.
 *
 *     hash ──▶ id ──▶ bucket │ key: stack, class … │ active │ future[3] │
 *                                                      ▲          │
 *                                                      └── fold ──┘
 *
 * As in Go's heap profile, sums pass through three stages before they are published. At cycle C (C
 * full collections have begun), an event is added to the sums of the cycle on the right:
 *
 *     allocation                      -> C+2
 *     free by reference count         -> C+2
 *     free by the collector           -> max(C+1, cycle of the block's allocation)
 *     a full collection ends          publishes C+1
 *
 * So the published sums are the heap at the end of the last full collection: all allocations and
 * frees before that collection, less the garbage that it found, and nothing since.
 *
 *          cycle 0          │GC: C=1│          cycle 1          │GC: C=2│
 *     alloc, free ──▶ 2     │frees─▶2│    alloc, free ──▶ 3     │frees─▶3│
 *                           stop publishes 2                    stop publishes 3
 *
 * A slot of `future` is folded into `active` when a later cycle needs the slot. That cycle is at
 * least three later, so the slot's own cycle has been published.
 *
 * A program may give each request a label of its own. So once SG_HEAP_LABELLED buckets have labels,
 * a new bucket with labels gets SG_OTHER_LABELS instead. A free is subtracted from its block's
 * bucket, by the bucket's id, so the bytes in use stay exact.
 *
 * The ledger's claim (ledger.h) guards the table, except where a comment says otherwise. A bucket
 * never moves, and is freed only with the table. */
#ifndef STACKGLASS_HEAP_BUCKETS_H
#define STACKGLASS_HEAP_BUCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/samples.h"

enum {
    SG_HEAP_NO_BUCKET = UINT32_MAX,
    SG_HEAP_LABELLED = 1 << 16, /* buckets with labels: these take 12 MB */
};

struct sg_heap_key {
    enum sg_heap_kind kind;
    uint32_t size_class;
    uint64_t rate;
    uint32_t stack;  /* a node of the stack tree (stacks.h) */
    uint32_t labels; /* a label set */
};

/* Return the id of the key's bucket, and create the bucket if there is none. Returns
 * SG_HEAP_NO_BUCKET if there is no room, or if the key's stack is SG_STACK_LOST. */
uint32_t sg_heap_buckets_find(const struct sg_heap_key *key);

/* Add one allocation or free of `bytes` to the sums of `cycle`. */
void sg_heap_buckets_add_alloc(uint32_t id, uint64_t bytes, uint32_t cycle);
void sg_heap_buckets_add_free(uint32_t id, uint64_t bytes, uint32_t cycle);

/* The next two are for the one reader, which needs no claim: it copies a bucket again if the bucket
 * changed during the copy (platform/seqlock.h). So a descheduled reader never makes hooks defer.
 *
 * Has the bucket changed since the last call? `seen` was the published cycle then, `published` is
 * now. */
bool sg_heap_buckets_take_change(uint32_t id, uint32_t seen, uint32_t published);
/* Fill in `bucket` except its frames, with `as_of_full` up to the cycle `published`. Returns the
 * bucket's stack. */
uint32_t sg_heap_buckets_get(uint32_t id, uint32_t published, struct sg_heap_bucket *bucket);

/* Return the number of buckets, and the table's bytes. Any thread, without the claim. */
uint32_t sg_heap_buckets_count(void);
uint64_t sg_heap_buckets_bytes(void);

/* Allocate the table (returns 0, or -1 if memory is short), and free it. No other thread is inside
 * these functions. */
int sg_heap_buckets_prepare(void);
void sg_heap_buckets_discard(void);

#endif
