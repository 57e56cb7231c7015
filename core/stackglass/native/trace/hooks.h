/* Hooks of the memory trace on Python's allocators MEM and OBJ.
 *
 *     free: record, then call the allocator below;  allocate: call it, then record
 *
 * A thread without the GIL that calls MEM or OBJ all the same is recorded in its own lane. */
#ifndef STACKGLASS_TRACE_HOOKS_H
#define STACKGLASS_TRACE_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/lanes.h"

/* Find the interpreter's functions: NULL, or why not. Caller holds the GIL, here and in all calls
 * below that do not say "any thread". */
const char *sg_trace_hooks_prepare(void);
/* Install the hooks, which pass calls on until `set_recording`. */
void sg_trace_hooks_install(void);
/* Remove them; those below another patch's or tool's stay and pass calls on. */
void sg_trace_hooks_remove(void);
/* Are the hooks called? If not, install them again. */
bool sg_trace_hooks_check(void);

/* Begin or end recording. Threads of other interpreters may be inside for a moment afterwards:
 * sg_trace_lanes_are_left. */
void sg_trace_hooks_set_recording(bool is_on);

/* Is anything recorded? Any thread. */
bool sg_trace_hooks_are_recording(void);
/* The lane of the calling thread's interpreter, and the thread's state, if it has the GIL; else
 * NULL. Between this and leave nothing else is recorded in the lane. Any thread. */
struct sg_trace_lane *sg_trace_hooks_enter(const void **state);
void sg_trace_hooks_leave(struct sg_trace_lane *lane);
/* The same within a call that a hook records already: then the lane is entered, `is_nested`, and
 * must not be left. Any thread. */
struct sg_trace_lane *sg_trace_hooks_enter_nested(const void **state, bool *is_nested);

#endif
