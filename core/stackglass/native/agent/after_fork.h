/* A forked child is as if the engine had never been in it. */
#ifndef STACKGLASS_AGENT_AFTER_FORK_H
#define STACKGLASS_AGENT_AFTER_FORK_H

/* Have the C library call us in every child from now on; once a process (it cannot be undone,
 * and does nothing while no engine is there). Any thread. */
void sg_after_fork_register(void);

#endif
