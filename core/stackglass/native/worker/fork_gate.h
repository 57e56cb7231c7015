/* Fork gate: keeps forks out of the moment in which the engine holds a lock of the interpreter
 * without the GIL.
 *
 * A thread that takes the GIL for the first time creates its thread state, under the runtime's
 * lock, which the GIL does not guard. If the program forks in that moment, its child inherits a
 * held lock without an owner. From 3.12 on the child re-creates its locks before it takes one; 3.9
 * and 3.10 take this one first, and block for ever (3.11 was not examined, and is treated the
 * same). */
#ifndef STACKGLASS_WORKER_FORK_GATE_H
#define STACKGLASS_WORKER_FORK_GATE_H

#include <stdbool.h>

/* Take and release the GIL, always by the same thread. The thread state is created by the first
 * take and kept until `is_last`: creating one allocates without the GIL, and up to 3.13.1 that
 * crashes if tracemalloc.stop() runs meanwhile (gh-128679). 3.15 was seen to crash, too, in one of
 * some 5000 attaches. So the main thread stops in a pending call, with the GIL, while tracemalloc
 * is off: then no thread can start or stop it. If tracemalloc stays on, the main thread waits
 * without the GIL, which tracemalloc needs. If the main thread does not run the pending call, the
 * state is created while tracemalloc is off. The caller has called sg_gil_handover_want. */
void sg_fork_gate_take_gil(void);
void sg_fork_gate_release_gil(bool is_last);
/* The interpreter has freed the thread state (in a forked child, at its end). */
void sg_fork_gate_forget(void);

/* Fork handlers: before it; after it, in the parent and in the child. */
void sg_fork_gate_close(void);
void sg_fork_gate_open(void);

#endif
