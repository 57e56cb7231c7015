/* The memory trace: its lifecycle.
 *
 *     off ──begin──▶ recording ──end──▶ ended: rows are left ──discard──▶ off
 *
 * One at a time, after sg_cpu_prepare (which numbers code objects). `begin`, `end` and the types
 * need the GIL; what reads the rows (reader.h) is the writer's thread. */
#ifndef STACKGLASS_TRACE_TRACE_H
#define STACKGLASS_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/snapshot.h"

/* Make the tables, hook the allocators, take the start snapshot and begin to record. NULL, or one
 * sentence that says why not; then nothing has changed. */
const char *sg_trace_begin(int64_t start_mono_ns, uint32_t depth);
/* End recording and unhook. */
void sg_trace_end(void);
/* Unhook hooks that could not be removed while others were above them. With the GIL. */
void sg_trace_unhook(void);
/* Record nothing from now on: at the interpreter's end, when the GIL cannot be had. Any thread. */
void sg_trace_pass_through(void);

/* The writer's, once it has ended and all rows are read: free the tables. False if a thread is
 * still inside; then again later. */
bool sg_trace_discard(void);

/* Types of objects that were allocated lately: the last ones that were taken from the reader, for
 * at most `budget_ns`. With the GIL. */
void sg_trace_read_types(int64_t budget_ns);
/* Hand over the fresh objects of the generation that ends. False if the last ones are not done. By
 * the writer while no job of it is under way. */
bool sg_trace_hand_over(void);
/* Whether sg_trace_read_types has something to do. Any thread. */
bool sg_trace_wants_types(void);

/* Are the hooks called? If not, hook again: what happened in between is lost. With the GIL. */
void sg_trace_check_hooks(void);

/* A region of the program's begins in the calling thread, which has the GIL: its number, which its
 * end needs; 0 = nothing is recorded. */
uint64_t sg_trace_region_begin(const char *name);
void sg_trace_region_end(const char *name, uint64_t number);
bool sg_trace_is_recording(void);

void sg_trace_after_fork_in_child(void);

struct sg_trace_status {
    int64_t start_ns; /* of the first event, since the session's start */
    uint32_t pool_bytes, arena_bytes;
    uint64_t minimum_address;
    const char *pools_problem;
    struct sg_snapshot_counts snapshot;
    uint64_t n_displaced;    /* how often the hooks were found to be no longer called */
    uint64_t n_without_lane; /* events lost because there was no lane for the thread */
};
struct sg_trace_status sg_trace_status(void);

#endif
