/* Hooks of the memory trace on Python's allocator domains MEM and OBJ.
 *
 *     free: record, then call the allocator below;  allocate: call it, then record
 *
 * Each interpreter has a lane, a list of buffers for its events (lanes.h). A call of MEM or OBJ by
 * a thread that does not hold the GIL is recorded in the thread's own lane. */
#ifndef STACKGLASS_TRACE_HOOKS_H
#define STACKGLASS_TRACE_HOOKS_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/lanes.h"

/* Find the interpreter's functions. Returns NULL, or a sentence that says why they cannot be used.
 * The caller holds the GIL, as for all functions below that do not say "any thread". */
const char *sg_trace_hooks_prepare(void);
/* Install the hooks, which pass calls on until recording begins. */
void sg_trace_hooks_install(void);
/* End recording and remove the hooks. Hooks that lie below another patch or another tool's hooks
 * stay, and pass calls on. */
void sg_trace_hooks_remove(void);
/* Return whether the hooks are called; if not, install them again. */
bool sg_trace_hooks_check(void);

/* Begin or end recording; any thread may end it. After the end, threads of other interpreters may
 * be in a hook for a moment (sg_trace_lanes_are_idle). */
void sg_trace_hooks_set_recording(bool is_on);

/* Return whether recording is on. Any thread. */
bool sg_trace_hooks_are_recording(void);
/* Enter the lane of the calling thread's interpreter, and set `state` to the thread state. NULL =
 * the thread does not hold the GIL, its interpreter has no lane or a busy one, or recording is off.
 * Until sg_trace_hooks_leave the caller allocates nothing from MEM or OBJ. Any thread. */
struct sg_trace_lane *sg_trace_hooks_enter(const void **state);
void sg_trace_hooks_leave(struct sg_trace_lane *lane);
/* Enter the lane, perhaps within a call that a hook is recording. Then the lane is entered already:
 * `is_nested` is set, and the caller must not leave the lane. Any thread. */
struct sg_trace_lane *sg_trace_hooks_enter_nested(const void **state, bool *is_nested);

#endif
