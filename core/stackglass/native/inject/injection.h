/* Injection: the request, which says what to load and call in the target, and the result. */
#ifndef STACKGLASS_INJECT_INJECTION_H
#define STACKGLASS_INJECT_INJECTION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inject/rules.h"

/* The request. The caller owns all memory. sg_tracer_process_begin copies it; sg_inject uses it
 * until it returns. */
struct sg_injection {
    pid_t pid;
    const pid_t *threads; /* (n_threads,), tried in this order */
    size_t n_threads;
    const struct sg_range *ranges; /* (n_ranges,), code in which no call may be made */
    size_t n_ranges;
    /* Addresses of functions in the target. */
    uint64_t dlopen;
    uint64_t dlsym;
    uint64_t dlerror;
    uint64_t errno_location;
    uint64_t system_call;  /* address of a system call instruction in the target */
    const char *library;   /* path of the library to load */
    const char *libpython; /* NULL, or made global if the library misses Python's symbols */
    const char *symbol;    /* name of the library's entry */
    const char *arguments; /* (arguments_size,), bytes that the entry gets */
    size_t arguments_size;
    uint64_t caught_signals;  /* mask of the signals that have a handler in the target */
    uint64_t ignored_signals; /* mask of the signals that the target ignores */
    int64_t timeout_ns;       /* of the search for a thread; other limits are multiples of it */
    int *n_calling; /* one more while a thread makes injected calls; NULL = none. Atomic */
};

enum sg_injection_status {
    SG_INJECT_RUNNING = 0, /* a call in the target has not returned */
    SG_INJECT_DONE,        /* the entry was called and returned `value` */
    SG_INJECT_GONE,        /* the target has ended, by the signal `error` if that is not 0 */
    SG_INJECT_NOT_ALLOWED, /* the kernel refuses to trace, with the errno `error` */
    SG_INJECT_STOPPED,     /* the target is stopped by job control */
    SG_INJECT_NO_THREAD,   /* no thread was at a good moment before the time-out */
    SG_INJECT_LOADER,      /* the loader refuses the library: `text` says why */
    SG_INJECT_FAULT,       /* the call `text` in the target faulted, and was undone */
    /* the system call or step `text` failed with the errno `error`; "tracer": the tracer's start */
    SG_INJECT_SYSTEM,
    SG_INJECT_REPLACED, /* the process has another program than the request is for */
};

struct sg_injection_result {
    int status;        /* enum sg_injection_status; written last, with release order */
    int error;         /* an errno, or a signal */
    int64_t value;     /* the int that the entry returned */
    pid_t thread;      /* the thread that is used; 0 = none yet. Atomic */
    int is_calling;    /* the thread makes injected calls, or is not restored yet. Atomic */
    int n_refusals;    /* stops at which the thread could not be used */
    int64_t stop_ns;   /* time for which the thread was stopped or ran injected calls */
    int64_t search_ns; /* time from the beginning of the search to that stop */
    char text[512];
};

#endif
