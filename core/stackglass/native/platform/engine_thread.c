/* The start of an engine thread, its first and last actions, and its join. */
#include "platform/engine_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/engine_threads.h"
#include "platform/futex.h"
#include "platform/memory.h"
#include "platform/permitted_calls.h"
#include "platform/thread_arena.h"
#include "platform/thread_ids.h"
#include "platform/time.h"

enum {
    GUARD_BYTES = 64 * 1024, /* the largest page size of the supported machines */
    POLL_NS = 50 * 1000,
};
static const int64_t END_NS =
    INT64_C(1000) * 1000 * 1000; /* wait no longer: another thread may have its tid by then */

/* Written before the first thread starts; read by that thread. */
static struct sg_first_thread first;
static _Atomic pid_t first_tid; /* lock-free; 0 = none; kept for a while after the thread's end */

/* The thread inherits the policy of the program's thread that started it. With real-time priority
 * it could keep a thread that it waits for from running, for good. Later engine threads inherit
 * from this one. */
static void leave_real_time(void) {
    if (!sg_permitted_calls_may(SG_CALL_SCHEDULER))
        return;
    int policy = sched_getscheduler(0);
    const struct sched_param ordinary = {0};
    if (policy == SCHED_FIFO || policy == SCHED_RR)
        sched_setscheduler(0, SCHED_OTHER, &ordinary);
}

static void run_named(void (*run)(void)) {
    sg_permitted_calls_name_thread();
    sg_engine_threads_enter();
    run();
    sg_engine_threads_leave();
}

static void leave_arena(void *unused) {
    (void)unused;
    sg_thread_arena_leave();
}

/* The thread's function. Up to 3.13 Python ends a thread that takes the GIL while the interpreter
 * ends, so `run` may never return. The cleanup handler leaves the arena even then: otherwise the C
 * library would count one thread too few in it, and abort the program when the next thread ends. */
static void *run_joined(void *argument) {
    struct sg_engine_thread *started = argument;
    sg_thread_arena_enter();
    atomic_store(&started->tid, sg_thread_ids_own());
    pthread_cleanup_push(leave_arena, NULL);
    run_named(started->run);
    pthread_cleanup_pop(1);
    return NULL;
}

static void *run_first(void *unused) {
    sg_thread_arena_enter();
    pthread_cleanup_push(leave_arena, NULL);
    atomic_store(&first_tid, sg_thread_ids_own());
    sg_permitted_calls_begin(first.calls);
    leave_real_time();
    run_named(first.run);
    pthread_cleanup_pop(1);
    first.ended();
    sg_engine_threads_expect(-1);
    return unused;
}

/* Start a thread with all signals blocked. Returns 0 or errno. */
static int start(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                 void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    sg_engine_threads_expect(1);
    int failed = pthread_create(thread, attributes, run, argument);
    if (failed)
        sg_engine_threads_expect(-1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

int sg_engine_thread_start(struct sg_engine_thread *started, void (*run)(void),
                           size_t stack_bytes) {
    pthread_attr_t attributes;
    started->run = run;
    atomic_init(&started->tid, 0);
    started->stack_bytes = stack_bytes + GUARD_BYTES;
    started->stack = sg_memory_map(started->stack_bytes);
    if (!started->stack)
        return errno; /* of mmap */
    pthread_attr_init(&attributes);
    int failed = mprotect(started->stack, GUARD_BYTES, PROT_NONE) ? errno : 0;
    if (!failed)
        failed =
            pthread_attr_setstack(&attributes, (char *)started->stack + GUARD_BYTES, stack_bytes);
    if (!failed)
        failed = start(&started->thread, &attributes, run_joined, started);
    pthread_attr_destroy(&attributes);
    if (failed)
        sg_memory_unmap(started->stack, started->stack_bytes);
    return failed;
}

const char *sg_engine_thread_explain(int error) {
    switch (error) {
    case EAGAIN:
        return "a limit on threads is reached (ulimit -u of the program's user, or pids.max of its "
               "control group); end other threads or raise the limit";
    case ENOMEM:
        return "there is no memory for it; a limit on the address space (ulimit -v) may be raised";
    default:
        return "a system call filter or a sandbox forbids it";
    }
}

static bool has_thread(pid_t tid) {
    char path[sizeof "/proc/self/task/" + 10];
    struct stat task;
    snprintf(path, sizeof path, "/proc/self/task/%d", (int)tid);
    /* The system call itself: glibc exports stat only from 2.33 on. */
    return syscall(SYS_newfstatat, AT_FDCWD, path, &task, 0) == 0;
}

/* Polls after pthread_join: the kernel wakes the joiner before it removes the thread's entry from
 * /proc/self/task. */
void sg_engine_thread_join(struct sg_engine_thread *started) {
    pthread_join(started->thread, NULL);
    int64_t joined_ns = sg_time_mono_ns();
    while (has_thread(atomic_load(&started->tid)) && sg_time_mono_ns() - joined_ns < END_NS)
        sg_futex_sleep_ns(POLL_NS);
    sg_engine_threads_expect(-1);
    sg_memory_unmap(started->stack, started->stack_bytes);
}

int sg_engine_thread_start_first(const struct sg_first_thread *wanted) {
    pthread_attr_t attributes;
    pthread_t thread;
    first = *wanted;
    sg_thread_arena_learn();
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, first.stack_bytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int failed = start(&thread, &attributes, run_first, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}

bool sg_engine_thread_first_exists(void) {
    pid_t tid = atomic_load(&first_tid);
    if (tid && has_thread(tid))
        return true;
    atomic_compare_exchange_strong(&first_tid, &tid, 0);
    return false;
}

void sg_engine_thread_sleep_exactly(void) {
    if (sg_permitted_calls_may(SG_CALL_OTHERS))
        prctl(PR_SET_TIMERSLACK, 1UL);
}
