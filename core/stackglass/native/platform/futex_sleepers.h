/* Futex sleepers: what each thread of the process sleeps on, read from /proc. This is the only
 * trace of a wait that began before locks were hooked.
 *
 *     /proc/self/task/TID/syscall ─▶ "202 0x55…" ─▶ it waits for the futex at 0x55…
 *
 * If a thread's CPU clock has not moved, the thread has not run and still sleeps there. On a
 * virtual machine the clock may stay at 0: the kernel subtracts the time that the host took, and
 * for a thread that ran briefly that may be all. Where the kernel hides these files, no sleeper is
 * found. */
#ifndef STACKGLASS_PLATFORM_FUTEX_SLEEPERS_H
#define STACKGLASS_PLATFORM_FUTEX_SLEEPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SG_NO_CPU_CLOCK UINT64_MAX
/* In place of the number of a system call. */
enum { SG_CALL_NONE = -1, SG_CALL_UNKNOWN = -2 };

struct sg_sleeper {
    pid_t tid;       /* first: rows are sorted by it */
    uintptr_t futex; /* 0 = none, or not known */
    /* number of its system call; SG_CALL_NONE = it runs, or sleeps in none; SG_CALL_UNKNOWN = the
     * kernel hides it, or the thread has ended */
    int call;
    uint64_t cpu_ns; /* CPU clock, read before `futex` */
};

/* Return the CPU clock of a thread; SG_NO_CPU_CLOCK if there is no such thread. Any thread. */
uint64_t sg_futex_sleepers_clock(pid_t tid);

/* List every thread but the engine's: (n,), malloc'ed; NULL if threads cannot be listed. If memory
 * runs out, threads are missing. A thread that ends meanwhile may be listed. Called by a thread
 * with the engine's descriptor table; some 10 us for each thread. */
struct sg_sleeper *sg_futex_sleepers_list(size_t *n);

/* Fill in the fields of the thread `sleeper->tid`. Called by a thread with the engine's descriptor
 * table. */
void sg_futex_sleepers_read(struct sg_sleeper *sleeper);

/* Read for how long, since the thread began, it has waited for a processor, and how often it got
 * one. Returns false if the kernel does not count this, or if the thread has ended. Called by a
 * thread with the engine's descriptor table. */
bool sg_futex_sleepers_read_turns(pid_t tid, uint64_t *waited_ns, uint64_t *n_turns);

/* Whether the thread has not run since its CPU clock read `cpu_ns`. Any thread. */
bool sg_futex_sleepers_rests(pid_t tid, uint64_t cpu_ns);

/* Rest: the state of a sleeping thread. If two rests of a thread are equal, it has not run between
 * them: each run adds context switches, even where the CPU clock stands still. */
enum { SG_REST_CALL_BYTES = 192 };
struct sg_rest {
    bool is_asleep;
    bool is_timed; /* it may have a timeout; false only in a futex call without one */
    uint64_t cpu_ns;
    uint64_t n_switches;           /* voluntary and involuntary; 0 = not counted here */
    char call[SG_REST_CALL_BYTES]; /* system call: number, arguments, stack pointer, address */
};

/* Read the rest of a thread. Returns false if the thread does not sleep, or cannot be read. Called
 * by a thread with the engine's descriptor table; some 30 us. */
bool sg_futex_sleepers_read_rest(pid_t tid, struct sg_rest *rest);
bool sg_futex_sleepers_rest_equals(const struct sg_rest *rest, const struct sg_rest *other);

#endif
