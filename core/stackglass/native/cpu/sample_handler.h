/* One tick: the signal handler's work. */
#ifndef STACKGLASS_CPU_SAMPLE_HANDLER_H
#define STACKGLASS_CPU_SAMPLE_HANDLER_H

#include <signal.h>

#include "cpu/cpu.h"
#include "cpu/threads.h"

/* Ticks are kept from here on; `start_mono_ns` is time 0 and `clock` says what they mean. */
void sg_sample_handler_open(int64_t start_mono_ns, enum sg_clock clock);
void sg_sample_handler_set_clock(enum sg_clock clock);
/* Ticks are dropped from here on. Waits for handlers at work, up to 100 ms; false if one of them
 * has not finished yet. */
bool sg_sample_handler_close(void);
/* Is no handler at work? */
bool sg_sample_handler_is_quiet(void);
void sg_sample_handler_discard(void); /* in a forked child */

/* 0 until there is time to speak of: the present in SG_TIME_UNIT_NS since the start. */
uint32_t sg_sample_handler_time(void);

/* Take a tick if the signal is one of ours; false if it is somebody else's. Async-signal-safe;
 * errno is the caller's to save. */
bool sg_sample_handler_take(const siginfo_t *info, const void *context);

/* The frames of `thread` (PyThreadState, or NULL), which the calling thread runs and was
 * interrupted in, as `context` says, into `frames`, pseudo-frames included: leaf first. How many;
 * never 0. The caller has claimed the slot, which is its own. Async-signal-safe. */
uint32_t sg_sample_handler_walk(struct sg_slot *slot, const void *thread, const void *context,
                                struct sg_frame *frames, uint32_t capacity);

/* Walks that the guard cut short, since the first open. */
uint64_t sg_sample_handler_bad_walks(void);

/* Wake whoever waits for slots that want attention (is_first_over). Async-signal-safe. */
extern void (*sg_sample_handler_wake)(void);

#endif
