/* Time that threads wait for the GIL: all of it, as it is waited.
 *
 * In each version the interpreter waits for its GIL with two functions that it imports, and wakes
 * who waits with a third. They are led through here:
 *
 *     take_gil ──▶ pthread_cond_timedwait   until the GIL is free
 *     drop_gil ──▶ pthread_cond_wait        a thread that was made to let go: until another has it
 *                    └─▶ here: one more waits ─▶ C library ─▶ here: one less, so much time
 *     drop_gil ──▶ pthread_cond_signal      here: if it was made to let go, see switches.h
 *
 * A thread that finds the GIL free does not come this way. Who had it meanwhile is sampling.h's
 * business. Waits of the engine's own threads are not counted. */
#ifndef STACKGLASS_GIL_WAITS_H
#define STACKGLASS_GIL_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_MOST_GILS = 16 }; /* that were ever waited for */

/* Lead the imports through us. NULL, or one sentence that says why waiting is not seen here. Waits
 * while a library is being loaded: without the GIL, on one of the engine's threads.
 * sg_gil_state_find has succeeded. */
const char *sg_gil_waits_lead(void);
/* Are they? */
bool sg_gil_waits_is_led(void);
/* Every so often, by the same thread. */
void sg_gil_waits_tend(void);
/* Back to what they were. Threads that wait at this moment leave through us. Any one thread. */
void sg_gil_waits_restore(void);
/* Between fork and its return, in the child: nobody waits, and the imports as they were. */
void sg_gil_waits_after_fork_in_child(void);

/* A GIL's account: cumulative since the first lead, never set back. */
struct sg_gil_account {
    uintptr_t gil;      /* state.h */
    uint32_t n_waiting; /* threads, now */
    uint64_t n_waits;   /* that ended with the GIL */
    uint64_t waited_ns; /* by all threads, those that wait now included */
};
/* Account `i`; false if there are no more, or it is being written just now by a thread that does
 * not get on. Any thread, never waits. */
bool sg_gil_waits_read(size_t i, struct sg_gil_account *account);
/* Sums over all accounts; false as above. */
bool sg_gil_waits_sum(uint64_t *n_waits, uint64_t *waited_ns);

/* By an engine's thread that takes the GIL, as soon as it has it and before it gives it back. What
 * others wait from the one until another thread has the GIL is the engine's doing, not the
 * program's: a thread that it wakes may wait for a processor. So is the wait of a thread that was
 * made to release the GIL for the engine alone, until the engine has it. */
void sg_gil_waits_engine_took(void);
void sg_gil_waits_engine_gives(void);
/* By whoever sees that another thread has the GIL. Any thread. */
void sg_gil_waits_engine_is_over(void);
/* Of `waited_ns` in all (sg_gil_waits_sum), what was waited for engine's threads. Any thread. */
uint64_t sg_gil_waits_engine_ns(uint64_t waited_ns);

#endif
