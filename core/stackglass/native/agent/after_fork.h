/* After fork: resets the engine in a forked child, as if no engine had ever run in it. */
#ifndef STACKGLASS_AGENT_AFTER_FORK_H
#define STACKGLASS_AGENT_AFTER_FORK_H

/* Register the fork handlers; further calls have no effect. The handlers cannot be removed, and do
 * nothing while no engine runs. Any thread may call this. */
void sg_after_fork_register(void);

#endif
