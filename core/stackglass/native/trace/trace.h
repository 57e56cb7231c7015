/* Memory trace: its lifecycle.
 *
 *     off ──begin──▶ recording ──end──▶ ended: rows are left ──discard──▶ off
 *
 * There is one trace at a time, begun after sg_cpu_prepare, which numbers code objects. `begin`
 * and `end` need the GIL; the writer's thread reads the rows (reader.h). */
#ifndef STACKGLASS_TRACE_TRACE_H
#define STACKGLASS_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/snapshot.h"

/* Make the tables, hook the allocators, take the start snapshot and begin to record. Returns NULL,
 * or a sentence that says why the trace cannot begin; then nothing has changed. */
const char *sg_trace_begin(int64_t start_mono_ns, uint32_t depth);
/* End recording and remove the hooks. The caller holds the GIL, as for sg_trace_begin. */
void sg_trace_end(void);
/* Remove hooks that could not be removed while other hooks were above them. The caller holds the
 * GIL. */
void sg_trace_unhook(void);
/* Wait until no thread is in a hook: one that has another GIL may still be reading its stack. Call
 * it after the hooks were removed, with the GIL. Returns false if a thread is in one after a
 * second, because the scheduler does not run it; then what stacks are read with has to stay. */
bool sg_trace_settle(void);
/* Stop recording at the interpreter's end, when the GIL cannot be acquired. Any thread. */
void sg_trace_pass_through(void);

/* Free the tables. The writer calls it once the trace has ended and all rows are read. Returns
 * false if a thread is still in a hook; the writer tries again later. */
bool sg_trace_discard(void);

/* Read the types of recently allocated objects, those last handed over, for at most `budget_ns`.
 * The caller holds the GIL. */
void sg_trace_read_types(int64_t budget_ns);
/* Hand over the fresh objects of the generation that ends. Returns false if the last ones are not
 * done. The writer calls it, also while the worker is in sg_trace_read_types. */
bool sg_trace_hand_over(void);
/* Return whether sg_trace_read_types has something to do. Any thread. */
bool sg_trace_wants_types(void);

/* Check that the hooks are called; if not, install them again, and count a loss for what happened
 * in between. The caller holds the GIL. */
void sg_trace_check_hooks(void);

/* Begin a region of the program in the calling thread, which holds the GIL. Returns the region's
 * number, which sg_trace_region_end needs; 0 = nothing is recorded. */
uint64_t sg_trace_region_begin(const char *name);
void sg_trace_region_end(const char *name, uint64_t number);
bool sg_trace_is_recording(void);

void sg_trace_after_fork_in_child(void);

struct sg_trace_status {
    int64_t start_ns; /* when recording began, since the session began */
    uint32_t pool_bytes, arena_bytes;
    uint64_t minimum_address;
    const char *pools_problem;
    struct sg_snapshot_counts snapshot;
    uint64_t n_displaced;    /* how often the hooks were no longer called */
    uint64_t n_without_lane; /* events lost because there was no lane for the thread */
};
struct sg_trace_status sg_trace_status(void);

#endif
