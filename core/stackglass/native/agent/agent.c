/* The agent's life: see agent.h. */
#include "agent/agent.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "agent/after_fork.h"
#include "agent/program_requests.h"
#include "agent/self_profile.h"
#include "agent/writer.h"
#include "cpu/cpu.h"
#include "platform/engine_stack.h"
#include "platform/engine_threads.h"
#include "platform/failure.h"
#include "platform/futex.h"
#include "platform/permitted_calls.h"
#include "platform/thread_arena.h"
#include "platform/time.h"
#include "worker/exit_hook.h"
#include "worker/gil_worker.h"

enum { STACK_BYTES = 1 << 20, WRITER_STACK_BYTES = 512 * 1024, EXIT_WAIT_NS = 500 * 1000 * 1000 };

_Atomic int stackglass_failure[2];

/* Lock-free. */
static _Atomic int state;       /* enum sg_agent_state */
static _Atomic bool is_exiting; /* of the interpreter */
static _Atomic bool is_profiling;
static _Atomic bool has_left;     /* the writer has said Bye */
static _Atomic int late_state;    /* 0 = none, 1 = being written, 2 = there */
static struct sg_arguments late;  /* guarded by late_state */
static struct sg_arguments begun; /* written by who made the state PRESENT, before any thread */
static sg_wakeup changes;

enum sg_agent_state sg_agent_state(void) { return (enum sg_agent_state)atomic_load(&state); }

void sg_agent_notify(void) { sg_futex_wake(&changes); }

void sg_agent_wait(long timeout_ns) { sg_futex_wait(&changes, atomic_load(&changes), timeout_ns); }

bool sg_agent_is_profiling(void) { return atomic_load(&is_profiling); }

void sg_agent_set_profiling(void) {
    atomic_store(&is_profiling, true);
    sg_agent_notify();
}

void sg_agent_set_leaving(void) {
    atomic_store(&is_profiling, false);
    atomic_store(&state, SG_AGENT_LEAVING);
}

void sg_agent_set_left(void) {
    atomic_store(&has_left, true);
    sg_agent_notify();
}

bool sg_agent_is_exiting(void) { return atomic_load(&is_exiting); }

bool sg_agent_take_socket(struct sg_arguments *arguments) {
    if (atomic_load(&late_state) != 2)
        return false;
    *arguments = late;
    atomic_store(&late_state, 0);
    return true;
}

/* All signals are the program's. */
static int start_thread(void *(*run)(void *), pthread_t *thread) {
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, &attributes, run, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return -failed;
}

static void *run_writer(void *unused) {
    sg_thread_arena_enter();
    sg_permitted_calls_name_thread();
    sg_engine_threads_enter();
    sg_writer_run(&begun);
    sg_engine_threads_leave();
    sg_gil_worker_end();
    sg_thread_arena_leave();
    return unused;
}

/* The symboliser's thread. It is the one that stays in the program's descriptor table. */
static void *run_symboliser(void *unused) {
    struct sg_engine_thread writer;
    sg_exit_hook_call(sg_agent_exit);
    sg_thread_arena_enter();
    sg_permitted_calls_begin(begun.calls);
    sg_permitted_calls_name_thread();
    sg_engine_threads_enter();
    int failed = sg_engine_stack_start(&writer, run_writer, WRITER_STACK_BYTES);
    if (failed) {
        sg_failure_set(SG_FAILURE_THREAD, failed);
    } else {
        sg_gil_worker_run();
        sg_engine_stack_join(&writer);
    }
    sg_gil_worker_close();
    sg_engine_threads_leave();
    sg_thread_arena_leave();
    atomic_store(&state, SG_AGENT_ABSENT);
    sg_agent_notify();
    return unused;
}

static void listen_too(const struct sg_arguments *arguments) {
    int none = 0;
    if (!arguments->socket[0] || !atomic_compare_exchange_strong(&late_state, &none, 1))
        return;
    late = *arguments;
    atomic_store(&late_state, 2);
}

int sg_agent_begin(const struct sg_arguments *arguments) {
    int absent = SG_AGENT_ABSENT;
    pthread_t thread;
    if (!atomic_compare_exchange_strong(&state, &absent, SG_AGENT_PRESENT)) {
        if (absent == SG_AGENT_PRESENT)
            listen_too(arguments);
        return 1;
    }
    begun = *arguments;
    sg_failure_set(SG_FAILURE_NONE, 0);
    sg_thread_arena_learn();
    atomic_store(&is_exiting, false);
    atomic_store(&has_left, false);
    atomic_store(&is_profiling, false);
    atomic_store(&late_state, 0);
    sg_gil_worker_open();
    sg_after_fork_register();
    int failed = start_thread(run_symboliser, &thread);
    if (failed)
        atomic_store(&state, SG_AGENT_ABSENT);
    else
        pthread_detach(thread);
    return failed;
}

void sg_agent_exit(void) {
    int64_t until_ns = sg_time_mono_ns() + EXIT_WAIT_NS;
    atomic_store(&is_exiting, true);
    while (sg_agent_state() != SG_AGENT_ABSENT && !atomic_load(&has_left)) {
        uint32_t seen = atomic_load(&changes);
        int64_t now_ns = sg_time_mono_ns();
        if (now_ns >= until_ns)
            break;
        if (sg_agent_state() != SG_AGENT_ABSENT && !atomic_load(&has_left))
            sg_futex_wait(&changes, seen, until_ns - now_ns);
    }
    sg_gil_worker_forbid();
}

/* A process that ends without its interpreter's atexit: the GIL may be anybody's, and for ever. */
__attribute__((destructor)) static void on_exit_of_process(void) {
    if (sg_agent_state() == SG_AGENT_ABSENT || atomic_load(&has_left))
        return;
    sg_gil_worker_forbid();
    sg_agent_exit();
}

void sg_agent_after_fork_in_child(void) {
    atomic_store(&state, SG_AGENT_ABSENT);
    atomic_store(&is_exiting, false);
    atomic_store(&is_profiling, false);
    atomic_store(&late_state, 0);
    sg_program_request_forget();
    sg_self_profile_forget();
    /* What the threads had allocated stays where it is: they may have been in the middle of it. */
    sg_gil_worker_open();
}
