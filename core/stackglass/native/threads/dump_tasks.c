/* How the tasks of a dump are found and read.
 *
 *     running tasks, in the first slice ─▶ add_task, with the frames of the thread that runs it
 *     lists of tasks, 32 at a time      ─▶ new and chosen? ─▶ await chains, in step ─▶ add_task
 *
 * What asyncio keeps differs by version, and decides how a task's relations are found:
 *
 *     awaiting tasks     3.14 on: fields of the awaited task
 *                        before: the future that the task waits for, and gather's children
 *     thread of a loop   3.14 on: the thread state names its loop; before: loop._thread_id */
#include "threads/dump_tasks.h"

#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "asyncio/waits.h"
#include "cpu/snapshot.h"
#include "frames/python_frames.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_text.h"
#include "labels/labels.h"
#include "platform/hash_index.h"
#include "platform/memory.h"
#include "platform/prefetch.h"
#include "platform/time.h"
#include "platform/vector.h"
#include "threads/await_chain.h"
#include "threads/dump_creations.h"
#include "threads/dump_seen.h"
#include "threads/dump_threads.h"
#include "threads/task_fields.h"
#include "threads/task_lists.h"

enum {
    MOST_DEPTH = 512, /* frames that are kept of an await chain */
    /* frames of a thread's stack that are searched for a coroutine's frame */
    MOST_FRAMES = 1 << 16,
    FUTURE_BYTES = 96,     /* bytes to prefetch of a future */
    NAME_BYTES = 64,       /* bytes to prefetch of a task's name */
    NEW_SHARE = 4,         /* at least 1/4 of the budget is for tasks not seen before */
    BATCHES_PER_CLOCK = 4, /* batches between two readings of the clock */
    MOST_LOOPS = 64, /* event loops whose thread is remembered; others are looked up each time */
};

/* The state of one slice. */
struct taking {
    struct sg_thread_dump *dump;
    struct sg_task_fields fields;
    int64_t end_ns;       /* when to stop, by this thread's CPU clock */
    int64_t least_new_ns; /* CPU time reserved for new tasks; 0 once a new task was found */
    uint32_t n_batches;
    struct sg_await_chain chains[SG_TASKS_AT_A_TIME];
    /* Of the chains. Their beginnings are not a power of two apart, which one set of the
     * processor's cache would have to hold. */
    struct sg_frame frames[SG_TASKS_AT_A_TIME][MOST_DEPTH + 8];
    struct loop {
        PyObject *loop;
        pid_t tid;
    } loops[MOST_LOOPS];
    size_t n_loops;
    struct waiter_type {
        const PyTypeObject *type;
        uint32_t name; /* place in the dump's texts */
        bool is_gathering, is_task;
    } last; /* the type looked at last: most tasks await futures of one type */
};

/* Return whether the task is in the dump's random sample: one in `one_in` of all tasks. */
static bool is_chosen(const struct sg_thread_dump *dump, uintptr_t task) {
    uint64_t hash = sg_hash_index_mix(task, dump->choice);
    return dump->one_in <= 1 || (hash >> 32) % dump->one_in == 0;
}

/* Return whether an earlier slice has read the task, or a thread runs it. */
static bool is_seen(const struct taking *taking, PyObject *task) {
    return sg_hash_table_find(&taking->dump->seen, (uintptr_t)task);
}

/* ---- The thread of a loop ---- */

/* Return whether the thread runs the loop, which its thread state says from 3.14 on. */
static bool runs_loop(const struct taking *taking, const void *thread, PyObject *loop) {
    return taking->fields.offsets &&
           sg_memory_load((uintptr_t)thread + (uintptr_t)taking->fields.offsets->thread_loop) ==
               (uintptr_t)loop;
}

/* Return the living thread that runs a loop; 0 = none, or not known. */
static pid_t find_thread_of(const struct taking *taking, PyObject *loop) {
    PyObject *key = PyUnicode_InternFromString("_thread_id");
    PyObject *attribute = sg_python_text_stored_attribute(loop, key);
    Py_XDECREF(key);
    uint64_t ident =
        attribute && PyLong_Check(attribute) ? PyLong_AsUnsignedLongLong(attribute) : 0;
    PyErr_Clear();
    Py_XDECREF(attribute);
    for (void *thread = sg_interpreter_thread(sg_interpreter_home()); thread;
         thread = sg_interpreters_next_at_home(thread)) {
        bool is_by_ident = ident && sg_memory_load((uintptr_t)thread +
                                                   (uintptr_t)sg_debug_offsets.thread_id) == ident;
        if (is_by_ident || runs_loop(taking, thread, loop))
            return sg_snapshot_tid(thread);
    }
    return 0;
}

/* Return the thread of a task's loop; 0 = not known. */
static pid_t tid_of(struct taking *taking, PyObject *task) {
    PyObject *loop = sg_task_fields_loop(&taking->fields, task);
    for (size_t i = 0; loop && i < taking->n_loops; i++) {
        if (taking->loops[i].loop == loop)
            return taking->loops[i].tid;
    }
    pid_t tid = loop ? find_thread_of(taking, loop) : 0;
    if (loop && taking->n_loops < MOST_LOOPS)
        taking->loops[taking->n_loops++] = (struct loop){loop, tid};
    return tid;
}

/* ---- Which task awaits which ---- */

/* Note that `task` awaits `awaited`, if both are tasks. */
static void add_edge(struct taking *taking, PyObject *task, PyObject *awaited) {
    struct sg_thread_dump *dump = taking->dump;
    if (!sg_task_fields_is_task(&taking->fields, task) ||
        !sg_task_fields_is_task(&taking->fields, awaited))
        return;
    const struct sg_await_edge edge = {(uintptr_t)task, (uintptr_t)awaited};
    dump->is_whole &= SG_ROWS_ADD(&dump->edges, edge);
}

struct awaiters {
    struct taking *taking;
    PyObject *awaited;
};

static int visit_awaiter(PyObject *awaiter, void *context) {
    struct awaiters *awaiters = context;
    add_edge(awaiters->taking, awaiter, awaiters->awaited);
    return 0;
}

/* Add the edges to a task, from 3.14 on: the task refers to the one task that awaits it, or to a
 * set of several. */
static void add_awaiters(struct taking *taking, PyObject *task) {
    const struct sg_asyncio_offsets *offsets = taking->fields.offsets;
    uintptr_t at = (uintptr_t)task;
    if (!PyType_IsSubtype(Py_TYPE(task), taking->fields.task))
        return;
    PyObject *awaiter = (PyObject *)sg_memory_load(at + (uintptr_t)offsets->awaited_by);
    bool is_set = *(const char *)(at + (uintptr_t)offsets->is_awaited_by_set) != 0;
    struct awaiters awaiters = {taking, task};
    if (awaiter && is_set && Py_TYPE(awaiter) == &PySet_Type) {
        uint64_t word = sg_memory_load((uintptr_t)&PySet_Type + SG_TP_TRAVERSE);
        traverseproc traverse;
        memcpy(&traverse, &word, sizeof traverse);
        traverse(awaiter, visit_awaiter, &awaiters);
    } else if (awaiter && !is_set) {
        add_edge(taking, awaiter, task);
    }
}

static const char *type_name(PyObject *object) {
    return (const char *)sg_memory_load((uintptr_t)Py_TYPE(object) + SG_TP_NAME);
}

/* Add the edges from a task, up to 3.13: `waiter`, the future that the task waits for, is a task
 * itself or the future that asyncio.gather made for several tasks. */
static void add_awaited(struct taking *taking, PyObject *task, PyObject *waiter) {
    if (taking->last.is_task)
        add_edge(taking, task, waiter);
    if (!taking->last.is_gathering)
        return;
    PyObject *key = PyUnicode_InternFromString("_children");
    PyObject *children = sg_python_text_stored_attribute(waiter, key);
    Py_XDECREF(key);
    for (Py_ssize_t i = 0; children && PyList_CheckExact(children) && i < PyList_Size(children);
         i++)
        add_edge(taking, task, PyList_GetItem(children, i));
    PyErr_Clear();
    Py_XDECREF(children);
}

/* ---- A task that a thread runs ---- */

/* Return whether `frame` is in the thread's stack. */
static bool is_on_stack(const void *thread, uintptr_t frame) {
    uint32_t left = MOST_FRAMES;
    uintptr_t at = sg_frame_fields_innermost(thread);
    while (at && at != frame && left--)
        at = sg_memory_load(at + (uintptr_t)sg_debug_offsets.previous);
    return at && at == frame;
}

/* Return the thread that has the frame of the task's coroutine in its stack; 0 = none. */
static pid_t find_runner(const struct taking *taking, PyObject *task) {
    PyObject *coroutine = sg_task_fields_coroutine(&taking->fields, task);
    uintptr_t frame = coroutine ? sg_await_chain_frame(coroutine) : 0;
    for (void *thread = sg_interpreter_thread(sg_interpreter_home()); frame && thread;
         thread = sg_interpreters_next_at_home(thread)) {
        if (is_on_stack(thread, frame))
            return sg_snapshot_tid(thread);
    }
    return 0;
}

/* ---- A task ---- */

/* Make `last` describe the type of `waiter`. */
static void meet_type(struct taking *taking, PyObject *waiter) {
    if (taking->last.type == Py_TYPE(waiter))
        return;
    const char *name = type_name(waiter), *last = strrchr(name, '.');
    taking->last = (struct waiter_type){
        .type = Py_TYPE(waiter),
        .name = sg_dump_rows_add_text(taking->dump, last ? last + 1 : name),
        .is_gathering = strcmp(name, "_GatheringFuture") == 0,
        .is_task = sg_task_fields_is_task(&taking->fields, waiter),
    };
}

static void keep_chain(struct sg_thread_dump *dump, const struct sg_await_chain *chain,
                       struct sg_dumped_task *row) {
    if (!chain->n)
        return;
    if (!SG_ROWS_RESERVE(&dump->frames, chain->n)) {
        dump->is_whole = false;
        return;
    }
    row->first_frame = (uint32_t)dump->frames.n;
    row->depth = chain->n;
    memcpy(dump->frames.at + dump->frames.n, chain->frames, chain->n * sizeof *chain->frames);
    dump->frames.n += chain->n;
}

static void keep_name(struct taking *taking, PyObject *task, struct sg_dumped_task *row) {
    char text[SG_TEXT_COPY_BYTES];
    size_t n;
    const char *ascii = sg_task_fields_ascii_name(&taking->fields, task, &n);
    if (!ascii)
        row->number = sg_task_fields_name(&taking->fields, task, text);
    row->name = ascii ? sg_dump_rows_add_bytes(taking->dump, ascii, n)
                      : sg_dump_rows_add_text(taking->dump, text);
}

/* Set the row's state to ready or suspended, and what the task waits for. `end`: of its chain. */
static void read_wait(struct taking *taking, PyObject *task, const PyObject *end,
                      struct sg_dumped_task *row) {
    PyObject *waiter = sg_task_fields_waiter(&taking->fields, task);
    row->state = SG_TASK_READY;
    if (!waiter || !sg_task_fields_is_pending(&taking->fields, waiter))
        return;
    row->state = SG_TASK_SUSPENDED;
    row->awaited = (uintptr_t)waiter;
    row->since_mono_ns = sg_asyncio_waits_since(end);
    meet_type(taking, waiter);
    row->awaited_type = taking->last.name;
    if (!taking->fields.offsets)
        add_awaited(taking, task, waiter);
}

/* Add a task's row. Either `chain` has the task's frames, or `runs_it` is the thread that runs the
 * task and the frames are in that thread's stack. Returns false if the dump is full. */
static bool add_task(struct taking *taking, PyObject *task, const struct sg_await_chain *chain,
                     pid_t runs_it) {
    struct sg_thread_dump *dump = taking->dump;
    if (dump->tasks.n >= SG_MOST_TASKS || !SG_ROWS_RESERVE(&dump->tasks, 1)) {
        dump->is_whole = false;
        return false;
    }
    struct sg_dumped_task row = {.task = (uintptr_t)task, .tid = runs_it};
    if (sg_labels_list())
        row.labels = sg_labels_of_context(sg_task_fields_context(&taking->fields, task));
    if (chain)
        keep_chain(dump, chain, &row);
    /* A task without an await chain is running. asyncio does not list it as running while another
     * task, which it has started eagerly, runs inside it. */
    if (chain && !row.depth)
        row.tid = find_runner(taking, task);
    row.state = SG_TASK_RUNNING;
    if (!row.tid) {
        row.tid = tid_of(taking, task);
        read_wait(taking, task, chain ? chain->end : NULL, &row);
    }
    if (taking->fields.offsets)
        add_awaiters(taking, task);
    keep_name(taking, task, &row);
    sg_dump_creations_add(dump, task, &row);
    dump->tasks.at[dump->tasks.n++] = row;
    return true;
}

static bool visit_running(void *context, PyObject *const *tasks, size_t n) {
    struct taking *taking = context;
    for (size_t i = 0; i < n; i++) {
        PyObject *task = tasks[i];
        if (!sg_task_fields_is_task(&taking->fields, task) || is_seen(taking, task) ||
            !sg_task_fields_is_pending(&taking->fields, task))
            continue;
        pid_t tid = find_runner(taking, task);
        struct sg_dumped_thread *runner = tid ? sg_dump_threads_find(taking->dump, tid) : NULL;
        if (!runner)
            continue;
        runner->task = (uintptr_t)task;
        if (!sg_hash_table_add(&taking->dump->seen, (uintptr_t)task))
            taking->dump->is_whole = false;
        if (!taking->dump->is_whole || !add_task(taking, task, NULL, tid))
            return false;
    }
    return true;
}

static int64_t read_cpu_ns(void) { return (int64_t)sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

/* Prefetch what a task's row needs besides the task and its coroutines. */
static void prefetch(struct taking *taking, PyObject *task) {
    sg_prefetch(sg_task_fields_waiter(&taking->fields, task), FUTURE_BYTES);
    sg_prefetch(sg_task_fields_name_object(&taking->fields, task), NAME_BYTES);
    sg_dump_creations_prefetch(taking->dump, task);
}

static bool is_new(const struct taking *taking, PyObject *task) {
    return is_chosen(taking->dump, (uintptr_t)task) &&
           sg_task_fields_is_task(&taking->fields, task) && !is_seen(taking, task) &&
           sg_task_fields_is_pending(&taking->fields, task);
}

/* Extend the budget once the first new task was found. If skipping very many tasks of earlier
 * slices used it up, new tasks get the part of the budget that is reserved for them. */
static void allow_new_tasks(struct taking *taking) {
    if (!taking->least_new_ns)
        return;
    int64_t least_end_ns = read_cpu_ns() + taking->least_new_ns;
    if (taking->end_ns < least_end_ns)
        taking->end_ns = least_end_ns;
    taking->least_new_ns = 0;
}

/* Read a batch of tasks. Returns false if the time is over or the dump is full. */
static bool visit(void *context, PyObject *const *tasks, size_t n) {
    struct taking *taking = context;
    PyObject *new[SG_TASKS_AT_A_TIME];
    size_t n_new = 0;
    for (size_t i = 0; taking->dump->n_noted && i < n; i++)
        sg_hash_table_prefetch(&taking->dump->seen, (uintptr_t)tasks[i]);
    for (size_t i = 0; i < n; i++) {
        if (!is_new(taking, tasks[i]))
            continue;
        prefetch(taking, tasks[i]);
        taking->chains[n_new] = (struct sg_await_chain){
            .link = sg_task_fields_coroutine(&taking->fields, tasks[i]),
            .frames = taking->frames[n_new],
        };
        new[n_new++] = tasks[i];
    }
    if (!n_new)
        return true;
    allow_new_tasks(taking);
    sg_await_chain_read(taking->chains, n_new, MOST_DEPTH);
    for (size_t i = 0; i < n_new; i++)
        if (!add_task(taking, new[i], &taking->chains[i], 0))
            return false;
    if (++taking->n_batches % BATCHES_PER_CLOCK)
        return true;
    return read_cpu_ns() < taking->end_ns;
}

bool sg_dump_tasks_take(struct sg_thread_dump *dump, int64_t budget_ns) {
    static struct taking taking; /* guarded by the GIL; large for a thread's stack */
    taking.dump = dump;
    taking.end_ns = read_cpu_ns() + budget_ns;
    taking.least_new_ns = budget_ns / NEW_SHARE;
    taking.n_loops = taking.n_batches = 0;
    taking.last.type = NULL;
    sg_await_chain_begin();
    sg_task_fields_learn(&taking.fields);
    if (!taking.fields.task && !taking.fields.python_task) /* asyncio is not loaded */
        return true;
    if (dump->n_read) {
        sg_dump_seen_note(dump);
    } else {
        sg_task_lists_visit_running(taking.fields.offsets, visit_running, &taking);
        dump->n_noted = dump->tasks.n;
    }
    bool is_done = sg_task_lists_visit(taking.fields.offsets, visit, &taking) || !dump->is_whole;
    dump->n_read = dump->tasks.n;
    return is_done;
}
