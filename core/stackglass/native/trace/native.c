/* Each call enters the thread's own lane, writes a row, and leaves the lane. */
#include "trace/native.h"

#include <errno.h>

#include "interpreter/calling_thread.h"
#include "platform/engine_threads.h"
#include "platform/hints.h"
#include "trace/lanes.h"
#include "trace/recorder.h"

_Atomic bool sg_trace_native_is_on;

void sg_trace_native_set_recording(bool is_on) { atomic_store(&sg_trace_native_is_on, is_on); }

/* Return the calling thread's lane, or NULL if nothing is to be recorded. The state is checked
 * after the lane is marked as busy, because buffers stay mapped while any lane is busy. */
static struct sg_trace_lane *enter(enum sg_trace_domain domain) {
    if (sg_engine_threads_is_exempt())
        return NULL;
    struct sg_trace_lane *lane = sg_trace_lanes_enter_own();
    bool is_on = atomic_load(&sg_trace_native_is_on);
    if (lane && is_on)
        return lane;
    if (lane)
        sg_trace_lanes_leave(lane);
    else if (is_on)
        /* the thread is in its lane already, or there are too many threads */
        sg_trace_lanes_add_without_lane(domain);
    return NULL;
}

void sg_trace_native_alloc(enum sg_trace_domain domain, const void *block, size_t size) {
    int saved_errno = errno;
    struct sg_trace_lane *lane = block ? enter(domain) : NULL;
    if (lane) {
        sg_trace_recorder_timed_alloc(lane, sg_calling_thread_state(false), domain, block, size);
        sg_trace_lanes_leave(lane);
    }
    errno = saved_errno;
}

static void record_free(enum sg_trace_domain domain, const void *block, bool is_realloc) {
    int saved_errno = errno;
    struct sg_trace_lane *lane = block ? enter(domain) : NULL;
    if (lane) {
        sg_trace_recorder_timed_free(lane, domain, block, is_realloc);
        sg_trace_lanes_leave(lane);
    }
    errno = saved_errno;
}

void sg_trace_native_free(enum sg_trace_domain domain, const void *block) {
    record_free(domain, block, false);
}

void sg_trace_native_realloc(enum sg_trace_domain domain, const void *block) {
    record_free(domain, block, true);
}

void sg_trace_native_realloced(enum sg_trace_domain domain, const void *moved, size_t size) {
    int saved_errno = errno;
    struct sg_trace_lane *lane = enter(domain);
    if (lane) {
        sg_trace_recorder_timed_realloced(lane, sg_calling_thread_state(false), domain, moved,
                                          size);
        sg_trace_lanes_leave(lane);
    }
    errno = saved_errno;
}

SG_COLD void sg_trace_native_map(const void *start, size_t size) {
    int saved_errno = errno;
    struct sg_trace_lane *lane = enter(SG_TRACE_MMAP);
    if (lane) {
        sg_trace_recorder_span(lane, sg_calling_thread_state(false), SG_TRACE_MMAP, start, size);
        sg_trace_lanes_leave(lane);
    }
    errno = saved_errno;
}

SG_COLD void sg_trace_native_unmap(const void *start, size_t size) {
    int saved_errno = errno;
    struct sg_trace_lane *lane = enter(SG_TRACE_MMAP);
    if (lane) {
        sg_trace_recorder_mark(lane, SG_MARK_SPAN_FREE, SG_TRACE_MMAP, (uintptr_t)start, size);
        sg_trace_lanes_leave(lane);
    }
    errno = saved_errno;
}
