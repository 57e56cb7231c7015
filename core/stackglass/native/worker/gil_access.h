/* GIL access: the thread state with which the worker takes the GIL.
 *
 * A thread that takes the GIL for the first time creates its thread state, under the runtime's
 * lock, which the GIL does not guard. Up to 3.12 it does so inside the fork gate: a child of a fork
 * in that moment would inherit a held lock without an owner. (3.12 re-creates its locks before the
 * child takes one; 3.9 and 3.10 take this one first, and block for ever.) From 3.13 on the forking
 * thread itself holds that lock during the fork: inside the gate the two would wait for each
 * other. */
#ifndef STACKGLASS_WORKER_GIL_ACCESS_H
#define STACKGLASS_WORKER_GIL_ACCESS_H

#include <stdbool.h>

/* Take and release the GIL, always by the same thread. The thread state is created by the first
 * take and kept until `is_last`: creating one allocates without the GIL, and up to 3.13.1 that
 * crashes if tracemalloc.stop() runs meanwhile (gh-128679). 3.15 was seen to crash, too, in one of
 * some 5000 attaches. So the main thread stops in a pending call, with the GIL, while tracemalloc
 * is off: then no thread can start or stop it. If tracemalloc stays on, the main thread waits
 * without the GIL, which tracemalloc needs. If the main thread does not run the pending call, the
 * state is created while tracemalloc is off. A program that has not imported tracemalloc is not
 * stopped. The caller has called sg_gil_handover_want. */
void sg_gil_access_take(void);
void sg_gil_access_release(bool is_last);
/* The interpreter has freed the thread state (in a forked child, at its end). */
void sg_gil_access_forget(void);

#endif
