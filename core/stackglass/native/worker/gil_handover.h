/* GIL handover: has the main thread hand the GIL to the engine's thread, by a pending call.
 *
 * CPython's waiter requests the GIL only after 5 ms without a wake-up. A program that releases it
 * for a moment every millisecond (a short system call in a loop) wakes the waiter each time; it
 * comes too late, and starts its 5 ms again:
 *
 *     main     ══════╗ ╔══════╗ ╔══════╗ ╔══   holds the GIL but for the gaps
 *     waiting        wake ┈┈▶ gone  wake ┈┈▶   for seconds
 *
 * So when the wait gets long, a pending call on the main thread releases the GIL, and does not
 * return before the waiter has taken it. */
#ifndef STACKGLASS_WORKER_GIL_HANDOVER_H
#define STACKGLASS_WORKER_GIL_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

/* By the waiter: around its wait for the GIL. */
void sg_gil_handover_want(void);
void sg_gil_handover_end(void);

/* Queue the pending call if the wait has become long and none is queued. Never waits. One other
 * thread. Not while the interpreter is being torn down. */
void sg_gil_handover_maintain(void);

/* Whether the main thread is in the pending call, without the GIL. Any thread. */
bool sg_gil_handover_is_away(void);
/* Between want and end? Any thread. */
bool sg_gil_handover_is_wanted(void);

/* Queue the pending call at once, and wait until the main thread is in it, where it runs nothing
 * until the GIL was taken, 2 s at most. Waits `most_ns` at most: the main thread may be asleep or
 * in C code. Between want and end. */
void sg_gil_handover_ask(int64_t most_ns);

/* Have the main thread stop with the GIL. Its pending call calls `is_fit`: if that returns true, it
 * holds the GIL until `resume`, 2 s at most, so that no thread of its interpreter runs Python.
 * Otherwise it continues. Waits `most_ns` at most for the answer. Between want and end. */
enum sg_handover { SG_HANDOVER_ABSENT, SG_HANDOVER_UNFIT, SG_HANDOVER_HELD };
typedef bool sg_handover_test(void);
enum sg_handover sg_gil_handover_hold(sg_handover_test *is_fit, int64_t most_ns);
void sg_gil_handover_resume(void);

/* Reset: no thread waits, and no call is queued. */
void sg_gil_handover_forget(void);

#endif
