/* GIL access: makes and keeps the thread state with which the worker takes the GIL.
 *
 * A thread that takes the GIL for the first time creates its thread state, under the runtime's
 * lock, which the GIL does not guard. Up to 3.12 this happens inside the fork gate, because a child
 * of a fork at that moment would inherit the locked lock without its owner. (3.12 re-creates its
 * locks before the child takes one; on 3.9 and 3.10 the child takes this lock first, and blocks for
 * ever.) From 3.13 on the forking thread holds that lock during the fork, so inside the gate the
 * two threads would wait for each other. */
#ifndef STACKGLASS_WORKER_GIL_ACCESS_H
#define STACKGLASS_WORKER_GIL_ACCESS_H

#include <stdbool.h>

/* Take and release the GIL, always on the same thread. The first take creates the thread state,
 * which is kept until a release with `is_last`. The caller must have called sg_gil_handover_want.
 *
 * Creating a thread state allocates without the GIL. Up to 3.13.1 that crashes if
 * tracemalloc.stop() runs meanwhile (gh-128679), and 3.15 crashed in about one of 5000 attaches. So
 * the main thread stops in a pending call, with the GIL, while tracemalloc is off: then no thread
 * can start or stop it. If tracemalloc stays on, the main thread waits without the GIL, which
 * tracemalloc needs. If the main thread does not run the pending call, the state is created while
 * tracemalloc is off. A program that has not imported tracemalloc is not stopped. */
void sg_gil_access_take(void);
void sg_gil_access_release(bool is_last);
/* Forget the thread state, because the interpreter has freed it: in a forked child, at its end. */
void sg_gil_access_forget(void);

#endif
