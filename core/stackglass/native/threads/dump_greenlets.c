/* Greenlets of a dump: a walk over the collector's objects, and a row for each greenlet in it. */
#include "threads/dump_greenlets.h"

#include <Python.h>

#include <string.h>

#include "interpreter/object_fields.h"
#include "labels/labels.h"
#include "objects/collector_walk.h"
#include "platform/memory.h"
#include "platform/vector.h"
#include "threads/greenlet_fields.h"

enum {
    MOST_DEPTH = 512,  /* frames of a greenlet that are kept */
    MOST_SLICES = 400, /* some seconds; a million objects take 3 to 10 slices */
};

/* The walk under way. Guarded by the GIL. */
static struct {
    struct sg_collector_walk walk;
    struct sg_greenlet_fields fields;
    struct sg_thread_dump *dump;
    struct sg_frame frames[MOST_DEPTH];
} taking;

/* Add a greenlet's row; `frame` is its innermost one, NULL = it has not begun. False if the dump is
 * full. */
static bool add(PyObject *greenlet, PyObject *frame) {
    struct sg_thread_dump *dump = taking.dump;
    struct sg_dumped_task row = {
        .task = (uintptr_t)greenlet,
        .state = frame ? SG_TASK_SUSPENDED : SG_TASK_READY,
    };
    char name[SG_TEXT_COPY_BYTES];
    uint32_t depth = 0;
    if (frame)
        depth = sg_greenlet_fields_walk(&taking.fields, frame, taking.frames, MOST_DEPTH);
    if (dump->seen.n >= SG_MOST_TASKS || !sg_hash_table_add(&dump->seen, row.task) ||
        !SG_ROWS_RESERVE(&dump->tasks, 1) || !SG_ROWS_RESERVE(&dump->frames, depth)) {
        dump->is_whole = false;
        return false;
    }
    row.first_frame = (uint32_t)dump->frames.n;
    row.depth = depth;
    if (depth)
        memcpy(dump->frames.at + dump->frames.n, taking.frames, depth * sizeof *taking.frames);
    dump->frames.n += depth;
    row.tid = frame ? sg_greenlet_fields_tid(&taking.fields, greenlet) : 0;
    if (sg_labels_list())
        row.labels = sg_labels_of_context(sg_greenlet_fields_context(&taking.fields, greenlet));
    sg_greenlet_fields_name(&taking.fields, greenlet, name);
    row.name = sg_dump_rows_add_text(dump, name);
    const char *type = (const char *)sg_memory_load((uintptr_t)Py_TYPE(greenlet) + SG_TP_NAME);
    const char *last = strrchr(type, '.');
    row.greenlet_type = sg_dump_rows_add_text(dump, last ? last + 1 : type);
    dump->tasks.at[dump->tasks.n++] = row;
    return true;
}

/* Called for each object of the collector. False ends the walk. */
static bool see(void *context, struct sg_collector_node *node) {
    PyObject *object = sg_collector_list_object(node);
    (void)context;
    if (!sg_greenlet_fields_is_greenlet(&taking.fields, (uintptr_t)object) ||
        sg_hash_table_find(&taking.dump->seen, (uintptr_t)object))
        return true;
    PyObject *frame = sg_greenlet_fields_frame(&taking.fields, object);
    if (!frame && !sg_greenlet_fields_is_new(&taking.fields, object))
        return true;
    sg_collector_walk_hurry(&taking.walk);
    taking.walk.n_new++;
    return add(object, frame);
}

static bool begin(struct sg_thread_dump *dump) {
    sg_dump_greenlets_abandon();
    dump->has_greenlet_walk = true;
    if (!sg_collector_walk_begin(&taking.walk))
        return true;
    dump->is_whole = false;
    return false;
}

bool sg_dump_greenlets_take(struct sg_thread_dump *dump, int64_t budget_ns) {
    if (!sg_greenlet_fields_learn(&taking.fields))
        return true;
    if (!dump->has_greenlet_walk && !begin(dump))
        return true;
    taking.dump = dump;
    sg_collector_walk_set_limits(&taking.walk, budget_ns > 0 ? budget_ns : 0, UINT64_MAX);
    sg_collector_walk_go_on(&taking.walk, see, NULL);
    bool is_cut = !dump->is_whole || dump->n_slices >= MOST_SLICES;
    if (taking.walk.is_over)
        dump->is_whole &= taking.walk.is_whole && !taking.walk.problem;
    else if (is_cut)
        dump->is_whole = false;
    if (is_cut)
        sg_dump_greenlets_abandon();
    return taking.walk.is_over || is_cut;
}

void sg_dump_greenlets_abandon(void) { sg_collector_walk_abandon(&taking.walk); }

void sg_dump_greenlets_after_fork_in_child(void) { memset(&taking, 0, sizeof taking); }
