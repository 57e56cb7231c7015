/* Keeps forks away from a moment in which a lock of the interpreter's is held without the GIL.
 *
 * A thread that asks for the GIL for the first time makes itself a thread state, and does that
 * under the runtime's lock, which the GIL does not guard. If the program forks just then, its child
 * has the lock and nobody who would ever release it. From 3.12 on the child makes its locks anew
 * before it takes one; 3.9 and 3.10 take this one first, and wait for ever (3.11: not looked at,
 * and kept out of it as well). */
#ifndef STACKGLASS_FORK_GATE_H
#define STACKGLASS_FORK_GATE_H

/* As PyGILState_Ensure and PyGILState_Release, by a thread of ours between whose calls no thread
 * state of it is left. */
int sg_gil_take(void);
void sg_gil_give(int state);

/* Handlers of fork: before it; after it, in the parent and in the child. */
void sg_fork_gate_close(void);
void sg_fork_gate_open(void);

#endif
