/* Entering a running process: one of its threads is stopped, made to load our library and to call
 * its entry, and put back exactly as it was.
 *
 *   target's thread  ──┤ stopped ├─ mmap ─ dlopen ─ dlsym ─ enter ─ munmap ─┤ restored ├──▶
 *   everybody else   ─────────────────────────────────────────────────────────────────────▶
 *
 * Only one thread stops: had all of them stopped, one could hold a lock that dlopen waits for.
 * No text of the target is written: a function called by us returns to address 0, and the fault
 * there, which only we see, says that it has ended. */
#ifndef STACKGLASS_INJECT_INJECT_H
#define STACKGLASS_INJECT_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inject/machine.h"

/* Code during which the thread may hold a lock of the C library or its loader. */
struct sg_range {
    uint64_t start;
    uint64_t end;
    bool may_wait; /* but not while it waits in a system call of the machine's list */
};

/* What is to be done. All memory is the caller's; nothing is kept. */
struct sg_injection {
    pid_t pid;
    const pid_t *threads; /* in the order in which they are tried */
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
    uint64_t caught_signals; /* mask of signals that the target has handlers for */
    int64_t timeout_ns;      /* for finding a thread that may be used */
};

enum sg_injection_status {
    SG_INJECT_RUNNING = 0, /* a call in the target has not come back */
    SG_INJECT_DONE,        /* the entry was called: see value */
    SG_INJECT_GONE,        /* the target ended meanwhile, by signal `error` if that is not 0 */
    SG_INJECT_NOT_ALLOWED, /* the kernel refuses: see error */
    SG_INJECT_STOPPED,     /* the target is stopped by job control */
    SG_INJECT_NO_THREAD,   /* no thread was found outside the C library in time */
    SG_INJECT_LOADER,      /* the loader refuses: see text */
    SG_INJECT_FAULT,       /* a call in the target faulted, and was undone */
    SG_INJECT_SYSTEM,      /* a system call of ours failed: see error and text */
};

struct sg_injection_result {
    int status; /* enum sg_injection_status; written last, with release order */
    int error;  /* errno */
    int64_t value;
    pid_t thread;
    int n_refusals;    /* stops after which the thread was let go as it was */
    int64_t stop_ns;   /* how long the thread stood still or ran for us */
    int64_t search_ns; /* from the call to that stop */
    char text[512];
};

/* Do it, on this thread, which must have all signals blocked. Once a call has started in the
 * target it is waited for without limit: a thread let go in the middle of it would be lost. */
void sg_inject(const struct sg_injection *injection, struct sg_injection_result *result);

/* Do it in a process of its own, which a Ctrl-C, an exit or a crash of ours does not reach, so
 * that the target is always put back. Returns after the time-out and a grace at the latest, then
 * with SG_INJECT_RUNNING while the process goes on. Any thread, without the GIL. */
void sg_tracer_process_inject(const struct sg_injection *injection,
                              struct sg_injection_result *result);

/* May a thread with these registers be made to call the loader? `code` is what lies around its
 * program counter: [size of a system call instruction] bytes before it, and as many at it. */
bool sg_rules_may_inject(const struct sg_machine *machine, const void *registers,
                         const uint8_t *code, const struct sg_range *ranges, size_t n_ranges);

#endif
