/* Keeps forks away from a moment in which a lock of the interpreter's is held without the GIL.
 *
 * A thread that asks for the GIL for the first time makes itself a thread state, and does that
 * under the runtime's lock, which the GIL does not guard. If the program forks just then, its child
 * has the lock and nobody who would ever release it. From 3.12 on the child makes its locks anew
 * before it takes one; 3.9 and 3.10 take this one first, and wait for ever (3.11: not looked at,
 * and kept out of it as well). */
#ifndef STACKGLASS_WORKER_FORK_GATE_H
#define STACKGLASS_WORKER_FORK_GATE_H

#include <stdbool.h>

/* Take and release the GIL, always by the same thread. Its thread state is made by the first take
 * and kept until `is_last`: to make one allocates without the GIL, and up to 3.13.1 tracemalloc
 * crashes where tracemalloc.stop() comes in between (gh-128679). 3.15 was seen to crash as well, in
 * one of some 5000 attaches. So the main thread is asked to stop with the GIL at a moment when
 * tracemalloc is off: then nothing can start or stop it. If it is on for good, the main thread
 * waits without the GIL, which tracemalloc needs. If the main thread does not come, the state is
 * made at a moment when tracemalloc is off. The caller has called sg_gil_handover_want. */
void sg_fork_gate_take_gil(void);
void sg_fork_gate_release_gil(bool is_last);
/* The interpreter has freed the state (in a forked child, at its end). */
void sg_fork_gate_forget(void);

/* Handlers of fork: before it; after it, in the parent and in the child. */
void sg_fork_gate_close(void);
void sg_fork_gate_open(void);

#endif
