/* Native stack: takes the stack of the calling thread, its C frames and its Python frames, merged.
 * Async-signal-safe. */
#ifndef STACKGLASS_UNWIND_NATIVE_STACK_H
#define STACKGLASS_UNWIND_NATIVE_STACK_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "frames/walk.h"
#include "unwind/stack.h"

struct sg_native_stack {
    const void *thread; /* PyThreadState; NULL = Python does not know the thread */
    /* where a signal interrupted the thread; NULL = the thread calls this function itself */
    const ucontext_t *context;
    struct sg_unwind_stack *stack;
    struct sg_page_cache *pages;     /* for a thread that a signal interrupted */
    struct sg_wanted_frames *wanted; /* NULL = none */

    struct sg_frame *frames; /* out: leaf first, with room for `capacity` ≥ 2 */
    uint32_t capacity;
    uint32_t depth;    /* out */
    bool is_bad;       /* out: the walk of Python frames was cut short */
    bool is_truncated; /* out: C frames are missing */
};

/* Take the stack. Returns false, and changes nothing, if there are no tables or no scratch memory.
 * If the thread calls this function itself, the engine's frames are left out. */
bool sg_native_stack_take(struct sg_native_stack *taken);

#endif
