/* Start and end of the engine's two threads.
 *
 *     stackglass_enter ─▶ worker ─▶ writer ─▶ … last client has left ─▶ the writer ends
 *                           └─▶ jobs … ─▶ joins the writer ─▶ the engine is absent again
 *
 * The worker starts first, because it stays in the program's descriptor table, and the writer
 * leaves that table. An exit of the interpreter waits for the writer's last Bye, not for the
 * threads. */
#include "agent/agent.h"

#include <errno.h>

#include "agent/after_fork.h"
#include "agent/lifecycle.h"
#include "agent/other_engine.h"
#include "agent/trace_control.h"
#include "agent/writer.h"
#include "cpu/cpu.h"
#include "platform/engine_thread.h"
#include "platform/failure.h"
#include "trace/trace.h"
#include "worker/exit_hook.h"
#include "worker/fork_warning.h"
#include "worker/gil_worker.h"
#include "worker/interpreter_end.h"

enum { STACK_BYTES = 1 << 20, WRITER_STACK_BYTES = 512 * 1024 };
static const int64_t EXIT_WAIT_NS = INT64_C(500) * 1000 * 1000;

/* The arguments of the first entry. Written before any thread of the engine starts. */
static struct sg_arguments begun;

static void run_writer(void) {
    sg_writer_run(&begun);
    sg_gil_worker_end();
}

/* Body of the worker's thread, which stays in the program's descriptor table. */
static void run_worker(void) {
    struct sg_engine_thread writer;
    sg_after_fork_register();
    int failed = sg_engine_thread_start(&writer, run_writer, WRITER_STACK_BYTES);
    if (failed) {
        sg_failure_set(SG_FAILURE_THREAD, failed);
    } else {
        sg_gil_worker_run();
        sg_engine_thread_join(&writer);
    }
    sg_gil_worker_close();
}

/* Called without the GIL when the interpreter ends: wait until the engine has sent what it has and
 * left, for at most half a second, and SG_TRACE_EXIT_NS longer while a memory trace is recorded. */
static void leave_at_exit(void) {
    int64_t most_ns = EXIT_WAIT_NS + (sg_trace_is_recording() ? SG_TRACE_EXIT_NS : 0);
    sg_interpreter_end_begin();
    sg_lifecycle_wait_for_end(most_ns);
    sg_interpreter_end_finish();
}

int sg_agent_begin(const struct sg_arguments *arguments) {
    sg_after_fork_reset_late();
    enum sg_lifecycle before = sg_lifecycle_begin();
    if (before == SG_AGENT_PRESENT) {
        if (atomic_load(&stackglass_failure[0]) == SG_FAILURE_SOCKET) /* of an earlier offer */
            sg_failure_set(SG_FAILURE_NONE, 0);
        sg_lifecycle_offer_socket(arguments);
    }
    if (before != SG_AGENT_ABSENT)
        return 1;
    if (sg_other_engine_is_begun()) {
        sg_lifecycle_end();
        return -EEXIST;
    }
    begun = *arguments;
    sg_failure_set(SG_FAILURE_NONE, 0);
    sg_gil_worker_reset();
    sg_exit_hook_call(leave_at_exit);
    if (sg_after_fork_may_register())
        sg_after_fork_register();
    sg_fork_warning_open();
    const struct sg_first_thread worker = {run_worker, sg_lifecycle_end, begun.calls, STACK_BYTES};
    int failed = sg_engine_thread_start_first(&worker);
    if (failed)
        sg_lifecycle_end();
    return -failed;
}

/* Called when the process ends. If the engine is still there, the interpreter's atexit functions
 * were not called, or the engine could not leave in time. Any thread may hold the GIL now, and
 * never release it, so the engine is first kept from taking it. */
__attribute__((destructor)) static void on_exit_of_process(void) {
    if (sg_lifecycle_state() == SG_AGENT_ABSENT || sg_lifecycle_has_left())
        return;
    sg_interpreter_end_finish();
    leave_at_exit();
}
