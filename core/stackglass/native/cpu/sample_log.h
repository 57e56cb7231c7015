/* The log behind the table of recent stacks: what had to leave it, or could not enter.
 *
 *     two halves, each a row of records:   │ head │ frames … │ head │ frames … │ free …
 *
 * Handlers append to one half while the writer reads the other. Taking the full half means
 * turning handlers to the other one and waiting until those that were still writing are done; if
 * one of them does not get to run, the half is left for the next time. What finds no room is
 * counted, and the count becomes a sample of its own. */
#ifndef STACKGLASS_CPU_SAMPLE_LOG_H
#define STACKGLASS_CPU_SAMPLE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/sample.h"

enum { SG_LOG_HALF_WORDS = 1 << 19 };

/* Make room, once. 0, or -1 if there is none. No handler runs yet. */
int sg_sample_log_prepare(void);

/* Append, or count as lost. Async-signal-safe, never waits. */
void sg_sample_log_append(const struct sg_sample *sample);
void sg_sample_log_lose(uint32_t count, uint64_t cpu_ns);

/* The steps of an append: the half to write to, 0 or 1; enter it, false if it is not the active one
 * any more; leave it. Async-signal-safe, never waits. */
uint32_t sg_sample_log_active(void);
bool sg_sample_log_try_enter(uint32_t half);
void sg_sample_log_leave(uint32_t half);

/* Turn the halves. False if a handler still writes to the one that would be read. One thread. */
bool sg_sample_log_turn(void);
/* Hand out the half that was turned away, again and again the same until the next turn. */
void sg_sample_log_read(sg_sample_fn *deliver, void *context);

/* Samples lost so far, and what they stood for in CPU time. */
uint64_t sg_sample_log_lost(uint64_t *cpu_ns);

/* Forget everything. No handler runs. */
void sg_sample_log_clear(void);
/* And its memory: in a forked child. */
void sg_sample_log_discard(void);

/* How many words of a half are used; fewer than SG_LOG_HALF_WORDS in tests. */
void sg_sample_log_limit(uint32_t n_words);

#endif
