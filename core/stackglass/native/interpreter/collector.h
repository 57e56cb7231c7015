/* The interpreter's garbage collector: whether a thread runs it. */
#ifndef STACKGLASS_INTERPRETER_COLLECTOR_H
#define STACKGLASS_INTERPRETER_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "interpreter/debug_offsets.h"
#include "platform/memory.h"

/* Does `thread`, the calling thread's PyThreadState, run the collector, or a finalizer that the
 * collector has called? Returns true also for a thread that has the GIL because such a finalizer
 * has released it, and false up to 3.12, where nothing is known. Async-signal-safe. */
static inline bool sg_collector_runs(const void *thread) {
    const struct sg_debug_offsets *at = &sg_debug_offsets;
    if (at->gc_collecting < 0 ||
        !(sg_memory_load_int((uintptr_t)thread + at->thread_status) >> SG_THREAD_ATTACHED_BIT & 1))
        return false;
    uintptr_t interp = sg_memory_load((uintptr_t)thread + at->thread_interp);
    return sg_memory_load_int(interp + at->gc_collecting) != 0;
}

#endif
