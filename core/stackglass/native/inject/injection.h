/* Injection: what is to be done in the target, and the result. */
#ifndef STACKGLASS_INJECT_INJECTION_H
#define STACKGLASS_INJECT_INJECTION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inject/rules.h"

/* The request. All memory is the caller's; none is kept. */
struct sg_injection {
    pid_t pid;
    const pid_t *threads; /* tried in this order */
    size_t n_threads;
    const struct sg_range *ranges;
    size_t n_ranges;
    /* Addresses in the target. */
    uint64_t dlopen;
    uint64_t dlsym;
    uint64_t dlerror;
    uint64_t errno_location;
    uint64_t system_call; /* of a system call instruction */
    const char *library;
    const char *libpython; /* to be made global if the library misses Python's symbols; or NULL */
    const char *symbol;
    const char *arguments;
    size_t arguments_size;
    uint64_t caught_signals; /* mask of signals with a handler in the target */
    int64_t timeout_ns;      /* of the search for a thread */
};

enum sg_injection_status {
    SG_INJECT_RUNNING = 0, /* a call in the target has not returned */
    SG_INJECT_DONE,        /* the entry was called: see value */
    SG_INJECT_GONE,        /* the target has ended, by signal `error` if that is not 0 */
    SG_INJECT_NOT_ALLOWED, /* the kernel refuses: see error */
    SG_INJECT_STOPPED,     /* the target is stopped by job control */
    SG_INJECT_NO_THREAD,   /* no thread was found outside the C library in time */
    SG_INJECT_LOADER,      /* the loader refuses: see text */
    SG_INJECT_FAULT,       /* a call in the target faulted, and was undone */
    SG_INJECT_SYSTEM,      /* a system call of the tracer failed: see error and text */
};

struct sg_injection_result {
    int status; /* enum sg_injection_status; written last, with release order */
    int error;  /* errno */
    int64_t value;
    pid_t thread;      /* that is used. Atomic; 0 = none yet */
    int is_calling;    /* the thread is in the calls, and not yet as it was. Atomic */
    int n_refusals;    /* stops at a moment that was not good */
    int64_t stop_ns;   /* time for which the thread was stopped or ran injected calls */
    int64_t search_ns; /* time from the call to that stop */
    char text[512];
};

#endif
