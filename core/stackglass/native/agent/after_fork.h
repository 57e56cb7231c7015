/* After fork: resets the engine in a forked child, as if no engine had ever run in it. */
#ifndef STACKGLASS_AGENT_AFTER_FORK_H
#define STACKGLASS_AGENT_AFTER_FORK_H

#include <stdbool.h>

/* Register the fork handlers; further calls have no effect. The handlers cannot be removed, and do
 * nothing while no engine runs. Called by the thread that enters the engine, if it may, and by the
 * engine's first thread before anything else. */
void sg_after_fork_register(void);
/* Whether a thread may register handlers inside a handler. Up to glibc 2.35 it would wait for
 * itself: a thread of the program that is made to enter the engine must not register then. */
bool sg_after_fork_may_register(void);

/* Do the reset, if this child was forked before the handlers were registered. Any thread. */
void sg_after_fork_reset_late(void);

#endif
