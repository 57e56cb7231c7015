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
    uint64_t n_waits;   /* waits after which the thread got the GIL. A wait is not counted if one
                         * span of the engine was open from its beginning to its end */
    uint64_t waited_ns; /* time waited by all threads, waits under way included */
};
/* Read account `i`. If there is no such account, nor one after it, `gil` is 0. Returns false then,
 * and also if a descheduled thread is writing the account; all other fields are 0 in both cases.
 * Any thread; never waits. */
bool sg_gil_waits_read(size_t i, struct sg_gil_account *account);
/* Sums over all accounts. */
struct sg_gil_sums {
    uint64_t n_waits, waited_ns;
    uint64_t main_ns; /* of waited_ns, what was waited for the main GIL */
};
/* Read the sums. Returns false if a descheduled thread is writing an account. Any thread; never
 * waits. */
bool sg_gil_waits_sum(struct sg_gil_sums *sums);

/* ---- Spans of the engine ----
 *
 *     engine_took ─▶ it has the GIL ─▶ engine_releases ─▶ a thread wakes ─▶ program_has
 *     └────────── a span: all time waited in it is waited for the engine ───────────┘
 *
 * The engine takes the main GIL only: waits for other GILs have nothing to do with its spans.
 * If no thread waits as the engine releases the GIL, the span ends there. A thread that is forced
 * to release the GIL for the engine alone is not counted as waiting until the engine has it. */

/* Report that an engine thread has taken the GIL. */
void sg_gil_waits_engine_took(void);
/* Report that the engine thread is about to release the GIL. */
void sg_gil_waits_engine_releases(void);
/* Report that a thread of the program has the GIL `gil`. Any thread. */
void sg_gil_waits_program_has(uintptr_t gil);
/* Return the time waited for the engine: in closed spans, and in the present one up to the moment
 * at which the time waited for the main GIL was `main_ns`. With 0: in closed spans only. Any
 * thread. */
uint64_t sg_gil_waits_engine_ns(uint64_t main_ns);

#endif
