/* Sample log: samples evicted from the stack cache, or not stored in it.
 *
 *     two halves, each a row of records:   │ head │ frames … │ head │ frames … │ free …
 *
 * Handlers append to one half while the writer reads the other. To read a half, the writer switches
 * handlers to the other one and waits until those still writing have finished; if one of them is
 * not scheduled, the half is read the next time. Samples without room are counted, and the count
 * becomes a sample of its own. */
#ifndef STACKGLASS_CPU_SAMPLE_LOG_H
#define STACKGLASS_CPU_SAMPLE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/sample.h"

enum { SG_LOG_HALF_WORDS = 1 << 19 };

/* Map the log, once, before any handler runs. Returns 0, or -1 if memory runs out. */
int sg_sample_log_prepare(void);

/* Append a sample, or count samples as lost. Both are async-signal-safe and never wait. */
void sg_sample_log_append(const struct sg_sample *sample);
void sg_sample_log_lose(uint32_t count, uint64_t cpu_ns);

/* The steps of an append: get the half to write to, 0 or 1; enter it (returns false if it is no
 * longer the active one); leave it. They are async-signal-safe and never wait. */
uint32_t sg_sample_log_active(void);
bool sg_sample_log_try_enter(uint32_t half);
void sg_sample_log_leave(uint32_t half);

/* Switch the halves. Returns false if a handler still writes to the half to be read. Only one
 * thread may call this. */
bool sg_sample_log_turn(void);
/* Deliver the samples of the half that is not active; the same ones until the next switch. */
void sg_sample_log_read(sg_sample_fn *deliver, void *context);

/* Return the number of samples lost so far, and in `*cpu_ns` the CPU time that they stood for. */
uint64_t sg_sample_log_lost(uint64_t *cpu_ns);

/* Drop all samples, at the begin of a session. A handler of an earlier session may still write. The
 * reader calls this. */
void sg_sample_log_clear(void);
/* Empty and unmap the log. No handler may run. */
void sg_sample_log_discard(void);
void sg_sample_log_after_fork_in_child(void); /* the handlers of other threads do not exist */

/* Set the capacity of a half; for tests. */
void sg_sample_log_limit(uint32_t n_words);

#endif
