/* What each thread of the process sleeps on, asked of the system: the only trace of a wait that
 * began before locks were hooked.
 *
 *     /proc/self/task/TID/syscall ─▶ "202 0x55…" ─▶ it waits for the futex at 0x55…
 *
 * A thread whose CPU clock stands where it stood has not run since: so it sleeps there still. On a
 * virtual machine it may stand at 0: of what a thread ran the kernel takes off what the machine
 * below has had meanwhile, and that may be all of a short life. Where the system does not tell,
 * nobody is seen to sleep. */
#ifndef STACKGLASS_PLATFORM_FUTEX_SLEEPERS_H
#define STACKGLASS_PLATFORM_FUTEX_SLEEPERS_H

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
uint64_t sg_futex_sleepers_clock(pid_t tid);

/* Every thread but the engine's: (n,), malloc'ed, or NULL if there is no memory or they
 * cannot be listed. For a thread with a descriptor table of its own; some 10 us a thread. */
struct sg_sleeper *sg_futex_sleepers_list(size_t *n);

/* Whether a thread has not run since its CPU clock was at `cpu_ns`. Any thread. */
bool sg_futex_sleepers_rests(pid_t tid, uint64_t cpu_ns);

/* How a thread sleeps. Where two of a thread are equal, it has not run between them: each time it
 * runs its context switches count on, also where its CPU clock stands. */
enum { SG_REST_CALL_BYTES = 192 };
struct sg_rest {
    bool is_asleep;
    bool is_timed; /* it does not sleep on a futex without end, or that is not known */
    uint64_t cpu_ns;
    uint64_t n_switches;           /* voluntary and others; 0 = the system does not count them */
    char call[SG_REST_CALL_BYTES]; /* its system call: number, arguments, stack pointer, address */
};

/* False if the thread does not sleep, or cannot be read. For a thread with a descriptor table of
 * its own; some 30 us. */
bool sg_futex_sleepers_read_rest(pid_t tid, struct sg_rest *rest);
bool sg_futex_sleepers_rest_equals(const struct sg_rest *rest, const struct sg_rest *other);

#endif
