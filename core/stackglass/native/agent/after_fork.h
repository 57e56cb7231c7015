/* After fork: resets the engine in a forked child, as if it had never been in it. */
#ifndef STACKGLASS_AGENT_AFTER_FORK_H
#define STACKGLASS_AGENT_AFTER_FORK_H

/* Register the fork handlers, once a process: they cannot be removed, and do nothing while no
 * engine runs. Any thread. */
void sg_after_fork_register(void);

#endif
