/* Entries: the changes that a record makes in the heap's tables.
 *
 *     record     block table      sum of the bucket     event for the timeline
 *     alloc      added            an allocation         an allocation
 *     free       removed, if any  a free                a free
 *     put back   added again      if there is no room for the block, as settle
 *     settle                      a free                a free
 *
 * A realloc takes its block out of the table; "put back" and "settle" are its two ends (ledger.h).
 * buckets.h says to which cycle's sums a record is added. The caller has the ledger's claim, except
 * where a comment says otherwise. */
#ifndef STACKGLASS_HEAP_ENTRIES_H
#define STACKGLASS_HEAP_ENTRIES_H

#include "heap/deferred_records.h"
#include "heap/samples.h"

/* Enter a sampled allocation; `stack` is a node of sg_heap_stacks. */
void sg_heap_entries_alloc(const struct sg_heap_moment *moment, const struct sg_heap_alloc *alloc,
                           uint32_t stack);
/* Enter the free of the block at `address`; does nothing if the block is not sampled. */
void sg_heap_entries_free(const struct sg_heap_moment *moment, uintptr_t address);
/* Enter a record of any kind. */
void sg_heap_entries_apply(const struct sg_heap_record *record);
/* Enter a free of every live block. */
void sg_heap_entries_forget_blocks(void);

/* Return the number of sampled allocations that were entered, and of those that were not because a
 * table was full. Any thread, without the claim. */
uint64_t sg_heap_entries_samples(void);
uint64_t sg_heap_entries_lost(void);
/* Reset both counters. No thread is inside these functions. */
void sg_heap_entries_discard(void);

#endif
