/* A tracer that comes late: it has made its calls in the target, and others run before it comes to
 * its end. The target's thread sleeps, as it did before the calls. Prints the status, whether the
 * tracer is in the session of this process, and whether it is in its process group. */
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

int64_t sg_tracee_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void sg_inject(const struct sg_injection *injection, struct sg_injection_result *result) {
    const struct timespec late = {1, 0};
    session = getsid(0);
    group = getpgid(0);
    result->thread = THREAD;
    __atomic_store_n(&result->is_calling, is_in_call, __ATOMIC_RELEASE);
    nanosleep(&late, NULL);
    __atomic_store_n(&result->status, SG_INJECT_DONE, __ATOMIC_RELEASE);
}

bool sg_progress_is_made(struct sg_progress *progress) { return false; }

int sg_filters_read(pid_t thread, struct sg_filters *filters) { return 0; }

int main(int n, char **words) {
    is_in_call = n > 1 && strcmp(words[1], "in call") == 0;
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
    sg_tracer_process_finish(tracing, &result);
    printf("%d %d %d\n", result.status, session == getsid(0), group == getpgid(0));
    return 0;
}
