/* Mask of permitted system calls, and the calling thread's filters. */
#include "platform/permitted_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "platform/futex.h"
#include "platform/proc_files.h"
#include "platform/time.h"

enum { YIELD_NS = 1000, CHECK_EVERY_NS = 200 * 1000 };
static const char THREAD_NAME[] = "stackglass";

/* Bit of `permitted`: at present the filters cannot be compared with those of the begin. */
enum { UNREAD = 1 << 30 };

/* Taken by engine threads, never in a handler: a check that read the filters earlier must not have
 * its effect after a later one. */
static pthread_mutex_t check_lock = PTHREAD_MUTEX_INITIALIZER;
/* Read without a lock. After the begin, written under check_lock. */
static _Atomic int permitted = SG_CALLS_ALL;
static _Atomic uint64_t filters_at_begin; /* UINT64_MAX = could not be read */
static _Atomic int64_t checked_ns;        /* lock-free: of the last check */

bool sg_permitted_calls_may(enum sg_call call) {
    int both = (int)call | UNREAD;
    return (atomic_load_explicit(&permitted, memory_order_relaxed) & both) == (int)call;
}

/* Return the mode and the number of the calling thread's filters; 0 = it has none. UINT64_MAX if
 * /proc does not say, which counts as a filter; then errno is set. */
static uint64_t read_filters(void) {
    char status[SG_STATUS_BYTES];
    errno = 0;
    if (!sg_proc_files_read_status(0, status))
        return UINT64_MAX;
    return sg_proc_files_number(status, "\nSeccomp:") << 32 |
           sg_proc_files_number(status, "\nSeccomp_filters:");
}

/* Whether the filters could not be read for want of descriptors or memory, as is over some time. */
static bool is_shortage(uint64_t filters) {
    return filters == UINT64_MAX && (errno == EMFILE || errno == ENFILE || errno == ENOMEM);
}

void sg_permitted_calls_begin(int given) {
    uint64_t filters = read_filters();
    atomic_store(&filters_at_begin, filters);
    atomic_store(&permitted, given >= 0             ? given & SG_CALLS_ALL
                             : filters == 0         ? SG_CALLS_ALL
                             : is_shortage(filters) ? SG_CALLS_ALL | UNREAD
                                                    : SG_CALLS_NONE);
}

void sg_permitted_calls_forbid(void) {
    atomic_store(&permitted, SG_CALLS_NONE);
    check_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; /* the parent may have held it */
}

static void check(void) {
    uint64_t filters = read_filters(), before = atomic_load(&filters_at_begin);
    if (is_shortage(filters)) {
        atomic_fetch_or(&permitted, UNREAD);
    } else if (filters == 0 && before == UINT64_MAX) { /* they could not be read then */
        atomic_store(&filters_at_begin, filters);
        atomic_fetch_and(&permitted, ~UNREAD);
    } else if (filters != before) {
        /* before UINT64_MAX: whether they are those that the attacher judged is not known */
        atomic_store(&permitted, SG_CALLS_NONE);
    } else if (filters != UINT64_MAX) {
        atomic_fetch_and(&permitted, ~UNREAD);
    }
}

/* Check; the result counts from `now_ns` on, a moment before the call. */
static void check_as_of(int64_t now_ns) {
    if (!(atomic_load(&permitted) & SG_CALLS_ALL))
        return;
    pthread_mutex_lock(&check_lock);
    check();
    pthread_mutex_unlock(&check_lock);
    atomic_store(&checked_ns, now_ns); /* not before: until then other threads check, too */
}

void sg_permitted_calls_check(void) { check_as_of(sg_time_mono_ns()); }

void sg_permitted_calls_check_at(int64_t now_ns) {
    if (now_ns - atomic_load(&checked_ns) >= CHECK_EVERY_NS)
        check_as_of(now_ns);
}

bool sg_permitted_calls_may_now(enum sg_call call) {
    sg_permitted_calls_check_at(sg_time_mono_ns());
    return sg_permitted_calls_may(call);
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
