/* Delivers members of sets and rings in batches of 32.
 *
 *     set's tp_traverse, or ring ─▶ gather: prefetched ─▶ deliver: weak reference ─▶ task
 *
 * An object whose reference count is 0 is being destroyed, and is left out. */
#include "threads/task_lists.h"

#include <string.h>

#include "interpreter/interpreters.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"
#include "platform/prefetch.h"

enum {
    MOST_OF_RING = 1 << 24, /* a longer ring is taken for a broken one */
    TASK_BYTES = 200,
};

struct ring {
    struct ring *next, *previous;
};

struct visiting {
    sg_task_visit_fn *visit;
    void *context;
    /* type of weak references; NULL = the set has the tasks themselves */
    const void *reference_type;
    bool is_enough;
    PyObject *gathered[SG_TASKS_AT_A_TIME]; /* members of a set, or tasks */
    size_t n;
};

/* ---- Several at a time ---- */

/* Return the task that a member refers to; NULL if the task is gone. */
static PyObject *dereference(const struct visiting *visiting, PyObject *member) {
    if (!visiting->reference_type)
        return member;
    if ((const void *)Py_TYPE(member) != visiting->reference_type)
        return NULL;
    PyObject *task = (PyObject *)sg_memory_load((uintptr_t)member + SG_REFERENCE_OBJECT);
    return task == Py_None ? NULL : task;
}

/* Pass the gathered batch to `visit`. Returns false if `visit` wants no more. */
static bool deliver(struct visiting *visiting) {
    PyObject **tasks = visiting->gathered;
    size_t n = 0, n_alive = 0;
    for (size_t i = 0; i < visiting->n; i++) {
        PyObject *task = dereference(visiting, tasks[i]);
        if (!task)
            continue;
        sg_prefetch(task, TASK_BYTES);
        tasks[n++] = task;
    }
    for (size_t i = 0; i < n; i++)
        if (sg_memory_load_int((uintptr_t)tasks[i]) != 0) /* else it is being destroyed */
            tasks[n_alive++] = tasks[i];
    visiting->n = 0;
    visiting->is_enough |= n_alive && !visiting->visit(visiting->context, tasks, n_alive);
    return !visiting->is_enough;
}

static bool gather(struct visiting *visiting, PyObject *member) {
    sg_prefetch(member, SG_REFERENCE_OBJECT + sizeof member);
    visiting->gathered[visiting->n++] = member;
    return visiting->n < SG_TASKS_AT_A_TIME || deliver(visiting);
}

/* ---- Sets ---- */

static int visit_member(PyObject *member, void *context) { return !gather(context, member); }

static bool visit_set(PyObject *set, struct visiting *visiting) {
    if (!set || Py_TYPE(set) != &PySet_Type)
        return true;
    uint64_t word = sg_memory_load((uintptr_t)&PySet_Type + SG_TP_TRAVERSE);
    traverseproc traverse;
    memcpy(&traverse, &word, sizeof traverse);
    if (traverse(set, visit_member, visiting))
        return false;
    return deliver(visiting);
}

/* The type of weak references that have no class of their own; NULL = not found. Guarded by the
 * GIL. */
static const void *reference_type;

static bool visit_weak_set(const char *name, struct visiting *visiting) {
    PyObject *weak_set = sg_python_text_global("asyncio.tasks", name); /* borrowed */
    PyObject *data = weak_set ? sg_python_text_plain_attribute(weak_set, "data") : NULL;
    if (!reference_type)
        reference_type = sg_python_symbols_address("_PyWeakref_RefType");
    visiting->reference_type = reference_type;
    bool goes_on = !visiting->reference_type || visit_set(data, visiting);
    visiting->reference_type = NULL;
    Py_XDECREF(data);
    return goes_on;
}

/* ---- Rings ---- */

/* Visit a ring from both ends to the middle: so the processor waits for two links at once. */
static bool visit_ring(uintptr_t head_at, const struct sg_asyncio_offsets *offsets,
                       struct visiting *visiting) {
    const uintptr_t node_at = (uintptr_t)offsets->task_node;
    struct ring *head = (struct ring *)head_at, *first = head->next, *last = head->previous;
    if (!first || !last || first == head) /* not made yet, or empty */
        return true;
    for (int i = 0; i < MOST_OF_RING; i++) {
        struct ring *next = first->next, *previous = last->previous;
        if (!gather(visiting, (PyObject *)((uintptr_t)first - node_at)) ||
            (first != last && !gather(visiting, (PyObject *)((uintptr_t)last - node_at))))
            return false;
        if (first == last || next == last)
            break;
        first = next;
        last = previous;
    }
    return deliver(visiting);
}

static bool visit_rings(const struct sg_asyncio_offsets *offsets, struct visiting *visiting) {
    void *home = sg_interpreter_home();
    for (void *thread = sg_interpreter_thread(home); thread;
         thread = sg_interpreters_next_at_home(thread)) {
        if (!visit_ring((uintptr_t)thread + (uintptr_t)offsets->thread_tasks, offsets, visiting))
            return false;
    }
    return visit_ring((uintptr_t)home + (uintptr_t)offsets->interpreter_tasks, offsets, visiting);
}

bool sg_task_lists_visit(const struct sg_asyncio_offsets *offsets, sg_task_visit_fn *visit,
                         void *context) {
    struct visiting visiting = {.visit = visit, .context = context};
    return visit_weak_set("_all_tasks", &visiting) &&
           visit_weak_set("_scheduled_tasks", &visiting) &&
           visit_set(sg_python_text_global("asyncio.tasks", "_eager_tasks"), &visiting) &&
           (!offsets || visit_rings(offsets, &visiting));
}

/* ---- Tasks that run ---- */

/* Visit the running tasks of asyncio's dictionary, up to 3.13: event loop ▶ task. */
static void visit_by_loop(struct visiting *visiting) {
    PyObject *current = sg_python_text_global("asyncio.tasks", "_current_tasks");
    PyObject *loop, *task; /* borrowed, as `current` */
    Py_ssize_t at = 0;
    while (current && PyDict_CheckExact(current) && PyDict_Next(current, &at, &loop, &task))
        visiting->visit(visiting->context, &task, 1);
}

void sg_task_lists_visit_running(const struct sg_asyncio_offsets *offsets, sg_task_visit_fn *visit,
                                 void *context) {
    struct visiting visiting = {.visit = visit, .context = context};
    if (!offsets) {
        visit_by_loop(&visiting);
        return;
    }
    for (void *thread = sg_interpreter_thread(sg_interpreter_home()); thread;
         thread = sg_interpreters_next_at_home(thread)) {
        PyObject *task =
            (PyObject *)sg_memory_load((uintptr_t)thread + (uintptr_t)offsets->thread_task);
        if (task)
            visit(context, &task, 1);
    }
}
