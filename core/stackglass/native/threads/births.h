/* Births: finds threads that had been started but had not yet run when the recording of creations
 * began.
 *
 * The state of such a thread has no tid yet or, up to 3.11, its creator's tid. The thread writes
 * its own tid before it waits for the GIL. A state that an embedding program made in advance looks
 * the same, and its thread may never come, so nothing waits for a birth: repeated checks find the
 * states whose tid has changed. The GIL guards the data; thread states are followed only while the
 * interpreter lists them. */
#ifndef STACKGLASS_THREADS_BIRTHS_H
#define STACKGLASS_THREADS_BIRTHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "platform/vector.h"

/* The thread states of one interpreter, newest first, each with the tid that was read from it. A
 * thread writes its tid without the GIL, so two reads of one state may differ. */
struct sg_births_state {
    void *thread;
    pid_t tid;
};
struct sg_births_states SG_ROWS_OF(struct sg_births_state);

/* Follow the states of `interp` whose threads have not begun. `repeated` lists, each once, the tids
 * that several of the states have; the oldest of these states is the creator's own. Returns the
 * number of states that found no room. The caller holds the GIL. */
size_t sg_births_follow(void *interp, const struct sg_births_states *states,
                        const uint32_t *repeated, size_t n_repeated);

/* Report each thread that has begun since the last check. A state that is gone is reported with tid
 * 0: its thread has begun and ended in between. The caller holds the GIL. */
void sg_births_look(void (*report)(pid_t tid));

/* Return whether a check is due. At most 50 checks follow the first states, at least 20 ms apart,
 * and none if no state is followed. The writer calls it while it has posted no job. */
bool sg_births_are_due(int64_t now_ns);

/* Stop following all states. The caller holds the GIL, or no Python thread runs. */
void sg_births_forget(void);

#endif
