/* One section for each of the steps that dump_threads.h shows. */
#include "threads/dump_threads.h"

#include <Python.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/snapshot.h"
#include "frames/frame_fields.h"
#include "frames/outside_threads.h"
#include "frames/walk.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "interpreter/python_text.h"
#include "interpreter/thread_objects.h"
#include "labels/labels.h"
#include "platform/engine_threads.h"
#include "platform/memory.h"
#include "platform/prefetch.h"
#include "platform/thread_ids.h"
#include "platform/time.h"
#include "platform/vector.h"
#include "threads/text_copy.h"

enum {
    THREADS_AT_A_TIME = 16, /* stacks that are prefetched together; then the clock is read */
    MOST_FETCHED = 64,      /* frames of a stack that are prefetched */
};

/* ---- What the system says ---- */

struct sg_sleeper *sg_dump_threads_list_sleepers(size_t *n) {
    struct sg_sleeper *sleepers = sg_futex_sleepers_list(n);
    if (sleepers)
        qsort(sleepers, *n, sizeof *sleepers, sg_thread_ids_compare);
    return sleepers;
}

const struct sg_sleeper *sg_dump_threads_find_sleeper(const struct sg_sleeper *sleepers, size_t n,
                                                      pid_t tid) {
    struct sg_sleeper key = {.tid = tid};
    return n ? bsearch(&key, sleepers, n, sizeof key, sg_thread_ids_compare) : NULL;
}

/* ---- Stacks ---- */

/* Walk the thread of `row`, and append its frames to the dump's. Returns false if memory runs
 * out. */
static bool keep_frames(struct sg_thread_dump *dump, struct sg_dumped_thread *row,
                        enum sg_walked what) {
    uint32_t depth;
    const struct sg_frame *frames = sg_snapshot_walk(row->thread, what, &depth);
    if (!SG_ROWS_RESERVE(&dump->frames, depth))
        return false;
    if (depth)
        memcpy(dump->frames.at + dump->frames.n, frames, depth * sizeof *frames);
    row->first_frame = (uint32_t)dump->frames.n;
    row->depth = depth;
    dump->frames.n += depth;
    return true;
}

static void add_early_tid(void *context, pid_t tid, uintptr_t thread) {
    struct sg_thread_dump *dump = context;
    struct sg_early_tid early = {.thread = thread};
    uintptr_t at = thread + (uintptr_t)sg_debug_offsets.thread_id;
    if (tid && sg_memory_read_foreign(at, &early.pthread, sizeof early.pthread))
        early.tid = sg_thread_ids_of(early.pthread);
    if (early.tid > 0)
        (void)SG_ROWS_ADD(&dump->early_tids, early);
}

void sg_dump_threads_list_tids(struct sg_thread_dump *dump) {
    if (sg_debug_offsets.native_thread_id < 0)
        sg_outside_threads_each(add_early_tid, dump);
}

/* Return the tid of a thread of the engine's interpreter, and its CPU time. A tid that was read
 * before the slice counts if the state has the same pthread_t, and the tid still has a clock: then
 * the thread has not ended since. */
static pid_t find_tid(struct sg_thread_dump *dump, const void *thread, uint64_t *cpu_ns) {
    enum { MOST_PASSED = 16 }; /* states that were freed since */
    for (size_t i = dump->n_matched; i < dump->early_tids.n && i < dump->n_matched + MOST_PASSED;
         i++) {
        const struct sg_early_tid *early = &dump->early_tids.at[i];
        if (early->thread != (uintptr_t)thread)
            continue;
        dump->n_matched = i + 1;
        uintptr_t at = (uintptr_t)thread + (uintptr_t)sg_debug_offsets.thread_id;
        if (sg_memory_load(at) == early->pthread &&
            sg_time_read(sg_time_thread_clock(early->tid), cpu_ns))
            return early->tid;
        break;
    }
    return sg_snapshot_tid_at_home(thread, cpu_ns);
}

static void add(struct sg_thread_dump *dump, const void *thread, bool is_own,
                uint32_t interpreter) {
    uint64_t cpu_ns = SG_NO_CPU_CLOCK;
    pid_t tid = is_own ? find_tid(dump, thread, &cpu_ns) : sg_snapshot_tid(thread);
    if (!tid || sg_engine_threads_has(tid))
        return;
    if (!SG_ROWS_RESERVE(&dump->threads, 1)) {
        dump->is_whole = false;
        return;
    }
    struct sg_dumped_thread *row = &dump->threads.at[dump->threads.n];
    *row = (struct sg_dumped_thread){
        .tid = tid,
        .cpu_ns = is_own ? cpu_ns : sg_futex_sleepers_clock(tid),
        .thread = thread,
        .call = -1,
        .interpreter = interpreter,
        .is_at_home = is_own,
        .labels = is_own ? sg_labels_of_caller(thread) : SG_NO_LABELS,
    };
    /* The threads of the engine's interpreter stand still, because they do not have the GIL. */
    if (keep_frames(dump, row, is_own ? SG_WALK_WAITER : SG_WALK_FOREIGN))
        dump->threads.n++;
    else
        dump->is_whole = false;
}

/* Prefetch the frames of several threads, one frame of each in turn. So the processor waits for the
 * memory of all threads at once, not for one after the other. */
static void prefetch_stacks(void *const *threads, size_t n) {
    uintptr_t frames[THREADS_AT_A_TIME];
    bool is_any = true;
    for (size_t i = 0; i < n; i++)
        frames[i] = sg_frame_fields_innermost(threads[i]);
    for (int depth = 0; is_any && depth < MOST_FETCHED; depth++) {
        is_any = false;
        for (size_t i = 0; i < n; i++) {
            if (!frames[i])
                continue;
            frames[i] = sg_memory_load(frames[i] + (uintptr_t)sg_debug_offsets.previous);
            sg_prefetch((const void *)frames[i], (size_t)sg_debug_offsets.frame_bytes);
            is_any = true;
        }
    }
}

static bool is_late(int64_t end_ns) {
    return (int64_t)sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) >= end_ns;
}

/* Read threads of the engine's interpreter. They stand still and none ends, because the caller
 * holds their GIL. Returns true if all are read. */
static bool take_home(struct sg_thread_dump *dump, void *home, uint32_t number, int64_t end_ns) {
    void *thread = sg_interpreter_thread(home), *threads[THREADS_AT_A_TIME];
    while (thread) {
        size_t n = 0;
        for (; thread && n < THREADS_AT_A_TIME; thread = sg_interpreters_next_at_home(thread)) {
            if (sg_interpreters_id_at_home(thread) < dump->next_id)
                threads[n++] = thread;
        }
        prefetch_stacks(threads, n);
        for (size_t i = 0; i < n; i++) {
            dump->next_id = sg_interpreters_id_at_home(threads[i]);
            add(dump, threads[i], true, number);
        }
        if (is_late(end_ns))
            return !thread;
    }
    return true;
}

/* Read threads of another interpreter, which may run meanwhile. Returns true if all are read. */
static bool take_foreign(struct sg_thread_dump *dump, void *interp, uint32_t number,
                         int64_t end_ns) {
    uint32_t n = 0, n_most = sg_interpreters_most_threads(interp);
    for (void *thread = sg_interpreter_thread(interp); thread && n < n_most;
         thread = sg_interpreter_next_thread(thread), n++) {
        uint64_t id = sg_interpreters_id_of(thread);
        if (id >= dump->next_id)
            continue;
        dump->next_id = id;
        add(dump, thread, false, number);
        if (n % THREADS_AT_A_TIME == 0 && is_late(end_ns))
            return false;
    }
    return true;
}

/* Read threads of `interp`, the interpreter `number`. Returns true if all are read. */
static bool take_of(struct sg_thread_dump *dump, void *interp, uint32_t number, int64_t end_ns) {
    bool is_done = sg_interpreters_is_home_interpreter(interp)
                       ? take_home(dump, interp, number, end_ns)
                       : take_foreign(dump, interp, number, end_ns);
    if (is_done)
        dump->next_id = UINT64_MAX;
    return is_done;
}

/* ---- Rows ---- */

struct sg_dumped_thread *sg_dump_threads_find(const struct sg_thread_dump *dump, pid_t tid) {
    struct sg_dumped_thread key = {.tid = tid}, *row = NULL;
    if (dump->threads.n)
        row = bsearch(&key, dump->threads.at, dump->threads.n, sizeof key, sg_thread_ids_compare);
    while (row && row > dump->threads.at && row[-1].tid == tid)
        row--;
    return row;
}

struct sg_dumped_thread *sg_dump_threads_find_state(const struct sg_thread_dump *dump, pid_t tid,
                                                    const void *thread) {
    struct sg_dumped_thread *first = sg_dump_threads_find(dump, tid);
    const struct sg_dumped_thread *end = dump->threads.at + dump->threads.n;
    for (struct sg_dumped_thread *row = first; row && row < end && row->tid == tid; row++) {
        if (row->thread == thread)
            return row;
    }
    return first;
}

/* Compare by tid; among the rows of one thread, that of the engine's interpreter is the first. */
static int compare_rows(const void *one, const void *other) {
    const struct sg_dumped_thread *left = one, *right = other;
    if (left->tid != right->tid)
        return sg_thread_ids_compare(left, right);
    if (left->is_at_home != right->is_at_home)
        return right->is_at_home - left->is_at_home;
    return (left->interpreter > right->interpreter) - (left->interpreter < right->interpreter);
}

/* Remove the rows of other interpreters in which a thread of the engine's does nothing: up to 3.12
 * each interpreter keeps a state of the thread that has created it. */
static void drop_idle_doubles(struct sg_thread_dump *dump) {
    struct sg_dumped_thread *rows = dump->threads.at;
    size_t n = 0;
    for (size_t i = 0; i < dump->threads.n; i++) {
        bool is_double = n && rows[n - 1].tid == rows[i].tid && !rows[i].is_at_home;
        if (!is_double || rows[i].depth)
            rows[n++] = rows[i];
    }
    dump->threads.n = n;
}

/* Sort the rows. Lists begin with the newest thread, and most tids rise with time, so the rows
 * usually need only be reversed. */
static void sort(struct sg_thread_dump *dump) {
    struct sg_dumped_thread *rows = dump->threads.at;
    size_t n = dump->threads.n, at = 1;
    while (at < n && rows[at - 1].tid > rows[at].tid)
        at++;
    if (at < n) {
        qsort(rows, n, sizeof *rows, compare_rows);
        drop_idle_doubles(dump);
        return;
    }
    for (size_t i = 0; i < n / 2; i++) {
        struct sg_dumped_thread row = rows[i];
        rows[i] = rows[n - 1 - i];
        rows[n - 1 - i] = row;
    }
}

bool sg_dump_threads_take(struct sg_thread_dump *dump, int64_t end_ns) {
    uint32_t n_interpreters = sg_interpreters_count();
    int n = 0;
    sg_walk_new_epoch();
    for (void *interp = sg_interpreter_first(); interp && n_interpreters--;
         interp = sg_interpreter_next(interp)) {
        if (n++ < dump->n_interpreters)
            continue;
        /* The list begins with the newest interpreter and ends with the main one, which is 0. */
        if (!take_of(dump, interp, n_interpreters, end_ns))
            return false;
        dump->n_interpreters = n;
    }
    sort(dump);
    return true;
}

/* ---- Names ---- */

struct thread_keys {
    PyObject *native_id, *name, *daemonic;
};

/* gevent lists its greenlets as threads with the main thread's id. The main thread comes first, so
 * later names for its row are ignored. */
static void name_thread(struct sg_thread_dump *dump, PyObject *thread,
                        const struct thread_keys *keys) {
    PyObject *native_id = sg_python_text_stored_attribute(thread, keys->native_id);
    PyObject *name = sg_python_text_stored_attribute(thread, keys->name);
    PyObject *daemonic = sg_python_text_stored_attribute(thread, keys->daemonic);
    long number = native_id && PyLong_Check(native_id) ? PyLong_AsLong(native_id) : 0;
    struct sg_dumped_thread *row = number > 0 ? sg_dump_threads_find(dump, (pid_t)number) : NULL;
    if (!row && sg_thread_objects_is_first(thread))
        row = sg_dump_threads_find(dump, getpid());
    if (row && !row->name && name && PyUnicode_Check(name)) {
        char text[SG_TEXT_COPY_BYTES];
        sg_text_copy_put(name, text);
        row->name = sg_dump_rows_add_text(dump, text);
        if (daemonic && PyBool_Check(daemonic))
            row->daemon = daemonic == Py_True ? SG_DAEMON_YES : SG_DAEMON_NO;
    }
    PyErr_Clear();
    Py_XDECREF(native_id);
    Py_XDECREF(name);
    Py_XDECREF(daemonic);
}

/* A slice passes over as many threads as the slices before have named. If threads end between two
 * slices, others come forward to their places and are passed over, so names that took several
 * slices are read a second time. */
bool sg_dump_threads_name(struct sg_thread_dump *dump, int64_t end_ns) {
    PyObject *active = sg_python_text_global("threading", "_active"); /* borrowed */
    PyObject *ident, *thread;
    Py_ssize_t at = 0;
    size_t n = 0;
    bool goes_on = true;
    struct thread_keys keys = {
        .native_id = PyUnicode_InternFromString("_native_id"),
        .name = PyUnicode_InternFromString("_name"),
        .daemonic = PyUnicode_InternFromString("_daemonic"),
    };
    while (goes_on && active && PyDict_Check(active) && PyDict_Next(active, &at, &ident, &thread)) {
        if (n++ < dump->n_named)
            continue;
        name_thread(dump, thread, &keys);
        goes_on = ++dump->n_named % THREADS_AT_A_TIME || !is_late(end_ns);
    }
    if (!goes_on) {
        dump->is_naming_split = true;
    } else if (dump->is_naming_split && !dump->is_naming_again) {
        dump->is_naming_again = true;
        dump->n_named = 0;
        goes_on = false;
    }
    PyErr_Clear();
    Py_XDECREF(keys.native_id);
    Py_XDECREF(keys.name);
    Py_XDECREF(keys.daemonic);
    return goes_on;
}

/* ---- States ---- */

/* A reading of /proc fits the stack if the thread's CPU clock is the same in both, because then it
 * has not run in between. If neither reading fits, the earlier one is used, which is a few
 * milliseconds older than the stack. */
void sg_dump_threads_settle(struct sg_thread_dump *dump) {
    size_t n_after;
    struct sg_sleeper *after = sg_dump_threads_list_sleepers(&n_after);
    for (size_t i = 0; i < dump->threads.n; i++) {
        struct sg_dumped_thread *row = &dump->threads.at[i];
        const struct sg_sleeper *before =
            sg_dump_threads_find_sleeper(dump->sleepers, dump->n_sleepers, row->tid);
        const struct sg_sleeper *later = sg_dump_threads_find_sleeper(after, n_after, row->tid);
        bool is_before = before && before->cpu_ns == row->cpu_ns;
        bool is_later = later && later->cpu_ns == row->cpu_ns;
        const struct sg_sleeper *seen = is_before ? before : is_later ? later : before;
        if (!seen)
            seen = later;
        if (!seen)
            continue;
        row->state = sg_thread_states_of(seen);
        row->call = seen->call < 0 ? -1 : seen->call;
    }
    free(after);
}
