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
#ifndef STACKGLASS_GIL_HANDOVER_H
#define STACKGLASS_GIL_HANDOVER_H

#include <stdint.h>

/* By the thread that takes the GIL: around its waiting for it. */
void sg_gil_handover_want(void);
void sg_gil_handover_end(void);

/* Ask, if the wait is on for so long that it should be, and the main thread has not been asked yet.
 * Never waits. One other thread. Not while the interpreter is being torn down. */
void sg_gil_handover_tend(void);

/* Ask at once, and wait until the main thread is in the pending call, where it runs nothing until
 * the GIL was taken; `most_ns` at most, since it may be asleep or in C code. Between want and end.
 */
void sg_gil_handover_ask(int64_t most_ns);

/* No thread waits, and none has been asked. */
void sg_gil_handover_forget(void);

#endif
