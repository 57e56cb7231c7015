/* Agent: starts and joins the engine's threads. See agent.h. */
#include "agent/agent.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "agent/after_fork.h"
#include "agent/lifecycle.h"
#include "agent/writer.h"
#include "cpu/cpu.h"
#include "platform/engine_stack.h"
#include "platform/engine_threads.h"
#include "platform/failure.h"
#include "platform/permitted_calls.h"
#include "platform/thread_arena.h"
#include "worker/exit_hook.h"
#include "worker/gil_worker.h"

enum { STACK_BYTES = 1 << 20, WRITER_STACK_BYTES = 512 * 1024, EXIT_WAIT_NS = 500 * 1000 * 1000 };

/* The arguments of the first entry. Written before any thread of the engine starts. */
static struct sg_arguments begun;

/* The thread blocks all signals: they are the program's. */
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

/* The worker's thread. It stays in the program's descriptor table. */
static void *run_worker(void *unused) {
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
    sg_lifecycle_end();
    return unused;
}

int sg_agent_begin(const struct sg_arguments *arguments) {
    pthread_t thread;
    enum sg_lifecycle before = sg_lifecycle_begin();
    if (before == SG_AGENT_PRESENT)
        sg_lifecycle_offer_socket(arguments);
    if (before != SG_AGENT_ABSENT)
        return 1;
    begun = *arguments;
    sg_failure_set(SG_FAILURE_NONE, 0);
    sg_thread_arena_learn();
    sg_gil_worker_open();
    sg_after_fork_register();
    int failed = start_thread(run_worker, &thread);
    if (failed)
        sg_lifecycle_end();
    else
        pthread_detach(thread);
    return failed;
}

void sg_agent_exit(void) {
    sg_lifecycle_set_exiting();
    sg_lifecycle_wait_for_end(EXIT_WAIT_NS);
    sg_gil_worker_forbid();
}

/* A process that ends without its interpreter's atexit: any thread may hold the GIL, for ever. */
__attribute__((destructor)) static void on_exit_of_process(void) {
    if (sg_lifecycle_state() == SG_AGENT_ABSENT || sg_lifecycle_has_left())
        return;
    sg_gil_worker_forbid();
    sg_agent_exit();
}
