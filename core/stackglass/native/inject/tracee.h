/* Tracee: stops, saves and restores one foreign thread, by ptrace.
 *
 * Only the thread that seized the foreign thread may call these functions. */
#ifndef STACKGLASS_INJECT_TRACEE_H
#define STACKGLASS_INJECT_TRACEE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "inject/machine.h"

enum { SG_VECTORS_MAX = 16 * 1024, SG_VECTOR_NOTES = 2, SG_N_FAULTS = 6, SG_NO_TIMEOUT = -1 };

enum sg_stop {
    SG_STOP_TRAP,    /* stopped on request */
    SG_STOP_GROUP,   /* stopped by job control */
    SG_STOP_SIGNAL,  /* stopped because it is about to get the signal `signal` */
    SG_STOP_GONE,    /* has ended, by the signal `signal` if that is not 0 */
    SG_STOP_TIMEOUT, /* did not stop in time */
};

/* The saved state of a thread: all that a called function may change. */
struct sg_saved {
    uint8_t registers[SG_REGISTERS_MAX];
    uint8_t vectors[SG_VECTOR_NOTES][SG_VECTORS_MAX];
    size_t vectors_size[SG_VECTOR_NOTES]; /* 0 = the processor has no such set */
    int system_call;                      /* machine.h's system_call_note; -1 = none */
    uint64_t blocked_signals;
    siginfo_t sent[SG_N_FAULTS]; /* kept during a call (sent_signals.h); si_signo 0 = none */
    int end_signal; /* the signal that ended the thread during a call; 0 = none, or not known */
};

int64_t sg_tracee_now_ns(void); /* CLOCK_MONOTONIC */
void sg_tracee_pause_ns(int64_t ns);

/* Wait for the thread to stop, until `deadline_ns`. With SG_NO_TIMEOUT there is no limit, and other
 * threads that stop meanwhile are detached: they were asked to stop before, and stop late. */
enum sg_stop sg_tracee_wait_stop(pid_t thread, int64_t deadline_ns, int *signal);

/* Stop the thread; signals that arrive first are delivered to it. After a time-out the request to
 * stop still stands: sg_tracee_await_stop waits for that stop. */
enum sg_stop sg_tracee_stop_thread(pid_t thread, int64_t deadline_ns);
enum sg_stop sg_tracee_await_stop(pid_t thread, int64_t deadline_ns);

/* From now on, leave the end of a thread that the calling thread waits for to its parent: if that
 * is another thread of this process, a wait of the tracer would take the exit status from it. */
void sg_tracee_leave_ended(void);

/* Has the calling thread seized `thread`, and not released it? */
bool sg_tracee_is_held(pid_t thread);

/* The functions below return 0, or -1 and set errno. */
int sg_tracee_get_registers(pid_t thread, void *registers);
int sg_tracee_set_registers(pid_t thread, const void *registers);
int sg_tracee_save_thread(pid_t thread, struct sg_saved *saved);
int sg_tracee_restore_thread(pid_t thread, const struct sg_saved *saved);
/* Block every signal of a saved thread except the signals of faults and, if `is_setxid_open`, the C
 * library's own for a change of users, unless the thread had blocked it. */
int sg_tracee_block_signals(pid_t thread, const struct sg_saved *saved, bool is_setxid_open);
int sg_tracee_get_blocked_signals(pid_t thread, uint64_t *mask);
int sg_tracee_read_memory(pid_t pid, uint64_t address, void *to, size_t size);
int sg_tracee_write_memory(pid_t pid, uint64_t address, const void *from, size_t size);

#endif
