/* Three steps: note the blocked threads, search from their locks and from the suspended tasks, and
 * unmark the threads that have run since. */
#include "threads/dump_leaks.h"

#include <Python.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/snapshot.h"
#include "interpreter/debug_offsets.h"
#include "interpreter/interpreters.h"
#include "leaks/search.h"
#include "locks/hooks.h"
#include "locks/waits.h"
#include "platform/memory.h"
#include "platform/time.h"
#include "platform/vector.h"
#include "tasks/asyncio_offsets.h"
#include "threads/dump_threads.h"
#include "threads/task_fields.h"
#include "threads/task_lists.h"
#include "waits/preattach_waits.h"

/* Limit of the search's CPU time. The GIL is held for as long, or longer if other processes take
 * the processor. */
static const int64_t MOST_CPU_NS = INT64_C(2) * 1000 * 1000 * 1000;

/* No search is possible during a collection, and a collection lasts as long as the finalizers that
 * it runs: one that blocks has no end. */
enum { MOST_TRIES = 20 };
static const int64_t PAUSE_NS = INT64_C(100) * 1000 * 1000;

/* A thread that is blocked in a futex without a timeout. */
struct sg_still_thread {
    pid_t tid;
    uintptr_t futex;
    struct sg_rest rest;
    const void *thread; /* its PyThreadState; NULL = the engine's interpreter has none */
    const void *lock;   /* NULL = not known */
};

/* ---- Threads that rest ---- */

void sg_dump_leaks_begin(struct sg_thread_dump *dump) {
    for (size_t i = 0; i < dump->n_sleepers; i++) {
        const struct sg_sleeper *sleeper = &dump->sleepers[i];
        struct sg_still_thread still = {.tid = sleeper->tid, .futex = sleeper->futex};
        /* Signals wake the main thread, because it runs their handlers. */
        if (!still.futex || still.tid == getpid() ||
            !sg_futex_sleepers_read_rest(still.tid, &still.rest) || still.rest.is_timed)
            continue;
        if (!SG_ROWS_ADD(&dump->still, still)) {
            dump->leak_problem = "memory ran out";
            return;
        }
    }
}

void sg_dump_leaks_settle(struct sg_thread_dump *dump) {
    for (size_t i = 0; i < dump->still.n; i++) {
        const struct sg_still_thread *still = &dump->still.at[i];
        struct sg_dumped_thread *row = sg_dump_threads_find(dump, still->tid);
        struct sg_rest rest;
        if (row && row->is_leaked)
            row->is_leaked = sg_futex_sleepers_read_rest(still->tid, &rest) &&
                             sg_futex_sleepers_rest_equals(&still->rest, &rest);
    }
}

static struct sg_still_thread *find_still(const struct sg_thread_dump *dump, pid_t tid) {
    for (size_t i = 0; tid && i < dump->still.n; i++) {
        if (dump->still.at[i].tid == tid)
            return &dump->still.at[i];
    }
    return NULL;
}

/* ---- What they wait for ---- */

/* Keep the lock of a recorded wait. A join waits for the end of a thread, so it has no lock to
 * search for. */
static void keep_known_lock(void *context, uint32_t entry, const struct sg_lock_wait *wait) {
    struct sg_still_thread *still = find_still(context, wait->tid);
    (void)entry;
    if (still && still->thread == wait->thread)
        still->lock = wait->primitive == SG_PRIMITIVE_THREAD_JOIN ? NULL : wait->lock;
}

static void find_lock(struct sg_still_thread *still) {
    struct sg_lock_wait wait = {.tid = still->tid};
    if (sg_preattach_waits_find(still->thread, still->futex, &wait) &&
        wait.primitive != SG_PRIMITIVE_THREAD_JOIN)
        still->lock = wait.lock;
}

static void find_locks(struct sg_thread_dump *dump) {
    for (size_t i = 0; i < dump->still.n; i++)
        dump->still.at[i].thread = dump->still.at[i].lock = NULL;
    for (void *thread = sg_interpreter_thread(sg_interpreter_home()); thread;
         thread = sg_interpreter_next_thread(thread)) {
        struct sg_still_thread *still = find_still(dump, sg_snapshot_tid(thread));
        if (still && sg_futex_sleepers_rests(still->tid, still->rest.cpu_ns))
            still->thread = thread;
    }
    for (size_t i = 0; i < dump->still.n; i++) {
        if (dump->still.at[i].thread)
            find_lock(&dump->still.at[i]);
    }
    sg_lock_waits_visit(keep_known_lock, dump);
}

static struct sg_leak_thread *list_threads(struct sg_thread_dump *dump, size_t *n) {
    struct sg_leak_thread *threads = calloc(dump->still.n + 1, sizeof *threads);
    *n = 0;
    for (size_t i = 0; threads && i < dump->still.n; i++) {
        const struct sg_still_thread *still = &dump->still.at[i];
        if (!still->thread || !still->lock)
            continue;
        threads[(*n)++] = (struct sg_leak_thread){
            .thread = still->thread,
            .ident =
                sg_memory_load((uintptr_t)still->thread + (uintptr_t)sg_debug_offsets.thread_id),
            .lock = still->lock,
        };
    }
    return threads;
}

/* ---- Tasks that are suspended now ---- */

struct listing {
    struct sg_task_fields fields;
    struct SG_ROWS_OF(struct sg_leak_task) tasks; /* freed by sg_dump_leaks_take */
    bool is_failed;
};

static bool list_task(struct listing *listing, PyObject *task) {
    PyObject *waiter = sg_task_fields_is_task(&listing->fields, task) &&
                               sg_task_fields_is_pending(&listing->fields, task)
                           ? sg_task_fields_waiter(&listing->fields, task)
                           : NULL;
    if (!waiter || !sg_task_fields_is_pending(&listing->fields, waiter))
        return true;
    listing->is_failed |= !SG_ROWS_ADD(&listing->tasks, (struct sg_leak_task){.task = task});
    return !listing->is_failed;
}

static bool visit(void *context, PyObject *const *tasks, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!list_task(context, tasks[i]))
            return false;
    return true;
}

static void list_tasks(struct listing *listing) {
    sg_task_fields_learn(&listing->fields);
    if (listing->fields.task || listing->fields.python_task)
        sg_task_lists_visit(listing->fields.offsets, visit, listing);
}

/* ---- The search ---- */

static int compare_tasks(const void *one, const void *other) {
    uintptr_t left = (uintptr_t)((const struct sg_leak_task *)one)->task;
    uintptr_t right = (uintptr_t)((const struct sg_leak_task *)other)->task;
    return (left > right) - (left < right);
}

/* Write the name of a task to `text`. asyncio builds the default name "Task-N" at its first use:
 * before and after that the text is the same. */
static void spell_name(char text[SG_TEXT_COPY_BYTES], int64_t number, const char *name) {
    if (number)
        snprintf(text, SG_TEXT_COPY_BYTES, "Task-%" PRId64, number);
    else
        snprintf(text, SG_TEXT_COPY_BYTES, "%s", name);
}

/* Whether a row, which an earlier slice may have read, is of `task`: the row's task may have ended
 * since, and its address may have become another task's. */
static bool is_row_of(const struct sg_thread_dump *dump, const struct sg_dumped_task *row,
                      struct sg_task_fields *fields, PyObject *task) {
    char name[SG_TEXT_COPY_BYTES], now[SG_TEXT_COPY_BYTES], then[SG_TEXT_COPY_BYTES];
    int64_t number = sg_task_fields_name(fields, task, name);
    spell_name(now, number, name);
    spell_name(then, row->number, row->name ? dump->texts.at + row->name : "");
    return row->state == SG_TASK_SUSPENDED && !strcmp(now, then);
}

static void keep_results(struct sg_thread_dump *dump, struct sg_task_fields *fields,
                         const struct sg_leak_search *search) {
    for (size_t i = 0; i < search->n_threads; i++) {
        struct sg_dumped_thread *row =
            search->threads[i].is_leaked
                ? sg_dump_threads_find(dump, sg_snapshot_tid(search->threads[i].thread))
                : NULL;
        if (row)
            row->is_leaked = true;
    }
    if (search->n_tasks)
        qsort(search->tasks, search->n_tasks, sizeof *search->tasks, compare_tasks);
    for (size_t i = 0; search->n_tasks && i < dump->tasks.n; i++) {
        struct sg_dumped_task *row = &dump->tasks.at[i];
        struct sg_leak_task key = {.task = (PyObject *)row->task};
        const struct sg_leak_task *found =
            bsearch(&key, search->tasks, search->n_tasks, sizeof key, compare_tasks);
        row->is_leaked = found && found->is_leaked && is_row_of(dump, row, fields, found->task);
    }
}

bool sg_dump_leaks_take(struct sg_thread_dump *dump) {
    static struct listing listing; /* guarded by the GIL */
    int64_t start_ns = sg_time_mono_ns();
    struct sg_leak_search search = {0};
    if (dump->leak_problem)
        return true;
    if (!sg_lock_hooks_are_installed()) {
        dump->leak_problem = "locks could not be hooked";
        return true;
    }
    listing = (struct listing){0};
    list_tasks(&listing);
    find_locks(dump);
    search.threads = list_threads(dump, &search.n_threads);
    search.tasks = listing.tasks.at;
    search.n_tasks = listing.tasks.n;
    bool is_done = true;
    if (listing.is_failed || !search.threads)
        search.problem = "memory ran out";
    else
        is_done = sg_leak_search_run(&search, (int64_t)sg_time_clock_ns(CLOCK_THREAD_CPUTIME_ID) +
                                                  MOST_CPU_NS);
    if (!is_done && ++dump->n_leak_tries >= MOST_TRIES) {
        search.problem = "a garbage collection was running all the time";
        is_done = true;
    }
    dump->leaks_due_mono_ns = is_done ? 0 : sg_time_mono_ns() + PAUSE_NS;
    if (is_done && !search.problem)
        keep_results(dump, &listing.fields, &search);
    dump->leak_problem = search.problem;
    dump->n_leak_objects = search.n_objects;
    dump->leak_ns = sg_time_mono_ns() - start_ns;
    free(search.threads);
    free(search.tasks);
    return is_done;
}
