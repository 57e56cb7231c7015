/* While an injected call runs in the target, its tracer must not end: the thread would return to
 * address 0 without a tracer to restore it. So the tracer is a small process that survives a
 * Ctrl-C, an exit or a kill of the attacher. It lives for milliseconds, or for as long as the
 * target's loader keeps it waiting. It has none of the attacher's descriptors: whatever reads the
 * attacher's output would wait for the end of the tracer, too.
 *
 *   caller ──pthread──▶ keeper ──vfork──▶ tracer
 *     │ waits, with a      │ asleep in      │ ptrace
 *     ◀──── result ────────◀── the kernel ──┘
 *     time-out
 *
 * The tracer shares the attacher's memory (CLONE_VM), because copying the page tables of a large
 * process took 60 ms a gigabyte. It uses the keeper's thread-local storage, which the keeper does
 * not use while it sleeps in vfork. */
#include "inject/tracer_process.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "inject/inject.h"
#include "inject/progress.h"
#include "inject/tracee.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum {
    STACK_SIZE = 256 * 1024,
    COPY_SIZE = 64 * 1024,
};
/* The calls in the target get GRACE_PARTS / OF_PARTS of the search's time-out, then PACE_PARTS /
 * OF_PARTS again and again while the thread makes progress; in all, with the search, MOST_TIMES the
 * time-out. */
enum { GRACE_PARTS = 3, PACE_PARTS = 1, OF_PARTS = 5, MOST_TIMES = 12 };
/* Time-out for reading filters, which takes long only if processors are busy. */
#define FILTERS_NS (INT64_C(20) * 1000 * 1000 * 1000)

/* All data that the keeper and the tracer use. They may use it after the caller has returned. */
struct sg_tracing {
    struct sg_injection injection;
    struct sg_injection_result result; /* written by tracer, then keeper; read once published */
    int is_published;                  /* a futex; 1 = the result is complete */
    int n_owners;                      /* caller and keeper; the last owner frees. Atomic */
    pid_t filters_of;                  /* read the filters of this thread; 0 = inject */
    struct sg_filters filters;         /* written by the tracer */
    size_t copied;                     /* bytes of `copy` in use */
    _Alignas(16) uint8_t copy[COPY_SIZE];
    _Alignas(16) uint8_t stack[STACK_SIZE];
};

/* Return a copy of `size` bytes that lives as long as `tracing`; NULL if there is no room. */
static void *keep(struct sg_tracing *tracing, const void *bytes, size_t size) {
    if (size > COPY_SIZE - tracing->copied) {
        return NULL;
    }
    void *place = tracing->copy + tracing->copied;
    memcpy(place, bytes, size);
    tracing->copied += (size + 15) & ~(size_t)15;
    return place;
}

static bool keep_request(struct sg_tracing *tracing, const struct sg_injection *given) {
    struct sg_injection *kept = &tracing->injection;
    *kept = *given;
    kept->threads = keep(tracing, given->threads, given->n_threads * sizeof *given->threads);
    kept->ranges = keep(tracing, given->ranges, given->n_ranges * sizeof *given->ranges);
    kept->library = keep(tracing, given->library, strlen(given->library) + 1);
    kept->symbol = keep(tracing, given->symbol, strlen(given->symbol) + 1);
    kept->arguments = keep(tracing, given->arguments, given->arguments_size);
    if (given->libpython != NULL) {
        kept->libpython = keep(tracing, given->libpython, strlen(given->libpython) + 1);
    }
    return kept->threads != NULL && kept->ranges != NULL && kept->library != NULL &&
           kept->symbol != NULL && kept->arguments != NULL &&
           (given->libpython == NULL || kept->libpython != NULL);
}

static void disown(struct sg_tracing *tracing) {
    if (__atomic_sub_fetch(&tracing->n_owners, 1, __ATOMIC_ACQ_REL) == 0) {
        munmap(tracing, sizeof *tracing);
    }
}

/* Close the copies of the attacher's descriptors; before Linux 5.9, of its standard streams. */
static void close_descriptors(void) {
    if (syscall(SYS_close_range, 0u, ~0u, 0u) == 0)
        return;
    for (int standard = 0; standard <= STDERR_FILENO; standard++)
        close(standard);
}

/* The tracer's main function. It must not wait for locks that a thread of the attacher may hold. */
static int trace(void *argument) {
    struct sg_tracing *tracing = argument;
    /* A process group of its own gets no signals of the terminal, nor of the attacher's process
     * group. A session of its own (setsid) would, too, but Linux schedules each session as a group
     * (autogroup): on a crowded machine the tracer then ran only after seconds, once after 35. */
    setpgid(0, 0);
    close_descriptors();
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* a nap of 50 us lasts 50 us, not 100 */
    if (tracing->filters_of != 0) {
        tracing->result.error = sg_filters_read(tracing->filters_of, &tracing->filters);
        tracing->result.status = SG_INJECT_DONE;
        return 0;
    }
    sg_inject(&tracing->injection, &tracing->result);
    return 0;
}

static void set_failure(struct sg_tracing *tracing, int error, const char *text) {
    tracing->result.status = SG_INJECT_SYSTEM;
    tracing->result.error = error;
    snprintf(tracing->result.text, sizeof tracing->result.text, "%s", text);
}

/* Calls in targets whose tracer is a thread of this process, and this process. Atomic. */
static int n_calling;
static pid_t own;

/* The process exits. A thread of it that traces a call ends, too, and the target would end when the
 * call returns: so this waits for the call. (A forked child has no such thread.) */
__attribute__((destructor)) static void await_own_calls(void) {
    enum { NAP_NS = 1000 * 1000 };
    while (__atomic_load_n(&n_calling, __ATOMIC_ACQUIRE) > 0 &&
           __atomic_load_n(&own, __ATOMIC_RELAXED) == getpid()) {
        sg_tracee_pause_ns(NAP_NS);
    }
}

static void *run_keeper(void *argument) {
    struct sg_tracing *tracing = argument;
    /* Without an exit signal, a program that waits for its children does not see the tracer. */
    int tracer = clone(trace, tracing->stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, tracing);
    if (tracer < 0) {
        set_failure(tracing, errno, "tracer");
    } else {
        waitpid(tracer, NULL, __WALL);
        if (tracing->result.status == SG_INJECT_RUNNING) {
            set_failure(tracing, 0, "the tracing process was killed");
        }
    }
    if (tracing->result.status == SG_INJECT_NOT_ALLOWED) {
        /* If only ancestors may trace (Yama, ptrace_scope 1): the tracer is no ancestor of the
         * target, but this process may be. Threads that remain seized are released when this
         * thread ends. A kill of this process in the middle of a call ends the target. Another
         * thread may be the target's parent, and waits for its end. */
        sg_tracee_leave_ended();
        memset(&tracing->result, 0, sizeof tracing->result);
        __atomic_store_n(&own, getpid(), __ATOMIC_RELAXED);
        tracing->injection.n_calling = &n_calling;
        sg_inject(&tracing->injection, &tracing->result);
    }
    __atomic_store_n(&tracing->is_published, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &tracing->is_published, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    disown(tracing);
    return NULL;
}

/* Start the keeper. Returns 0, or an errno. Keeper and tracer have all signals blocked. */
static int start_keeper(struct sg_tracing *tracing) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, &attributes, run_keeper, tracing);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

/* Wait until the result is published, at most `timeout_ns`. Returns whether it is. */
static bool await(struct sg_tracing *tracing, int64_t timeout_ns) {
    int64_t deadline_ns = sg_tracee_now_ns() + timeout_ns;
    while (!__atomic_load_n(&tracing->is_published, __ATOMIC_ACQUIRE)) {
        int64_t left_ns = deadline_ns - sg_tracee_now_ns();
        if (left_ns <= 0) {
            return false;
        }
        struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};
        syscall(SYS_futex, &tracing->is_published, FUTEX_WAIT_PRIVATE, 0, &left, NULL, 0);
    }
    return true;
}

/* Wait until the injection's result is published. Returns false if the thread sleeps in a call, or
 * if the injection takes too long. */
static bool await_injection(struct sg_tracing *tracing) {
    int64_t timeout_ns = tracing->injection.timeout_ns;
    int64_t most_ns = sg_tracee_now_ns() + MOST_TIMES * timeout_ns;
    struct sg_progress progress = {.pid = tracing->injection.pid};
    if (await(tracing, timeout_ns + GRACE_PARTS * timeout_ns / OF_PARTS))
        return true;
    while (sg_tracee_now_ns() < most_ns) {
        /* Before and after the calls, the tracer or the keeper waits for a processor: go on. */
        bool is_calling = __atomic_load_n(&tracing->result.is_calling, __ATOMIC_ACQUIRE);
        progress.thread = __atomic_load_n(&tracing->result.thread, __ATOMIC_RELAXED);
        if (is_calling && !sg_progress_is_made(&progress))
            return false;
        if (await(tracing, PACE_PARTS * timeout_ns / OF_PARTS))
            return true;
    }
    return false;
}

static struct sg_tracing *make_tracing(void) {
    struct sg_tracing *tracing = mmap(NULL, sizeof *tracing, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (tracing == MAP_FAILED) {
        return NULL;
    }
    tracing->n_owners = 2;
    return tracing;
}

int sg_tracer_process_read_filters(pid_t thread, struct sg_filters *filters) {
    struct sg_tracing *tracing = make_tracing();
    if (tracing == NULL) {
        return errno;
    }
    tracing->filters_of = thread;
    int error = start_keeper(tracing);
    if (error != 0) {
        munmap(tracing, sizeof *tracing);
        return error;
    }
    error = ETIMEDOUT;
    if (await(tracing, FILTERS_NS)) {
        error = tracing->result.status == SG_INJECT_DONE ? tracing->result.error : EIO;
        if (error == 0) {
            *filters = tracing->filters;
        }
    }
    disown(tracing);
    return error;
}

int sg_tracer_process_begin(const struct sg_injection *injection, struct sg_tracing **tracing) {
    struct sg_tracing *begun = make_tracing();
    if (begun == NULL) {
        return errno;
    }
    int error = keep_request(begun, injection) ? start_keeper(begun) : E2BIG;
    if (error != 0) {
        munmap(begun, sizeof *begun);
        return error;
    }
    *tracing = begun;
    return 0;
}

void sg_tracer_process_finish(struct sg_tracing *tracing, struct sg_injection_result *result) {
    if (await_injection(tracing)) {
        *result = tracing->result;
    } else {
        memset(result, 0, sizeof *result);
        result->status = SG_INJECT_RUNNING;
        result->thread = __atomic_load_n(&tracing->result.thread, __ATOMIC_RELAXED);
    }
    disown(tracing);
}

void sg_tracer_process_abandon(struct sg_tracing *tracing) { disown(tracing); }
