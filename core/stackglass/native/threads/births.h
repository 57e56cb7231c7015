/* Births: threads that had been started and had not begun when recording of creations began.
 *
 * Such a thread's state has no tid yet or, up to 3.11, its creator's. It writes its own before it
 * wants the GIL. A state that a host made in advance looks the same, and its thread may never come:
 * so nothing waits. Later looks find which states have a thread by now. The GIL guards all of it;
 * states are those of the list that the interpreter holds. */
#ifndef STACKGLASS_THREADS_BIRTHS_H
#define STACKGLASS_THREADS_BIRTHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform/vector.h"

/* The states of one interpreter, newest first, each with the tid that it had when it was read. A
 * thread writes its own without the GIL: a state that is read twice may fall between the two. */
struct sg_births_state {
    void *thread;
    pid_t tid;
};
struct sg_births_states SG_ROWS_OF(struct sg_births_state);

/* Follow the states of `interp` whose threads have not begun. `repeated`: tids that several of its
 * states have, each once; the oldest of these states is the thread's own. Returns how many were
 * left out because there are too many. Caller holds the GIL. */
size_t sg_births_follow(void *interp, const struct sg_births_states *states,
                        const uint32_t *repeated, size_t n_repeated);

/* Report each thread that has begun since the last look, and with 0 each one whose state is gone:
 * it has begun and ended in between. Caller holds the GIL. */
void sg_births_look(void (*report)(pid_t tid));

/* Is a look due, for which the GIL is worth taking? No longer than some seconds from the first
 * states on, and never if there are none. By the writer, while it has posted no job. */
bool sg_births_are_due(int64_t now_ns);

/* Follow none. Caller holds the GIL, or no Python thread runs. */
void sg_births_forget(void);

#endif
