/* Exact time that threads wait for the GIL, by patched imports of the interpreter.
 *
 * In each version the interpreter waits for its GIL with two imported functions, and wakes a waiter
 * with a third:
 *
 *     take_gil ──▶ pthread_cond_timedwait   until the GIL is free
 *     drop_gil ──▶ pthread_cond_wait        after a forced release, until another thread has it
 *                    └─▶ wrapper: one waiter more ─▶ C library ─▶ one less, so many ns
 *     drop_gil ──▶ pthread_cond_signal      wrapper: after a forced release, see switches.h
 *
 * A thread that finds the GIL free does not wait. Which thread had it meanwhile is sampled:
 * sampling.h. Waits of the engine's own threads are not counted. */
#ifndef STACKGLASS_GIL_WAITS_H
#define STACKGLASS_GIL_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_MOST_GILS = 16 }; /* that were ever waited for; more are not counted */

/* Patch the imports. NULL, or one sentence that says why waits are not seen. Takes the loader's
 * lock, so it is called without the GIL, on an engine thread. sg_gil_state_find has succeeded. */
const char *sg_gil_waits_redirect(void);
/* Whether they are patched. */
bool sg_gil_waits_is_redirected(void);
/* From time to time, by the same thread. */
void sg_gil_waits_maintain(void);
/* Restore the imports. Threads that wait at this moment return through the wrappers. Any one
 * thread. */
void sg_gil_waits_restore(void);
/* In a forked child, before fork returns: restore, and forget all waits. */
void sg_gil_waits_after_fork_in_child(void);

/* Sums of one GIL: cumulative, never reset. */
struct sg_gil_account {
    uintptr_t gil;      /* state.h */
    uint32_t n_waiting; /* threads, now */
    uint64_t n_waits;   /* that ended with the GIL */
    uint64_t waited_ns; /* by all threads, those that wait now included */
};
/* Account `i`; false if there are no more, or if a descheduled thread is writing it. Any thread,
 * never waits. */
bool sg_gil_waits_read(size_t i, struct sg_gil_account *account);
/* Sums over all accounts; false as above. */
bool sg_gil_waits_sum(uint64_t *n_waits, uint64_t *waited_ns);

/* An engine thread has taken the GIL; or is about to release it. Waits from `took` until another
 * thread has the GIL are caused by the engine, also while a woken thread waits for a processor. So
 * is the wait of a thread that was forced to release the GIL for the engine alone. */
void sg_gil_waits_engine_took(void);
void sg_gil_waits_engine_gives(void);
/* Another thread was seen to have the GIL. Any thread. */
void sg_gil_waits_engine_is_over(void);
/* The part of `waited_ns` (sg_gil_waits_sum) that was waited for the engine's threads. Any thread.
 */
uint64_t sg_gil_waits_engine_ns(uint64_t waited_ns);

#endif
