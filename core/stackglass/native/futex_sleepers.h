/* What each thread of the process sleeps on, asked of the system: the only trace of a wait that
 * began before locks were hooked.
 *
 *     /proc/self/task/TID/syscall ─▶ "202 0x55…" ─▶ it waits for the futex at 0x55…
 *
 * A thread whose CPU clock stands where it stood has not run since: so it sleeps there still. Where
 * the system does not tell, nobody is seen to sleep. */
#ifndef STACKGLASS_FUTEX_SLEEPERS_H
#define STACKGLASS_FUTEX_SLEEPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sg_sleeper {
    pid_t tid;
    uintptr_t futex; /* 0 = it sleeps on none, or it is not known */
    uint64_t cpu_ns; /* its CPU clock, read before that */
};

/* Every thread but the engine's, by number: (n,), malloc'ed, or NULL if there is no memory or they
 * cannot be listed. For a thread with a descriptor table of its own; some 10 us a thread. */
struct sg_sleeper *sg_sleepers_list(size_t *n);

struct sg_sleeper *sg_sleepers_find(struct sg_sleeper *sleepers, size_t n, pid_t tid);

/* Whether a thread has not run since its CPU clock was at `cpu_ns`. Any thread. */
bool sg_sleeper_rests(pid_t tid, uint64_t cpu_ns);

#endif
