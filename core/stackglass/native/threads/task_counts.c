/* One pass over asyncio's lists, and one over the tasks that run. A task that runs awaits nothing
 * and looks ready in the first pass, so the running ones are subtracted from the ready ones. */
#include "threads/task_counts.h"

#include <string.h>

#include "platform/memory.h"
#include "platform/time.h"
#include "threads/task_fields.h"
#include "threads/task_lists.h"

enum { RUNNING, READY, SUSPENDED }; /* indices of sg_task_counts.n */
/* So many are counted whatever the clock says, in a fraction of a millisecond: where the system has
 * reclaimed the program's idle pages, the faults of the first tasks alone can take the time of a
 * whole count. */
enum { FEWEST_COUNTED = 1024 };

struct counting {
    struct sg_task_fields fields;
    struct sg_task_counts counts;
    size_t n_visited;
    int64_t end_ns;
};

static bool is_wanted(const struct counting *counting, PyObject *task) {
    return sg_task_fields_is_task(&counting->fields, task) &&
           sg_task_fields_is_pending(&counting->fields, task);
}

static bool count_running(void *context, PyObject *const *tasks, size_t n) {
    struct counting *counting = context;
    for (size_t i = 0; i < n; i++)
        counting->counts.n[RUNNING] += is_wanted(counting, tasks[i]);
    return true;
}

/* A task that runs awaits nothing, so it counts as ready here. */
static bool count(void *context, PyObject *const *tasks, size_t n) {
    struct counting *counting = context;
    for (size_t i = 0; i < n; i++) {
        if (!is_wanted(counting, tasks[i]))
            continue;
        PyObject *waiter = sg_task_fields_waiter(&counting->fields, tasks[i]);
        bool is_suspended = waiter && sg_task_fields_is_pending(&counting->fields, waiter);
        counting->counts.n[is_suspended ? SUSPENDED : READY]++;
    }
    counting->n_visited += n;
    return counting->n_visited < FEWEST_COUNTED ||
           (int64_t)sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) < counting->end_ns;
}

struct sg_task_counts sg_task_counts_take(int64_t end_ns) {
    static struct counting counting; /* guarded by the GIL; large for a thread's stack */
    memset(&counting, 0, sizeof counting);
    counting.end_ns = end_ns;
    counting.counts.is_whole = true;
    sg_task_fields_learn(&counting.fields);
    const struct sg_asyncio_offsets *offsets = counting.fields.offsets;
    if (!counting.fields.task && !counting.fields.python_task) /* asyncio is not loaded */
        return counting.counts;
    sg_task_lists_visit_running(offsets, count_running, &counting);
    counting.counts.is_whole = sg_task_lists_visit(offsets, count, &counting);
    uint64_t *n = counting.counts.n;
    n[READY] -= n[RUNNING] < n[READY] ? n[RUNNING] : n[READY];
    return counting.counts;
}

static bool count_all(void *context, PyObject *const *tasks, size_t n) {
    (void)tasks;
    *(size_t *)context += n;
    return true;
}

size_t sg_task_counts_estimate(void) {
    struct sg_task_fields fields;
    size_t n = 0;
    sg_task_fields_learn(&fields);
    sg_task_lists_visit(fields.offsets, count_all, &n);
    return n;
}
