/* GIL handover: makes the main thread hand the GIL to the engine's thread, by a pending call.
 *
 * CPython's waiter requests the GIL only after 5 ms without a wake-up. A program that releases the
 * GIL for a moment every millisecond (a short system call in a loop) wakes the waiter each time.
 * The waiter comes too late, and starts its 5 ms again:
 *
 *     main     ══════╗ ╔══════╗ ╔══════╗ ╔══   holds the GIL except in the gaps
 *     waiting        wake ┈┈▶ gone  wake ┈┈▶   for seconds
 *
 * So if the wait gets long, a pending call on the main thread releases the GIL, and does not return
 * before the waiter has taken the GIL. */
#ifndef STACKGLASS_WORKER_GIL_HANDOVER_H
#define STACKGLASS_WORKER_GIL_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

/* Mark the begin and the end of a wait for the GIL. The waiter calls them. */
void sg_gil_handover_want(void);
void sg_gil_handover_end(void);

/* Queue the pending call if the wait has become long and none is queued. Never waits. Called by one
 * other thread, and not while the interpreter is being torn down. */
void sg_gil_handover_maintain(void);

/* Return whether the main thread is in the pending call, without the GIL. Any thread. */
bool sg_gil_handover_is_away(void);
/* Return whether a thread is between sg_gil_handover_want and sg_gil_handover_end. Any thread. */
bool sg_gil_handover_is_wanted(void);

/* Queue the pending call at once, and wait until the main thread is in it. There the main thread
 * runs nothing until the GIL has been taken, for at most 2 s. Waits at most `most_ns`, because the
 * main thread may be asleep or in C code. Called between sg_gil_handover_want and
 * sg_gil_handover_end. */
void sg_gil_handover_ask(int64_t most_ns);

/* Make the main thread stop with the GIL. Its pending call calls `is_fit`. If that returns true,
 * the main thread holds the GIL until sg_gil_handover_resume, at most 2 s, so that no thread of its
 * interpreter runs Python code. Otherwise it continues. Waits at most `most_ns` for the answer.
 * Called between sg_gil_handover_want and sg_gil_handover_end. */
enum sg_handover { SG_HANDOVER_ABSENT, SG_HANDOVER_UNFIT, SG_HANDOVER_HELD };
typedef bool sg_handover_test(void);
enum sg_handover sg_gil_handover_hold(sg_handover_test *is_fit, int64_t most_ns);
void sg_gil_handover_resume(void);

/* Reset the state: no thread waits, and no call is queued. */
void sg_gil_handover_forget(void);

#endif
