/* What each thread of the process sleeps on, asked of the system: the only trace of a wait that
 * began before locks were hooked.
 *
 *     /proc/self/task/TID/syscall ─▶ "202 0x55…" ─▶ it waits for the futex at 0x55…
 *
 * A thread whose CPU clock stands where it stood has not run since: so it sleeps there still. On a
 * virtual machine it may stand at 0: of what a thread ran the kernel takes off what the machine
 * below has had meanwhile, and that may be all of a short life. Where the system does not tell,
 * nobody is seen to sleep. */
#ifndef STACKGLASS_FUTEX_SLEEPERS_H
#define STACKGLASS_FUTEX_SLEEPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SG_NO_CPU_CLOCK UINT64_MAX

struct sg_sleeper {
    pid_t tid;
    uintptr_t futex; /* 0 = it sleeps on none, or it is not known */
    uint64_t cpu_ns; /* its CPU clock, read before that */
};

/* A thread's CPU clock; SG_NO_CPU_CLOCK = there is no such thread. Any thread. */
uint64_t sg_sleeper_clock(pid_t tid);

/* Every thread but the engine's: (n,), malloc'ed, or NULL if there is no memory or they
 * cannot be listed. For a thread with a descriptor table of its own; some 10 us a thread. */
struct sg_sleeper *sg_sleepers_list(size_t *n);

/* Whether a thread has not run since its CPU clock was at `cpu_ns`. Any thread. */
bool sg_sleeper_rests(pid_t tid, uint64_t cpu_ns);

#endif
