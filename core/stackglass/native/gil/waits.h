/* GIL waits: the exact time that threads wait for the GIL, measured by patched imports (GOT
 * entries) of the interpreter.
 *
 * In every version the interpreter waits for its GIL with two imported functions, and wakes a
 * waiter with a third:
 *
 *     take_gil ──▶ pthread_cond_timedwait   until the GIL is free
 *     drop_gil ──▶ pthread_cond_wait        after a forced release, until another thread has it
 *                    └─▶ wrapper: one waiter more ─▶ C library ─▶ one waiter less, add the ns
 *     drop_gil ──▶ pthread_cond_signal      wrapper: after a forced release, see switches.h
 *
 * A thread that finds the GIL free does not wait. sampling.h samples which thread had the GIL
 * meanwhile. Waits of the engine's own threads are not counted. */
#ifndef STACKGLASS_GIL_WAITS_H
#define STACKGLASS_GIL_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_MOST_GILS = 16 }; /* GILs with an account; waits for further GILs are not counted */

/* Patch the imports. Returns NULL, or one sentence that says why waits cannot be seen. Takes the
 * loader's lock, so it is called without the GIL, on an engine thread. sg_gil_state_find has
 * succeeded. */
const char *sg_gil_waits_redirect(void);
/* Are the imports patched? */
bool sg_gil_waits_is_redirected(void);
/* Maintain the patched imports (interpreter/got_slot.h). The thread that has patched them calls
 * this from time to time. */
void sg_gil_waits_maintain(void);
/* Restore the imports. Threads that wait at this moment return through the wrappers. One thread at
 * a time. */
void sg_gil_waits_restore(void);
/* In a forked child, before fork returns: restore, and forget all waits. */
void sg_gil_waits_after_fork_in_child(void);

/* Account of one GIL: cumulative sums, never reset except in a forked child. */
struct sg_gil_account {
    uintptr_t gil;      /* its address (state.h) */
    uint32_t n_waiting; /* threads that wait now */
    uint64_t n_waits;   /* waits that ended because the thread got the GIL, less those for the
                         * engine alone */
    uint64_t waited_ns; /* time waited by all threads, waits under way included */
};
/* Read account `i`. Returns false if there is none, or if a descheduled thread is writing it. Any
 * thread; never waits. */
bool sg_gil_waits_read(size_t i, struct sg_gil_account *account);
/* Read the sums over all accounts. Returns false if a descheduled thread is writing one of them. */
bool sg_gil_waits_sum(uint64_t *n_waits, uint64_t *waited_ns);

/* Report that an engine thread has taken the GIL, or is about to release it. The engine causes all
 * waits from `took` until another thread has the GIL, also those while a woken thread waits for a
 * processor. The engine also causes the wait of a thread that was forced to release the GIL for the
 * engine alone. */
void sg_gil_waits_engine_took(void);
void sg_gil_waits_engine_gives(void);
/* Report that a thread of the program was seen to have the GIL. Any thread. */
void sg_gil_waits_engine_is_over(void);
/* Return the part of `waited_ns`, a result of sg_gil_waits_sum, that was waited for the engine's
 * threads. Any thread. */
uint64_t sg_gil_waits_engine_ns(uint64_t waited_ns);

#endif
