/* Stack cache: a 4-way set-associative table of recent stacks, which adds up equal samples.
 *
 *     1024 sets × 4 ways, as in a processor's cache:
 *
 *     hash(thread, labels, time, stack) ──▶ set │ claim │ way │ way │ way │ way │
 *                                                          count, CPU, key, frames
 *
 * The more samples, the more sets are in use: each set is a page of frames, and a handler that
 * comes seldom finds neither its lines in the cache nor its page in the TLB. At a rate of one
 * sample in a unit of time or less, no two are equal, and all go to the log.
 *
 * Handlers and the drain claim a set by an atomic flag and never wait. A sample goes to the sample
 * log if its set is claimed, or if its stack is too deep for a way. A new stack in a full set
 * evicts the least counted way to the log. */
#ifndef STACKGLASS_CPU_STACK_CACHE_H
#define STACKGLASS_CPU_STACK_CACHE_H

#include <stdint.h>

#include "cpu/sample.h"

enum { SG_RECENT_SETS = 1024, SG_RECENT_WAYS = 4, SG_RECENT_DEPTH = 112 };

/* Map the table, once, before any handler runs. Returns 0, or -1 if memory runs out. */
int sg_stack_cache_prepare(void);

/* Set how many sets are in use, for a rate of `hz`; until the first call all of them are. Any
 * thread may call this. */
void sg_stack_cache_fit(unsigned hz);

/* Add a sample with `count` ≥ 1. Async-signal-safe, never waits. */
void sg_stack_cache_add(const struct sg_sample *sample);

/* Deliver and remove all samples, except those of sets that are claimed at this moment. `deliver`
 * is called without a claim. One thread at a time. */
void sg_stack_cache_drain(sg_sample_fn *deliver, void *context);

/* Drop all samples, at the begin of a session, except those of sets that are claimed at this
 * moment: a handler of an earlier session may still write. The thread that drains calls this. */
void sg_stack_cache_clear(void);
/* Unmap the table. No handler may run. */
void sg_stack_cache_discard(void);
void sg_stack_cache_after_fork_in_child(void); /* the handlers of other threads do not exist */

/* For tests: the set of a sample; claim or release a set. */
uint32_t sg_stack_cache_set_of(const struct sg_sample *sample);
void sg_stack_cache_claim(uint32_t set);
void sg_stack_cache_release(uint32_t set);

#endif
