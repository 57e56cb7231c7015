/* Mask of permitted system calls, and the calling thread's filters. */
#include "platform/permitted_calls.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "platform/futex.h"
#include "platform/proc_files.h"

enum { YIELD_NS = 1000, CHECK_EVERY_NS = 10 * 1000 * 1000 };
static const char THREAD_NAME[] = "stackglass";

/* Lock-free. */
static _Atomic int permitted = SG_CALLS_ALL;
static _Atomic uint64_t filters_at_begin;

bool sg_permitted_calls_may(enum sg_call call) {
    return (atomic_load_explicit(&permitted, memory_order_relaxed) & (int)call) != 0;
}

/* Return the mode and the number of the calling thread's filters; 0 = it has none. UINT64_MAX if
 * /proc does not say, which counts as a filter. */
static uint64_t read_filters(void) {
    char status[SG_STATUS_BYTES];
    if (!sg_proc_files_read_status(0, status))
        return UINT64_MAX;
    return sg_proc_files_number(status, "\nSeccomp:") << 32 |
           sg_proc_files_number(status, "\nSeccomp_filters:");
}

void sg_permitted_calls_begin(int given) {
    uint64_t filters = read_filters();
    atomic_store(&filters_at_begin, filters);
    atomic_store(&permitted, given >= 0     ? given & SG_CALLS_ALL
                             : filters == 0 ? SG_CALLS_ALL
                                            : SG_CALLS_NONE);
}

void sg_permitted_calls_check(void) {
    if (atomic_load(&permitted) && read_filters() != atomic_load(&filters_at_begin))
        atomic_store(&permitted, SG_CALLS_NONE);
}

void sg_permitted_calls_check_at(int64_t now_ns) {
    static int64_t checked_ns; /* used by the writer only */
    if (now_ns - checked_ns < CHECK_EVERY_NS)
        return;
    checked_ns = now_ns;
    sg_permitted_calls_check();
}

void sg_permitted_calls_yield(void) {
    if (sg_permitted_calls_may(SG_CALL_OTHERS))
        sched_yield();
    else
        sg_futex_sleep_ns(YIELD_NS);
}

void sg_permitted_calls_name_thread(void) {
    if (sg_permitted_calls_may(SG_CALL_OTHERS)) {
        prctl(PR_SET_NAME, THREAD_NAME);
        return;
    }
    int file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return; /* the thread keeps the name of the thread that started it */
    ssize_t n = write(file, THREAD_NAME, sizeof THREAD_NAME - 1);
    (void)n; /* if the write fails, the thread keeps that name, too */
    close(file);
}
