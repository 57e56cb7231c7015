/* Tasks in sets and rings: see task_lists.h. */
#include "threads/task_lists.h"

#include <dlfcn.h>
#include <string.h>

#include "interpreter/interpreters.h"
#include "interpreter/python_text.h"
#include "platform/memory.h"

enum {
    TYPE_TRAVERSE = 184,    /* tp_traverse */
    REFERENCE_OBJECT = 16,  /* PyWeakReference.wr_object */
    MOST_OF_RING = 1 << 24, /* a ring that never ends would be a broken one */
};

struct ring {
    struct ring *next, *previous;
};

struct visiting {
    sg_task_visit_fn *visit;
    void *context;
    const void *reference_type; /* of weak references; NULL = the set has the tasks themselves */
    bool is_enough;
};

/* ---- Sets ---- */

static int visit_member(PyObject *member, void *context) {
    struct visiting *visiting = context;
    if (visiting->reference_type) {
        if ((const void *)Py_TYPE(member) != visiting->reference_type)
            return 0;
        member = (PyObject *)sg_memory_load((uintptr_t)member + REFERENCE_OBJECT);
        if (!member || member == Py_None || sg_memory_load_int((uintptr_t)member) == 0)
            return 0;
    }
    visiting->is_enough = !visiting->visit(visiting->context, member);
    return visiting->is_enough;
}

static bool visit_set(PyObject *set, struct visiting *visiting) {
    if (!set || Py_TYPE(set) != &PySet_Type)
        return true;
    uint64_t word = sg_memory_load((uintptr_t)&PySet_Type + TYPE_TRAVERSE);
    traverseproc traverse;
    memcpy(&traverse, &word, sizeof traverse);
    traverse(set, visit_member, visiting);
    return !visiting->is_enough;
}

static PyObject *find(const char *name) {
    PyObject *names = sg_python_text_module_names("asyncio.tasks"); /* borrowed: the module's */
    return names ? PyDict_GetItemString(names, name) : NULL;        /* borrowed: the dict's */
}

/* Of weak references without a class of their own; NULL = not found. Guarded by the GIL. */
static const void *reference_type;

static bool visit_weak_set(const char *name, struct visiting *visiting) {
    PyObject *weak_set = find(name);
    PyObject *data = weak_set ? sg_python_text_plain_attribute(weak_set, "data") : NULL;
    if (!reference_type)
        reference_type = dlsym(RTLD_DEFAULT, "_PyWeakref_RefType");
    visiting->reference_type = reference_type;
    bool goes_on = !visiting->reference_type || visit_set(data, visiting);
    visiting->reference_type = NULL;
    Py_XDECREF(data);
    return goes_on;
}

/* ---- Rings ---- */

static bool visit_ring(uintptr_t head_at, const struct sg_asyncio_offsets *offsets,
                       struct visiting *visiting) {
    struct ring *head = (struct ring *)head_at, *node = head->next;
    if (!node) /* not made yet */
        return true;
    for (int i = 0; node != head && i < MOST_OF_RING; i++, node = node->next) {
        PyObject *task = (PyObject *)((uintptr_t)node - (uintptr_t)offsets->task_node);
        if (sg_memory_load_int((uintptr_t)task) != 0 && !visiting->visit(visiting->context, task))
            return false;
    }
    return true;
}

static bool visit_rings(const struct sg_asyncio_offsets *offsets, struct visiting *visiting) {
    void *home = sg_interpreter_home();
    for (void *thread = sg_interpreter_thread(home); thread;
         thread = sg_interpreter_next_thread(thread)) {
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
           visit_set(find("_eager_tasks"), &visiting) &&
           (!offsets || visit_rings(offsets, &visiting));
}

/* ---- Tasks that run ---- */

/* Up to 3.13, and for tasks in Python: by event loop. */
static void visit_by_loop(struct visiting *visiting) {
    PyObject *current = find("_current_tasks"), *loop, *task;
    Py_ssize_t at = 0;
    while (current && PyDict_CheckExact(current) && PyDict_Next(current, &at, &loop, &task))
        visiting->visit(visiting->context, task);
}

void sg_task_lists_visit_running(const struct sg_asyncio_offsets *offsets, sg_task_visit_fn *visit,
                                 void *context) {
    struct visiting visiting = {.visit = visit, .context = context};
    if (!offsets) {
        visit_by_loop(&visiting);
        return;
    }
    for (void *thread = sg_interpreter_thread(sg_interpreter_home()); thread;
         thread = sg_interpreter_next_thread(thread)) {
        PyObject *task =
            (PyObject *)sg_memory_load((uintptr_t)thread + (uintptr_t)offsets->thread_task);
        if (task)
            visit(context, task);
    }
}
