/* Reset of the engine in a forked child. Each part of the engine that has state resets it, without
 * freeing what a thread of the parent may have been changing at the fork, and without taking the
 * GIL, which a thread that does not exist in the child may hold.
 *
 * The fork gate is reset first, because a thread of the parent may have been inside it. The
 * lifecycle ends last, because a new engine may start as soon as it has. */
#include "agent/after_fork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "agent/lifecycle.h"
#include "agent/program_requests.h"
#include "agent/self_profile.h"
#include "asyncio/hooks.h"
#include "census/census.h"
#include "contention/contention.h"
#include "cpu/cpu.h"
#include "custom/counted_stacks.h"
#include "frames/function_names.h"
#include "gil/sampling.h"
#include "heap/heap.h"
#include "labels/labels.h"
#include "lock_names/lock_names.h"
#include "locks/blocking_calls.h"
#include "locks/hooks.h"
#include "native_memory/native_alloc.h"
#include "platform/engine_threads.h"
#include "platform/fd_table.h"
#include "platform/fork_gate.h"
#include "platform/permitted_calls.h"
#include "tasks/running.h"
#include "threads/collector_pauses.h"
#include "threads/creations.h"
#include "threads/dump_greenlets.h"
#include "threads/task_creations.h"
#include "threads/task_samples.h"
#include "threads/thread_dump.h"
#include "trace/trace.h"
#include "waits/deadlocks.h"
#include "waits/snapshot.h"
#include "worker/exit_hook.h"
#include "worker/fork_warning.h"
#include "worker/gil_access.h"
#include "worker/gil_worker.h"

static _Atomic bool is_registered; /* lock-free */

/* The parent's engine may have been in the middle of any change. The engine's own descriptor table
 * was not inherited. */
static void reset_parts(void) {
    sg_permitted_calls_forbid();
    sg_engine_threads_forget();
    sg_census_after_fork_in_child();
    sg_lock_names_after_fork_in_child();
    sg_function_names_after_fork_in_child();
    sg_waits_snapshot_after_fork_in_child();
    sg_thread_dump_after_fork_in_child();
    sg_dump_greenlets_after_fork_in_child();
    sg_task_samples_after_fork_in_child();
    sg_creations_after_fork_in_child();
    sg_task_creations_after_fork_in_child();
    sg_collector_pauses_after_fork_in_child();
    sg_counted_stacks_after_fork_in_child();
    sg_deadlocks_after_fork_in_child();
    sg_asyncio_hooks_after_fork_in_child();
    sg_lock_hooks_after_fork_in_child();
    sg_blocking_calls_after_fork_in_child();
    sg_contention_after_fork_in_child();
    sg_trace_after_fork_in_child();
    sg_heap_after_fork_in_child();
    sg_gil_sampling_after_fork_in_child();
    sg_native_alloc_after_fork_in_child();
    sg_cpu_after_fork_in_child();
    sg_labels_after_fork_in_child();
    sg_running_tasks_after_fork_in_child();
    sg_exit_hook_disable();
    sg_fork_warning_after_fork_in_child();
    sg_fd_table_after_fork_in_child();
    sg_program_request_forget();
    sg_self_profile_forget();
    /* Memory of the threads is not freed: the fork may have come in the middle of a change. */
    sg_gil_worker_reset();
    sg_lifecycle_end();
}

/* Runs in the child, where only the forking thread exists. */
static void reset_child(void) {
    sg_fork_gate_after_in_child();
    if (sg_lifecycle_is_begun())
        reset_parts();
}

void sg_after_fork_reset_late(void) {
    if (!sg_lifecycle_disinherit())
        return;
    sg_fork_gate_after_in_child();
    reset_parts();
}

static void before_fork(void) {
    sg_fork_warning_before_fork();
    sg_fork_gate_before();
}

static void after_fork(void) {
    sg_fork_gate_after();
    sg_fork_warning_after_fork();
}

bool sg_after_fork_may_register(void) {
#ifdef __GLIBC__
    enum { MAJOR = 2, MINOR = 36, DECIMAL = 10 };
    char *end;
    long major = strtol(gnu_get_libc_version(), &end, DECIMAL);
    long minor = *end == '.' ? strtol(end + 1, NULL, DECIMAL) : 0;
    return major > MAJOR || (major == MAJOR && minor >= MINOR);
#else
    return false;
#endif
}

/* The flag is set last: a child that is forked meanwhile does not have the handlers. */
void sg_after_fork_register(void) {
    if (!atomic_load(&is_registered))
        pthread_atfork(before_fork, after_fork, reset_child);
    atomic_store(&is_registered, true);
}
