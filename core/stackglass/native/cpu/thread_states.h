/* Thread state: what a thread does at one moment, from its files in /proc. */
#ifndef STACKGLASS_CPU_THREAD_STATES_H
#define STACKGLASS_CPU_THREAD_STATES_H

#include "platform/futex_sleepers.h"

/* The numbers are the wire's. */
enum sg_thread_state {
    SG_THREAD_UNKNOWN,
    SG_THREAD_RUNNING,         /* or about to: it has, or wants, a processor */
    SG_THREAD_WAITS_GIL,       /* for the main interpreter's GIL */
    SG_THREAD_WAITS_FUTEX,     /* for a lock, an event or a queue, of Python or of C code */
    SG_THREAD_IN_CALL,         /* in another system call: see sg_sleeper.call */
    SG_THREAD_WAITS_PROCESSOR, /* wall samples only: it wants a processor, and has none */
    SG_WALL_SUSPENDED,         /* wall samples only: no thread, but a task that awaits a future */
};

/* Find the main interpreter's GIL, once. The caller holds it. Until then a wait for the GIL counts
 * as one for a futex, as a wait for a subinterpreter's own GIL always does. */
void sg_thread_states_prepare(void);
/* Return the state of the thread that `seen` describes. Any thread may call this. */
enum sg_thread_state sg_thread_states_of(const struct sg_sleeper *seen);

#endif
