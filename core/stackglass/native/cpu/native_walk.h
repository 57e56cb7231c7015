/* Walk of the calling thread's C and Python frames in a signal handler, merged into one stack.
 * Async-signal-safe. */
#ifndef STACKGLASS_CPU_NATIVE_WALK_H
#define STACKGLASS_CPU_NATIVE_WALK_H

#include "cpu/threads.h"

/* Like sg_signal_walk, but with C frames; without them while the unwinding tables are not ready. */
uint32_t sg_native_walk(struct sg_slot *slot, const void *thread, const void *context,
                        struct sg_frame *frames, uint32_t capacity,
                        struct sg_wanted_frames *wanted);

/* Stacks with C frames, and the number of them in which some C frames are missing, since the
 * process began. Any thread may call this. */
struct sg_native_walk_counts {
    uint64_t n_stacks, n_truncated;
};
struct sg_native_walk_counts sg_native_walk_counts(void);

#endif
