/* The GIL, handed to the thread of ours that waits for it.
 *
 * A thread that waits for the GIL asks for it only when it has slept through 5 ms without being
 * woken. A program that lets go for a moment every millisecond (a short system call in a loop)
 * wakes it each time, and each time it comes too late, and starts its 5 ms anew:
 *
 *     main     ══════╗ ╔══════╗ ╔══════╗ ╔══   holds the GIL but for the gaps
 *     waiting        wake ┈┈▶ gone  wake ┈┈▶   for seconds
 *
 * So when the wait gets long, the main thread is asked by a pending call to let go, and not to come
 * back before the other has come. */
#ifndef STACKGLASS_WORKER_GIL_HANDOVER_H
#define STACKGLASS_WORKER_GIL_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

/* By the thread that takes the GIL: around its waiting for it. */
void sg_gil_handover_want(void);
void sg_gil_handover_end(void);

/* Ask, if the wait is on for so long that it should be, and the main thread has not been asked yet.
 * Never waits. One other thread. Not while the interpreter is being torn down. */
void sg_gil_handover_tend(void);

/* Whether the main thread is in the pending call, without the GIL. Any thread. */
bool sg_gil_handover_is_away(void);
/* Between want and end? Any thread. */
bool sg_gil_handover_is_wanted(void);

/* Ask at once, and wait until the main thread is in the pending call, where it runs nothing until
 * the GIL was taken, 2 s at most. Waits `most_ns` at most, since the main thread may be asleep or
 * in C code. Between want and end. */
void sg_gil_handover_ask(int64_t most_ns);

/* Ask the main thread to stop with the GIL. In the pending call it calls `is_fit`: if that is true
 * it keeps the GIL, so that no thread of its interpreter runs Python, until `resume`, 2 s at most.
 * Otherwise it goes on. Waits `most_ns` at most for its answer. Between want and end. */
enum sg_handover { SG_HANDOVER_ABSENT, SG_HANDOVER_UNFIT, SG_HANDOVER_HELD };
typedef bool sg_handover_test(void);
enum sg_handover sg_gil_handover_hold(sg_handover_test *is_fit, int64_t most_ns);
void sg_gil_handover_resume(void);

/* No thread waits, and none has been asked. */
void sg_gil_handover_forget(void);

#endif
