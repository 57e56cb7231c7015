/* A tracer that comes late: it has made its calls in the target, and others run before it comes to
 * its end. The target's thread sleeps, as it did before the calls. Prints the status, whether the
 * tracer is in the session of this process, whether it is in its process group, and whether it has
 * its standard output.
 *
 * With "ancestor" only a thread of this process may trace, and this process exits in the middle of
 * the call: the tracer prints "restored" at the call's end. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject/filters.h"
#include "inject/inject.h"
#include "inject/progress.h"
#include "inject/tracee.h"
#include "inject/tracer_process.h"

enum { MS = 1000 * 1000, THREAD = 42 };

static bool is_in_call; /* for good */
static pid_t session, group;
static bool has_output;
static pid_t own_pid; /* 0 = a process of its own may trace */
static _Atomic bool is_begun;

int64_t sg_tracee_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void sg_tracee_pause_ns(int64_t ns) {
    const struct timespec time = {0, ns};
    nanosleep(&time, NULL);
}

void sg_tracee_leave_ended(void) {}

/* In a call from the beginning on. */
static void inject_as_ancestor(const struct sg_injection *injection,
                               struct sg_injection_result *result) {
    static const char restored[] = "restored\n";
    if (getpid() != own_pid) {
        result->status = SG_INJECT_NOT_ALLOWED;
        return;
    }
    __atomic_add_fetch(injection->n_calling, 1, __ATOMIC_ACQ_REL);
    __atomic_store_n(&result->is_calling, 1, __ATOMIC_RELEASE);
    is_begun = true;
    sg_tracee_pause_ns(INT64_C(300) * MS);
    ssize_t n = write(STDOUT_FILENO, restored, sizeof restored - 1);
    (void)n;
    __atomic_add_fetch(injection->n_calling, -1, __ATOMIC_ACQ_REL);
}

void sg_inject(const struct sg_injection *injection, struct sg_injection_result *result) {
    const struct timespec late = {1, 0};
    if (own_pid) {
        inject_as_ancestor(injection, result);
        return;
    }
    session = getsid(0);
    group = getpgid(0);
    has_output = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
    result->thread = THREAD;
    __atomic_store_n(&result->is_calling, is_in_call, __ATOMIC_RELEASE);
    nanosleep(&late, NULL);
    __atomic_store_n(&result->status, SG_INJECT_DONE, __ATOMIC_RELEASE);
}

bool sg_progress_is_made(struct sg_progress *progress) { return false; }

int sg_filters_read(pid_t thread, struct sg_filters *filters) { return 0; }

int main(int n, char **words) {
    is_in_call = n > 1 && strcmp(words[1], "in call") == 0;
    own_pid = n > 1 && strcmp(words[1], "ancestor") == 0 ? getpid() : 0;
    const pid_t threads[] = {THREAD};
    const struct sg_range ranges[1] = {{0}};
    const struct sg_injection injection = {
        .pid = THREAD,
        .threads = threads,
        .n_threads = 1,
        .ranges = ranges,
        .library = "",
        .symbol = "",
        .arguments = "",
        .timeout_ns = INT64_C(300) * MS,
    };
    struct sg_injection_result result;
    struct sg_tracing *tracing;
    if (sg_tracer_process_begin(&injection, &tracing) != 0)
        return 1;
    if (own_pid) {
        sg_tracer_process_abandon(tracing);
        while (!is_begun)
            sg_tracee_pause_ns(MS);
        return 0;
    }
    sg_tracer_process_finish(tracing, &result);
    printf("%d %d %d %d\n", result.status, session == getsid(0), group == getpgid(0), has_output);
    return 0;
}
