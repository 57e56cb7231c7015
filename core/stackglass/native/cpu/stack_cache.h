/* The table of recent stacks: where equal samples meet before they cost anything.
 *
 *     1024 sets × 4 ways, as in a processor's cache:
 *
 *     hash(thread, labels, time, stack) ──▶ set │ claim │ way │ way │ way │ way │
 *                                                          count, CPU, key, frames
 *
 * Handlers of any number of threads and the drain claim a set by an atomic flag and never wait
 * for it: who finds a set taken, or a stack too deep for a way, goes to the sample log. A stack
 * that is new to a full set puts the least counted way into the log. */
#ifndef STACKGLASS_CPU_STACK_CACHE_H
#define STACKGLASS_CPU_STACK_CACHE_H

#include <stdint.h>

#include "cpu/sample.h"

enum { SG_RECENT_SETS = 1024, SG_RECENT_WAYS = 4, SG_RECENT_DEPTH = 128 };

/* Make room, once. 0, or -1 if there is none. No handler runs yet. */
int sg_stack_cache_prepare(void);

/* Count `sample`, whose `count` is ≥ 1. Async-signal-safe, never waits. */
void sg_stack_cache_add(const struct sg_sample *sample);

/* Hand out and forget all that is in the table, but for sets that are claimed at this moment.
 * `deliver` is called without a claim. One thread at a time. */
void sg_stack_cache_drain(sg_sample_fn *deliver, void *context);

/* Forget everything. No handler runs. */
void sg_stack_cache_clear(void);
/* And its memory: in a forked child. */
void sg_stack_cache_discard(void);

/* In which set a sample belongs, and claim or release one: what tests hold on to. */
uint32_t sg_stack_cache_set_of(const struct sg_sample *sample);
void sg_stack_cache_claim(uint32_t set);
void sg_stack_cache_release(uint32_t set);

#endif
