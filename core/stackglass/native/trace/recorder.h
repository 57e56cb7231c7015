/* Recorder: writes events as rows of a lane. Hooks call it on the thread that has entered the lane.
 *
 * No function runs Python code, allocates from the process's heaps, waits, or changes errno. */
#ifndef STACKGLASS_TRACE_RECORDER_H
#define STACKGLASS_TRACE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "interpreter/allocator_patch.h"
#include "trace/lanes.h"

/* Set the time from which events are timed, and whether pymalloc is used. Called before any hook
 * runs. */
void sg_trace_recorder_prepare(int64_t start_mono_ns, bool is_pymalloc);
int64_t sg_trace_recorder_now_ns(void); /* since the start */

/* ---- Lanes of interpreters; `state`: the calling thread's, which has the GIL ---- */

void sg_trace_recorder_alloc(struct sg_trace_lane *lane, const void *state,
                             enum sg_allocator_domain domain, const void *block, size_t size);
void sg_trace_recorder_free(struct sg_trace_lane *lane, enum sg_allocator_domain domain,
                            const void *block, uint32_t type);
/* Record the begin and the end of a reallocation; `moved` NULL = it failed. */
void sg_trace_recorder_realloc(struct sg_trace_lane *lane, enum sg_allocator_domain domain,
                               const void *block);
void sg_trace_recorder_realloced(struct sg_trace_lane *lane, const void *state,
                                 enum sg_allocator_domain domain, const void *moved, size_t size);

/* ---- Lanes of threads; `state` NULL = the thread has none ---- */

void sg_trace_recorder_timed_alloc(struct sg_trace_lane *lane, const void *state,
                                   enum sg_trace_domain domain, const void *block, size_t size);
void sg_trace_recorder_timed_free(struct sg_trace_lane *lane, enum sg_trace_domain domain,
                                  const void *block, bool is_realloc);
void sg_trace_recorder_timed_realloced(struct sg_trace_lane *lane, const void *state,
                                       enum sg_trace_domain domain, const void *moved, size_t size);

/* ---- Both ---- */

/* Write a mark with the time; `word` is its further word, if the mark has one. */
void sg_trace_recorder_mark(struct sg_trace_lane *lane, enum sg_row_mark mark,
                            enum sg_trace_domain domain, uint64_t address, uint64_t word);
/* Record a span that the calling thread has mapped. */
void sg_trace_recorder_span(struct sg_trace_lane *lane, const void *state,
                            enum sg_trace_domain domain, const void *start, size_t size);

#endif
