/* Entries: what a record changes in the tables of the heap.
 *
 *     record     block            sum of its bucket     event for the timeline
 *     alloc      added            an allocation         an allocation
 *     free       removed, if any  a free                a free
 *     put back   added again
 *     settle                      a free                a free
 *
 * In which cycle a sum is booked: buckets.h. All calls need the ledger's claim, except where a line
 * says otherwise. */
#ifndef STACKGLASS_HEAP_ENTRIES_H
#define STACKGLASS_HEAP_ENTRIES_H

#include "heap/deferred_records.h"
#include "heap/samples.h"

/* A sampled allocation with a stack, a node of sg_heap_stacks. */
void sg_heap_entries_alloc(const struct sg_heap_moment *moment, const struct sg_heap_alloc *alloc,
                           uint32_t stack);
void sg_heap_entries_free(const struct sg_heap_moment *moment, uintptr_t address);
/* Any record. */
void sg_heap_entries_apply(const struct sg_heap_record *record);
/* Book every live block as freed, and remove it. */
void sg_heap_entries_forget_blocks(void);

/* Samples so far; those that were lost because a table was full. Any thread, no claim. */
uint64_t sg_heap_entries_samples(void);
uint64_t sg_heap_entries_lost(void);
/* Reset both. No thread is inside. */
void sg_heap_entries_discard(void);

#endif
