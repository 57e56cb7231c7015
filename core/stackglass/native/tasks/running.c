/* Steps to the task of a thread:
 *
 *     learn    asyncio's type Task; the offsets of a task's coroutine and name
 *     find     from 3.14 on the thread state names the task; up to 3.13 the current task of each
 *              event loop is a candidate
 *     walk     the candidate whose frame is in the thread's stack is the task (frames/walk.c, or
 *              `walk` here if the stack is not walked otherwise)
 *     label    the task's name and the variables' values (name_row.h) ─▶ number
 *
 * The parameter `read` is the function that reads memory: in place with the GIL; by calls that
 * cannot fault without the GIL and, up to 3.13, until the offsets are proven; from outside by
 * system calls. */
#include "tasks/running.h"

#include <Python.h>

#include <stdatomic.h>
#include <string.h>

#include "frames/frame_fields.h"
#include "interpreter/calling_thread.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "interpreter/object_fields.h"
#include "interpreter/python_symbols.h"
#include "interpreter/python_text.h"
#include "labels/variables.h"
#include "platform/memory.h"
#include "platform/time.h"
#include "tasks/asyncio_offsets.h"
#include "tasks/coroutine_frames.h"
#include "tasks/current_tasks.h"
#include "tasks/name_row.h"
#include "tasks/names.h"

enum {
    MOST_BASES = 16, /* longest chain of base types that is searched for asyncio's Task */
    FIRST_MINOR_WITH_OFFSETS = 14,
    MOST_FRAMES = 1 << 14, /* bounds a search, as frames that change meanwhile may form a cycle */
};

/* Offset of the coroutine field in a task, by minor version; the name field follows it. From 3.14
 * on asyncio publishes its offsets.
 *
 * The program may have replaced asyncio's type by another one, so the offsets count as proven
 * (`is_proven`) only after a coroutine's frame was found in the stack. Until then memory is read by
 * calls that cannot fault. */
static const int32_t COROUTINE_AT[] = {[9] = 152, [10] = 160, [11] = 136, [12] = 136, [13] = 120};

/* Written under the GIL while `is_known` is false; then constant until it is false again. */
static PyTypeObject *task_type; /* owned */
static uintptr_t coroutine_type, generator_type, home;
static int32_t coroutine_at, name_at;
static int32_t task_of_thread; /* offset in a thread state; 0 = asyncio keeps tasks by event loop */

/* Lock-free. */
static _Atomic bool is_known, is_proven, wants_offsets;
static _Atomic uint64_t n_unknown;

/* ---- Learning ---- */

/* Take the offsets that asyncio publishes, from 3.14 on. */
static bool learn_offsets(void) {
    const struct sg_asyncio_offsets *offsets =
        sg_asyncio_offsets_get(sg_memory_load((uintptr_t)task_type + SG_TP_BASICSIZE));
    if (!offsets)
        return false;
    coroutine_at = offsets->coroutine;
    name_at = offsets->task_name;
    task_of_thread = offsets->thread_task;
    return true;
}

/* Take the offsets from COROUTINE_AT, and find the dictionary of current tasks, up to 3.13. */
static bool learn_table(void) {
    coroutine_at = COROUTINE_AT[sg_debug_offsets.minor];
    name_at = coroutine_at + 8;
    task_of_thread = 0;
    return (uint64_t)name_at + 8 <= sg_memory_load((uintptr_t)task_type + SG_TP_BASICSIZE) &&
           sg_current_tasks_learn();
}

void sg_running_tasks_learn(void) {
    if (!sg_task_names_prepare())
        sg_variables_learn();
    if (atomic_load(&is_known))
        return;
    PyObject *type = sg_python_text_global_type("_asyncio", "Task"); /* borrowed */
    if (!type)
        return;
    task_type = (PyTypeObject *)type;
    coroutine_type = (uintptr_t)sg_python_symbols_address("PyCoro_Type");
    generator_type = (uintptr_t)sg_python_symbols_address("PyGen_Type");
    home = (uintptr_t)sg_interpreter_home();
    bool has_offsets = sg_debug_offsets.minor >= FIRST_MINOR_WITH_OFFSETS;
    bool is_learned = has_offsets ? learn_offsets() : learn_table();
    atomic_store(&wants_offsets, has_offsets && !is_learned);
    if (!is_learned || !sg_coroutine_frames_prepare() || sg_task_names_prepare())
        return;
    Py_INCREF(type);
    atomic_store(&n_unknown, 0); /* counted from the beginning of a session */
    atomic_store(&is_known, true);
}

bool sg_running_tasks_want_offsets(void) {
    return atomic_load_explicit(&wants_offsets, memory_order_relaxed);
}

void sg_running_tasks_forget(void) {
    atomic_store(&wants_offsets, false);
    atomic_store(&is_proven, false);
    sg_variables_forget();
    if (!atomic_exchange(&is_known, false))
        return;
    Py_CLEAR(task_type);
    sg_current_tasks_forget();
}

void sg_running_tasks_after_fork_in_child(void) {
    atomic_store(&is_known, false);
    atomic_store(&is_proven, false);
    atomic_store(&wants_offsets, false);
    atomic_store(&n_unknown, 0);
    task_type = NULL;
    sg_variables_after_fork_in_child();
    sg_current_tasks_abandon();
    sg_task_names_discard();
}

uint64_t sg_running_tasks_n_unknown(void) { return atomic_load(&n_unknown); }

/* ---- Finding ---- */

static bool read_in_place(uintptr_t address, void *copy, size_t size) {
    memcpy(copy, (const void *)address, size);
    return true;
}

static bool read_word(sg_read_fn *read, uintptr_t address, uintptr_t *word) {
    return read(address, word, sizeof *word);
}

static bool is_task(uintptr_t object, sg_read_fn *read) {
    uintptr_t type;
    if (object % 8 || !read_word(read, object + SG_OB_TYPE, &type))
        return false;
    for (int i = 0; type && i < MOST_BASES; i++) {
        if (type == (uintptr_t)task_type)
            return true;
        if (!read_word(read, type + SG_TP_BASE, &type))
            return false;
    }
    return false;
}

/* Return the address of the frame of a task's coroutine; 0 if it has none or cannot be read. */
static uintptr_t frame_of(uintptr_t task, sg_read_fn *read) {
    uintptr_t coroutine, type;
    bool is_pointer;
    if (!read_word(read, task + (uintptr_t)coroutine_at, &coroutine) || coroutine % 8 ||
        !coroutine || !read_word(read, coroutine + SG_OB_TYPE, &type) ||
        (type != coroutine_type && type != generator_type))
        return 0;
    uintptr_t at = coroutine + (uintptr_t)sg_coroutine_frames_at(&is_pointer);
    return is_pointer && !read_word(read, at, &at) ? 0 : at;
}

/* Add a candidate, if it is a task with a known frame and there is room. */
static void add(uintptr_t task, sg_read_fn *read, struct sg_running_tasks *running) {
    uintptr_t frame = is_task(task, read) ? frame_of(task, read) : 0;
    if (!frame || running->wanted.n == SG_MOST_WANTED_FRAMES)
        return;
    running->tasks[running->wanted.n] = task;
    running->wanted.frames[running->wanted.n++] = frame;
}

/* Empty `running`. Returns false if no task can be found. */
static bool begin(const void *thread, struct sg_running_tasks *running) {
    running->wanted.n = running->wanted.found = 0;
    running->is_certain = running->is_unreadable = false;
    return thread && atomic_load_explicit(&is_known, memory_order_acquire);
}

void sg_running_tasks_find(const void *thread, sg_read_fn *read, struct sg_running_tasks *running) {
    uintptr_t interpreter, task, tasks[SG_MOST_WANTED_FRAMES];
    if (!begin(thread, running) ||
        !read_word(read, (uintptr_t)thread + (uintptr_t)sg_debug_offsets.thread_interp,
                   &interpreter) ||
        interpreter != home)
        return;
    if (!task_of_thread) {
        uint32_t n = sg_current_tasks_read(read, tasks, SG_MOST_WANTED_FRAMES);
        for (uint32_t i = 0; i < n; i++)
            add(tasks[i], read, running);
    } else if (!read_word(read, (uintptr_t)thread + (uintptr_t)task_of_thread, &task)) {
        running->is_unreadable = true;
    } else if (task) {
        running->tasks[0] = task;
        running->is_certain = is_task(task, read);
        /* the task is of a class written in Python */
        running->is_unreadable = !running->is_certain;
    }
}

static sg_read_fn *reader_with_gil(void) {
    bool is_safe = task_of_thread || atomic_load_explicit(&is_proven, memory_order_relaxed);
    return is_safe ? read_in_place : sg_memory_read_probed;
}

/* Return the function that reads the memory of a task of `thread`. Without the GIL other threads
 * may change that memory; from 3.14 on only the name can change. */
static sg_read_fn *reader_of(const void *thread) {
    return sg_calling_thread_has_gil(thread) ? reader_with_gil() : sg_memory_read_probed;
}

void sg_running_tasks_find_own(const void *thread, struct sg_running_tasks *running) {
    if (!begin(thread, running))
        return;
    if (task_of_thread || sg_calling_thread_has_gil(thread))
        sg_running_tasks_find(thread, reader_of(thread), running);
    else
        running->is_unreadable = sg_current_tasks_may_run(thread);
}

/* ---- Labels ---- */

static void put_task_name(struct sg_name_row *row, uintptr_t task, sg_read_fn *read) {
    sg_name_row_put_task(row, task + (uintptr_t)name_at, read);
    if (!row->is_unreadable) /* the coroutine's frame was found, and now a name at its offset */
        atomic_store_explicit(&is_proven, true, memory_order_relaxed);
}

/* Write the row of texts to the table, and return its number as a label. `read_task` reads the
 * task, `read` the variables. */
static uint32_t label(const void *thread, const struct sg_running_tasks *running,
                      sg_read_fn *read_task, sg_read_fn *read) {
    struct sg_name_row row;
    row.n = 0;
    row.is_numbered = false;
    row.is_unreadable = running->is_unreadable;
    bool is_running = running->is_certain || running->wanted.found;
    if (is_running)
        put_task_name(&row, running->tasks[running->is_certain ? 0 : running->wanted.found - 1],
                      read_task);
    if (thread && sg_variables_are_known())
        sg_name_row_put_variables(&row, thread, read);
    uint32_t number =
        row.n ? sg_task_names_put(row.bytes, row.n, row.is_numbered) : SG_NO_TASK_NAME;
    if (row.is_unreadable || (row.n && number == SG_NO_TASK_NAME))
        atomic_fetch_add_explicit(&n_unknown, 1, memory_order_relaxed);
    return number << SG_TASK_LABEL_SHIFT;
}

/* Values of variables are read in place: the thread's context keeps them. */
uint32_t sg_running_tasks_own_label(const void *thread, const struct sg_running_tasks *running) {
    bool has_task = running->is_certain || running->wanted.found || running->is_unreadable;
    if (!has_task && !sg_variables_are_known())
        return 0;
    if (!task_of_thread && running->wanted.found)
        sg_current_tasks_note(thread);
    return label(thread, running, has_task ? reader_of(thread) : read_in_place, read_in_place);
}

/* ---- Finding and labelling at once ---- */

/* Search the frames of a thread that waits in a call, or stands still, for the frame of a
 * candidate. */
static void walk(const void *thread, sg_read_fn *read, struct sg_wanted_frames *wanted) {
    uintptr_t frame;
    if (!read_word(read, (uintptr_t)thread + (uintptr_t)sg_debug_offsets.current_frame, &frame) ||
        (sg_debug_offsets.cframe_frame >= 0 && frame &&
         !read_word(read, frame + (uintptr_t)sg_debug_offsets.cframe_frame, &frame)))
        return;
    for (int n = 0; frame && n < MOST_FRAMES && !wanted->found; n++) {
        for (uint32_t i = 0; i < wanted->n && !wanted->found; i++)
            wanted->found = wanted->frames[i] == frame ? i + 1 : 0;
        if (frame % 8 || !read_word(read, frame + (uintptr_t)sg_debug_offsets.previous, &frame))
            return;
    }
}

static uint32_t label_of(const void *thread, sg_read_fn *read) {
    struct sg_running_tasks running;
    sg_running_tasks_find(thread, read, &running);
    if (running.wanted.n)
        walk(thread, read, &running.wanted);
    return label(thread, &running, read, read);
}

uint32_t sg_running_tasks_label_with_gil(const void *thread) {
    return label_of(thread, reader_with_gil());
}

uint32_t sg_running_tasks_label_outside(const void *thread, pid_t tid, uint64_t cpu_ns) {
    bool is_wanted =
        atomic_load_explicit(&is_known, memory_order_acquire) || sg_variables_are_known();
    if (!thread || !is_wanted)
        return 0;
    uint32_t found = label_of(thread, sg_memory_read_foreign);
    return sg_time_clock_ns(sg_time_thread_clock(tid)) == cpu_ns ? found : 0;
}
