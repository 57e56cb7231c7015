/* The search for leaks: threads and tasks that nothing can ever wake.
 *
 *     roots ──▶ … ──▶ live objects              a thread waits for a live lock: it may be woken,
 *                                               and all that its frames refer to is live, too
 *     thread ──▶ frame ──▶ Queue ──▶ lock       else it is leaked
 *       ▲                               │
 *       └────────── waits for ──────────┘
 *
 * A task is leaked if nothing live refers to it: neither to cancel it nor to set the result of what
 * it awaits. Three kinds of references to a task or thread do not count: the lists that asyncio and
 * threading keep of all tasks and threads, the arguments that a Thread was started with, and the
 * engine's own weak references. An object with references that cannot be explained counts as live.
 * So each reported leak is a leak, but a leak may stay unreported.
 *
 * The result describes one moment, which ends when the caller releases the GIL. Caller holds it. */
#ifndef STACKGLASS_LEAKS_SEARCH_H
#define STACKGLASS_LEAKS_SEARCH_H

#include <Python.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread that waits for a lock without a timeout. */
struct sg_leak_thread {
    const void *thread; /* its PyThreadState */
    uint64_t ident;     /* pthread_t */
    const void *lock;   /* that it waits for */
    bool is_leaked;     /* the result */
};

struct sg_leak_task {
    PyObject *task; /* a pending, suspended task */
    bool is_leaked; /* the result */
};

struct sg_leak_search {
    struct sg_leak_thread *threads;
    size_t n_threads;
    struct sg_leak_task *tasks;
    size_t n_tasks;
    /* Results. */
    uint64_t n_objects;  /* in the graph */
    const char *problem; /* why there is no result, and is_leaked means nothing; NULL = there is */
};

/* Search, at most until the calling thread's CPU clock reads `end_cpu_ns`; with this clock, other
 * processes cannot cut a search short. Returns false if a collection is running: try again. */
bool sg_leak_search_run(struct sg_leak_search *search, int64_t end_cpu_ns);

#endif
