/* One walk over the collector's objects adds a row for each greenlet, and a link for each greenlet
 * that an object of gevent will wake. Sorted links are matched with the rows after the last
 * slice. */
#include "threads/dump_greenlets.h"

#include <Python.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter/object_fields.h"
#include "labels/labels.h"
#include "objects/collector_walk.h"
#include "platform/memory.h"
#include "platform/time.h"
#include "platform/vector.h"
#include "threads/greenlet_fields.h"
#include "threads/greenlet_links.h"

enum {
    MOST_DEPTH = 512,  /* frames that are kept of a greenlet */
    MOST_SLICES = 400, /* some seconds; a million objects take 3 to 10 slices */
    NAME_BYTES = 128,
    LEAST_NS = 200 * 1000, /* CPU time that must be left for the walk to continue in this slice */
};

/* The walk under way. Guarded by the GIL. */
static struct {
    struct sg_collector_walk walk;
    struct sg_greenlet_fields fields;
    struct sg_greenlet_links links;
    bool has_links; /* gevent is loaded */
    struct last_wait {
        const char *type; /* name of gevent's type; NULL = none */
        enum sg_greenlet_wait wait;
        uint32_t text; /* place in the dump's texts */
    } last;            /* most greenlets wait for objects of one type */
    struct sg_thread_dump *dump;
    struct sg_frame frames[MOST_DEPTH];
} taking;

/* Add a greenlet's row. `frame` is its innermost frame; NULL = it has not begun, or only compiled
 * code is on its stack. Returns false if the dump is full. */
static bool add(PyObject *greenlet, PyObject *frame, enum sg_task_state state) {
    struct sg_thread_dump *dump = taking.dump;
    struct sg_dumped_task row = {.task = (uintptr_t)greenlet, .state = state};
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
    if (state == SG_TASK_SUSPENDED)
        row.tid = sg_greenlet_fields_tid(&taking.fields, greenlet);
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

/* ---- What they wait for ---- */

static uint32_t name_wait(PyObject *owner, enum sg_greenlet_wait wait) {
    static const char *const METHODS[] = {
        [SG_GREENLET_WAITS] = "",
        [SG_GREENLET_GETS] = ".get",
        [SG_GREENLET_PUTS] = ".put",
        [SG_GREENLET_WAITS_MANY] = "",
    };
    const char *type = wait == SG_GREENLET_WAITS_MANY ? "wait" : sg_greenlet_links_name_type(owner);
    char text[NAME_BYTES];
    if (taking.last.type == type && taking.last.wait == wait)
        return taking.last.text;
    snprintf(text, sizeof text, "%s%s", type, METHODS[wait]);
    taking.last = (struct last_wait){type, wait, sg_dump_rows_add_text(taking.dump, text)};
    return taking.last.text;
}

/* Note that `owner` will wake `greenlet`. A greenlet without a frame has no row yet; that an object
 * of gevent refers to it shows that it is suspended, so it gets a row here. */
static void note_link(PyObject *greenlet, PyObject *owner, enum sg_greenlet_wait wait) {
    struct sg_thread_dump *dump = taking.dump;
    struct sg_greenlet_link link = {.greenlet = (uintptr_t)greenlet, .awaited = (uintptr_t)owner};
    PyObject *frame = sg_greenlet_fields_frame(&taking.fields, greenlet);
    struct sg_frame frames[2]; /* room for a second frame, which marks a longer stack */
    if (frame && sg_greenlet_fields_walk(&taking.fields, frame, frames, 2))
        link.top = frames[0];
    sg_collector_walk_hurry(&taking.walk);
    if (!frame && !sg_greenlet_fields_is_suspended(&taking.fields, greenlet))
        return;
    if (!frame && !sg_hash_table_find(&dump->seen, link.greenlet)) {
        taking.walk.n_new++;
        if (!add(greenlet, NULL, SG_TASK_SUSPENDED))
            return;
    }
    link.wait = name_wait(owner, wait);
    dump->is_whole &= SG_ROWS_ADD(&dump->links, link);
}

static int compare_links(const void *left, const void *right) {
    uintptr_t a = *(const uintptr_t *)left, b = *(const uintptr_t *)right;
    return a < b ? -1 : a > b;
}

/* Set what wakes a row's greenlet. A link counts if the greenlet's innermost frame is where it was
 * when the link was read, perhaps in another slice. Several links count only if they are of one
 * kind: an object may have been read twice. */
static void settle_row(const struct sg_thread_dump *dump, struct sg_dumped_task *row) {
    const struct sg_greenlet_link *link =
        bsearch(&row->task, dump->links.at, dump->links.n, sizeof *dump->links.at, compare_links);
    const struct sg_greenlet_link *end = dump->links.at + dump->links.n;
    struct sg_frame top = {SG_NO_CODE, 0};
    if (row->depth)
        top = dump->frames.at[row->first_frame];
    while (link && link > dump->links.at && link[-1].greenlet == row->task)
        link--;
    for (; link && link < end && link->greenlet == row->task; link++) {
        if (link->top.code != top.code || link->top.lasti != top.lasti)
            continue;
        if (row->awaited_type &&
            strcmp(dump->texts.at + row->awaited_type, dump->texts.at + link->wait) != 0) {
            row->awaited_type = 0;
            row->awaited = 0;
            return;
        }
        row->awaited_type = link->wait;
        row->awaited = link->awaited;
    }
}

void sg_dump_greenlets_settle(struct sg_thread_dump *dump) {
    if (!dump->links.n)
        return;
    qsort(dump->links.at, dump->links.n, sizeof *dump->links.at, compare_links);
    for (size_t i = 0; i < dump->tasks.n; i++) {
        if (dump->tasks.at[i].greenlet_type)
            settle_row(dump, &dump->tasks.at[i]);
    }
}

/* ---- All objects ---- */

/* Visit an object of the collector. Returns false to end the walk. */
static bool see(void *context, struct sg_collector_node *node) {
    PyObject *object = sg_collector_list_object(node);
    (void)context;
    if (taking.has_links)
        sg_greenlet_links_visit(&taking.links, object, note_link);
    if (!sg_greenlet_fields_is_greenlet(&taking.fields, (uintptr_t)object) ||
        sg_hash_table_find(&taking.dump->seen, (uintptr_t)object))
        return true;
    PyObject *frame = sg_greenlet_fields_frame(&taking.fields, object);
    if (!frame && !sg_greenlet_fields_is_new(&taking.fields, object))
        return true;
    sg_collector_walk_hurry(&taking.walk);
    taking.walk.n_new++;
    return add(object, frame, frame ? SG_TASK_SUSPENDED : SG_TASK_READY);
}

static int64_t read_cpu_ns(void) { return (int64_t)sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

static bool begin(struct sg_thread_dump *dump) {
    sg_dump_greenlets_abandon();
    dump->has_greenlet_walk = true;
    if (!sg_collector_walk_begin(&taking.walk))
        return true;
    dump->is_whole = false;
    return false;
}

/* Continue the walk for `budget_ns` of CPU time. The walk itself limits elapsed time and ends early
 * while other processes use the processor, so it is called again as long as CPU time is left. */
static void walk_on(int64_t budget_ns) {
    int64_t end_ns = read_cpu_ns() + budget_ns, left_ns = budget_ns;
    uint32_t n_idle;
    do {
        n_idle = taking.walk.n_idle;
        sg_collector_walk_set_limits(&taking.walk, left_ns > 0 ? left_ns : 0, UINT64_MAX);
        sg_collector_walk_go_on(&taking.walk, see, NULL);
        left_ns = end_ns - read_cpu_ns();
    } while (!taking.walk.is_over && taking.walk.n_idle <= n_idle && taking.dump->is_whole &&
             left_ns >= LEAST_NS);
}

bool sg_dump_greenlets_take(struct sg_thread_dump *dump, int64_t budget_ns) {
    if (!sg_greenlet_fields_learn(&taking.fields))
        return true;
    if (!dump->has_greenlet_walk && !begin(dump))
        return true;
    taking.has_links = sg_greenlet_links_learn(&taking.links, &taking.fields);
    taking.last.type = NULL;
    taking.dump = dump;
    walk_on(budget_ns);
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
