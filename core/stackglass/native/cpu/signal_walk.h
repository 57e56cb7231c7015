/* Walk of the calling thread's frames in a signal handler, with pseudo-frames for what the thread
 * does beside Python. Async-signal-safe. */
#ifndef STACKGLASS_CPU_SIGNAL_WALK_H
#define STACKGLASS_CPU_SIGNAL_WALK_H

#include "cpu/threads.h"

/* Learn where the main thread's C stack ends. Called before any handler runs. */
void sg_signal_walk_prepare(void);

/* Find how far up the calling thread's C stack is mapped, and store it in its slot. */
void sg_signal_walk_learn_stack(struct sg_slot *slot, uintptr_t sp);

/* Write the frames of `thread` (PyThreadState, or NULL), which the calling thread was running when
 * it was interrupted (`context`), leaf first. Returns how many, at least 1. The caller has claimed
 * the slot, which is the calling thread's. `wanted` NULL = no frames are looked for. */
uint32_t sg_signal_walk(struct sg_slot *slot, const void *thread, const void *context,
                        struct sg_frame *frames, uint32_t capacity,
                        struct sg_wanted_frames *wanted);

/* Count a walk that was cut short by the guard. */
void sg_signal_walk_count_bad(void);
/* Number of walks that were cut short by the guard, since the process began. */
uint64_t sg_signal_walk_bad_count(void);

#endif
