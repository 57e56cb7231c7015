/* The kernel gives a thread's filters to a privileged tracer, by PTRACE_SECCOMP_GET_FILTER. */
#include "inject/filters.h"

#include <errno.h>
#include <sys/ptrace.h>

#include "inject/tracee.h"

#ifndef PTRACE_SECCOMP_GET_FILTER
#define PTRACE_SECCOMP_GET_FILTER 0x420c
#endif

enum { STOP_TIMEOUT_NS = 1000 * 1000 * 1000 };

/* Read the filters of a stopped thread. Returns 0, or an errno. */
static int read_stopped(pid_t thread, struct sg_filters *filters) {
    filters->n = filters->n_words = 0;
    for (uintptr_t i = 0; i < SG_FILTERS_MAX; i++) {
        void *index = (void *)i; /* 0 = the newest */
        long n = ptrace(PTRACE_SECCOMP_GET_FILTER, thread, index, NULL);
        if (n < 0)
            return errno == ENOENT && i > 0 ? 0 : errno;
        if (filters->n_words + (size_t)n > SG_FILTER_WORDS_MAX)
            return E2BIG;
        if (ptrace(PTRACE_SECCOMP_GET_FILTER, thread, index, filters->words + filters->n_words) !=
            n)
            return errno ? errno : EIO;
        filters->sizes[i] = (size_t)n;
        filters->n_words += (size_t)n;
        filters->n++;
    }
    return E2BIG;
}

int sg_filters_read(pid_t thread, struct sg_filters *filters) {
    if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0)
        return errno;
    int error;
    switch (sg_tracee_stop_thread(thread, sg_tracee_now_ns() + STOP_TIMEOUT_NS)) {
    case SG_STOP_GONE:
        return ESRCH;
    case SG_STOP_TIMEOUT: /* the thread is released when it stops, or when the tracer ends */
        return EBUSY;
    default:
        error = read_stopped(thread, filters);
        ptrace(PTRACE_DETACH, thread, NULL, NULL);
        return error;
    }
}
